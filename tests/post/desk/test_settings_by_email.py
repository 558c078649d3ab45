"""Settings by email: near names, and values in the words that our emails use."""

import re
from zoneinfo import ZoneInfo

import pytest

from server.accounts.notice_kinds import MAIL_KINDS
from server.accounts.players import change_profile, profile
from server.accounts.preferences import next_bundle
from server.clock import clock
from server.post.desk.commands import BY_NAME, SET
from server.translations import LOCALES, language
from server.translations.times import moment
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import Correspondent


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("set nihgts 22-8", "set nights 22-8"),
        ("set remindres 3h", "set reminders 3h"),
        ("set langauge de", "set language de"),
        ("set zone Europe/Belrin", "set zone Europe/Berlin"),
        ("set mails remindr off", "set mails reminder off"),
        ("set mails new in chat off", "set mails new in the chat off"),
    ],
)
def test_a_misspelt_setting_is_answered_with_the_nearest_line(ann: Correspondent, line: str, meant: str) -> None:
    ann_joins(ann)
    told = ann.asks(line).text
    assert f'Did you mean "{meant}"? Then reply with that line.' in told
    assert 'To use the suggested line, just reply "yes".' in told
    assert 'just reply "yes"' not in ann.asks(f"{line}\nplya sternenhimmel\nplya sternenglanz").text  # which of them?


@pytest.mark.parametrize("locale", LOCALES)
def test_settings_take_the_values_that_our_emails_name(ann: Correspondent, locale: str) -> None:
    ann_id, told = ann_joins(ann), language(locale).gettext
    change_profile(ann_id, {"locale": locale})
    for value in ("bundled", "off", "at-once"):
        answer = ann.asks(told(f"set mails {value}"))
        assert set(profile(ann_id)["notifications"]["mails"].values()) >= {value}
        assert told(value) in answer.text.partition(">")[0]
        assert locale == "en" or not re.search(r"\b(?:bundled|at-once|off)\b", answer.text)
    ann.asks(f"{BY_NAME[SET].word(locale)} mails {told('Reminder')} {told('off')}")
    assert profile(ann_id)["notifications"]["mails"] == dict.fromkeys(MAIL_KINDS, "at-once") | {"reminder": "off"}
    listed = " ".join(ann.asks("settings").text.split())
    assert told("at-once") in listed and told("Reminder") in listed and told("Game over") not in listed


@pytest.mark.parametrize(
    ("locale", "line", "times"),
    [
        ("en", "set mails bundled 7:00", ["07:00"]),
        ("en", "bundle at 7", ["07:00"]),
        ("en", "Set mails at 7 pm and 6:30", ["06:30", "19:00"]),
        ("de", "setze mails gebündelt um 7 Uhr", ["07:00"]),
        ("fr", "régler mails groupés à 7h30", ["07:30"]),
        ("it", "mail raggruppate alle 7", ["07:00"]),
    ],
)
def test_the_hour_of_the_bundle_is_set_by_email(ann: Correspondent, locale: str, line: str, times: list[str]) -> None:
    ann_id = ann_joins(ann)
    change_profile(ann_id, {"locale": locale})
    answer = " ".join(ann.asks(line).text.split())
    known = profile(ann_id)["notifications"]
    assert known["bundle_at"] == times
    assert known["mails"]["your-turn"] == "bundled"
    at = next_bundle(known, "UTC", clock.now())
    assert moment(at, ZoneInfo("UTC"), language(locale)) in answer
    assert times[0] in " ".join(ann.asks("settings").text.split())


def test_a_time_alone_is_answered_with_the_line_that_sets_the_hour_of_the_bundle(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    change_profile(ann_id, {"locale": "de"})
    assert "„setze mails gebündelt 07:00“" in " ".join(ann.asks("um 7 Uhr").text.split())
    assert "bundle_at" not in profile(ann_id)["notifications"]
    ann.asks("ja")
    assert profile(ann_id)["notifications"]["bundle_at"] == ["07:00"]


@pytest.mark.parametrize("locale", LOCALES)
def test_the_help_shows_a_whole_line_for_one_kind_of_email(ann: Correspondent, locale: str) -> None:
    ann_id = ann_joins(ann)
    change_profile(ann_id, {"locale": locale})
    told = " ".join(ann.asks("help set mails").text.partition(">")[0].split())
    found = re.search(
        rf"({BY_NAME[SET].word(locale)} mails? {language(locale).gettext('Reminder')} \w+)", told, re.IGNORECASE
    )
    assert found
    ann.asks(found[1])
    assert profile(ann_id)["notifications"]["mails"] == {"reminder": "off"}
