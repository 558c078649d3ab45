"""Mails in which a line acts by itself, and something else casts doubt on it: they are asked about, not played."""

import pytest

from server.post.incoming.replies import Wishes, read, understand
from server.rules import sternenhimmel
from tests.post.replies.make import plain
from tests.post.replies.programs import LETTER, PROGRAMS, Typed, mail, multipart, part


def wishes(raw: bytes) -> Wishes:
    return understand(read(raw), sternenhimmel, LETTER.split("\n"))


# Plain text and a page


def both(text: str, page: str) -> Wishes:
    body = multipart("alternative", part("plain", text), part("html", page))
    return wishes(mail(Typed(""), body, "X-Mailer: any"))


@pytest.mark.parametrize(
    "page",
    [
        "<div><s>7 leo c</s></div>",
        "<div>Hi</div><del><div>Oh.</div><div>7 leo c</div></del>",
        "<div>7 leo <strike>c</strike></div>",
        '<p style="text-decoration:line-through">7 leo c</p>',
        "<style>.x{text-decoration:line-through}</style><p class=x>7 leo c</p>",
        '<p style="display:none">7 leo c</p>',
        "<p hidden>7 leo c</p>",
        "<p>5 leo d</p>",
        "<p>7 leo c</p><p>5 leo d</p>",
        "<p>7 leo c</p><p>pause</p>",
        "<p>7 leo c</p><p>say Hello</p>",
        "<p>I would not play 7 leo c</p>",
        "<blockquote>7 leo c</blockquote>",
        "<div class=gmail_signature>7 leo c</div>",
        "<p>Hi</p>",
        "",
    ],
)
def test_where_the_page_says_something_else_than_the_plain_text_nothing_acts(page: str) -> None:
    assert both("7 leo c", "<p>7 leo c</p>") == Wishes(move="7 leo c")
    found = both("7 leo c", page)
    assert (found.problem, found) == ("parts-differ", Wishes(problem="parts-differ", line=found.line))


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("Hi *all*\n\n7 leo c", "<p>Hi <b>all</b></p><p>7 leo c</p>"),
        ("7 leo c\n\nsay look at *this*: it shines", "<p>7 leo c</p><p>say look at <i>this</i>: it shines</p>"),
        ("7 leo c\n\n[image: logo.png]", "<p>7&nbsp;leo c</p><img src='cid:1' alt='logo.png'>"),
        ("7 leo c\n\nAda <https://ada.example>", "<p>7 leo c</p><a href='https://ada.example'>Ada</a>"),
        ("7 leo c\n\n> Have fun!", "<p>7 leo c</p><blockquote>Have fun!</blockquote>"),
        (" \n", "<p>7 leo c</p>"),
    ],
)
def test_what_programs_make_of_the_same_words_is_the_same(text: str, page: str) -> None:
    assert both(text, page).move == "7 leo c"


def test_a_line_that_is_struck_out_acts_from_no_program() -> None:
    pages = [raw for program in PROGRAMS.values() if b">7 leo c<" in (raw := program.write(Typed("7 leo c")))]
    assert len(pages) > 5
    for raw in pages:
        assert wishes(raw).move == "7 leo c"
        assert wishes(raw.replace(b">7 leo c<", b"><s>7 leo c</s><")).problem in ("parts-differ", "not-understood")


def test_the_page_is_found_wherever_it_is() -> None:
    inner = multipart("related", part("html", "<s>7 leo c</s>"), boundary="r")
    nested = multipart("mixed", multipart("alternative", part("plain", "7 leo c"), inner), boundary="m")
    assert wishes(mail(Typed(""), nested, "X-Mailer: any")).problem == "parts-differ"
    assert wishes(plain("7 leo c")).move == "7 leo c"
