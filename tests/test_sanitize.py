"""Sanitizing of names, titles and addresses."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import Unfit
from server.sanitize import clean, clean_lines, email_address, plain, public_address

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and unassigned characters, too
ODD_TEXT = st.text(st.sampled_from("ae \n\r\t\x00\x85\u2028\u202e\u200d\ud800\u0301\u0327\u0489\u3164=?"))


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("  Otto's   evening ", "Otto's evening"),
        ("Grüße an Žofie 木星 ⭐", "Grüße an Žofie 木星 ⭐"),
        ("Cafe\u0301", "Café"),
        ("a\r\nBcc: v@z.org", "a Bcc: v@z.org"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf", "a b c d e f"),
        ("a\x00b\x1b[31mc", "ab[31mc"),
        ("txt.\u202egpj\u2066", "txt.gpj"),
        ("in\u200bvis\ufeffible\U000e0041", "invisible"),
        ("half \ud83d a pair", "half a pair"),
        ("\u3164", ""),
        ("\u0301\u0302 a", "a"),
        ("\x00\u202e ", ""),
        ("", ""),
    ],
)
def test_a_title_becomes_one_visible_line(typed, shown):
    assert clean(typed, 80) == shown


def test_the_length_of_a_title_is_limited():
    assert clean("x" * 100, 80) == "x" * 80
    assert clean("x" * 79 + " y", 80) == "x" * 79


def test_excess_combining_marks_are_removed_and_ordinary_ones_stay():
    assert clean("Z" + 500 * "\u0350", 80) == "Z" + 3 * "\u0350"
    assert clean("Nguyễn שָׁלוֹם สวัสดี", 80) == unicodedata.normalize("NFC", "Nguyễn שָׁלוֹם สวัสดี")


@given(ANY_TEXT | ODD_TEXT, st.integers(0, 20))
def test_any_input_becomes_one_line_that_can_be_sent(text, limit):
    line = clean(text, limit)
    assert len(line) <= limit
    assert line.encode().decode() == line
    assert line.splitlines() in ([], [line])
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in line)
    assert clean(line, limit) == line


@given(ANY_TEXT | ODD_TEXT)
def test_plain_text_keeps_its_lines_and_loses_invisible_characters(text):
    shown = plain(text)
    assert len(shown.split("\n")) == max(1, len(text.splitlines()))
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown.replace("\n", ""))
    assert shown.encode().decode() == shown


def test_plain_text_keeps_spaces_because_tables_need_them():
    assert plain("a   b\r\n  c\u202e\x0bd") == "a   b\n  c\nd"


def test_the_domain_of_an_address_is_converted_to_lower_case():
    assert email_address("Otto.Stern+games@Example.ORG") == "Otto.Stern+games@example.org"
    assert email_address("you@localhost") == "you@localhost"


def test_a_players_address_needs_a_full_domain():
    assert public_address("You@Example.ORG") == "you@example.org"
    with pytest.raises(Unfit, match="looks incomplete"):
        public_address("you@nodot")


@pytest.mark.parametrize(
    "wrong",
    ["", "otto", "@example.org", "otto@", "a@b@c", "a b@example.org", "a@example.org\n", "a@example.org\r\nBcc: b@c.de"]
    + [
        "<a@example.org>",
        "Otto <a@example.org>",
        "a,b@example.org",
        '"a b"@example.org',
        ".a@example.org",
        "a..b@x.org",
    ]
    + ["a@-x.org", "a@x..org", "a@x.org.", "a@[127.0.0.1]", "=?utf-8?q?x?=@example.org", "a" * 65 + "@example.org"]
    + ["a@" + ".".join(["b" * 60] * 5), "a\x00@example.org"],
)
def test_an_invalid_address_is_rejected(wrong):
    with pytest.raises(ValueError, match="Enter an email address"):
        email_address(wrong)


@pytest.mark.parametrize(
    "foreign", ["jürgen@example.org", "otto@bücher.example", "otto\u2028@example.org", "\ud800@x.org"]
)
def test_an_address_with_non_ascii_characters_is_rejected_with_the_reason(foreign):
    with pytest.raises(ValueError, match="plain ASCII"):
        email_address(foreign)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("  Hi!\r\n\r\n\tShall  we\u2028play?\n", ["Hi!", "Shall we", "play?"]),
        ("1\n2\n3\n4\n5", ["1", "2", "3 4 5"]),
        ("\u202e\n \n", []),
        (f"{'x' * 30}\ny", ["x" * 20]),
    ],
)
def test_a_few_lines_keep_their_breaks(text: str, lines: list[str]) -> None:
    assert clean_lines(text, 20, 3).splitlines() == lines
