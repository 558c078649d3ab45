"""The sandbox mailbox: filtered by address, paged, and each letter parsed once."""

import os
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.api import sandbox
from server.app import create_app
from server.config import Settings
from server.post.smtp import MaildirCarrier

LETTERS = 120


@pytest.fixture
def box(tmp_path: Path, app: Flask) -> FlaskClient:
    """The client of a sandbox with 120 letters, every tenth to Ben and the others to Ada, an hour between each two."""
    settings = {
        "DATABASE_URL": app.config["SQLALCHEMY_DATABASE_URI"].replace("+psycopg", ""),
        "STERNENPOST_DATA": str(tmp_path),
        "STERNENPOST_SANDBOX": "on",
    }
    carrier = MaildirCarrier(str(tmp_path / "mail"))
    for number in range(LETTERS):
        letter = EmailMessage()
        letter["To"] = "ben@example.org" if number % 10 == 0 else "ada@example.org"
        letter["Subject"], letter["Message-ID"] = f"Letter {number}", f"<{number}@example.org>"
        letter["Date"] = "Thu, 26 Nov 2026 12:00:00 +0000"
        letter.set_content(f"The text of letter {number}")
        carrier.send(letter.as_bytes(), "stars@example.org", letter["To"])
        [newest] = [it for it in (tmp_path / "mail/new").iterdir() if f"Letter {number}\n".encode() in it.read_bytes()]
        os.utime(newest, (number * 3600, number * 3600))
    return create_app(Settings.from_environment(settings)).test_client()


def listed(box: FlaskClient, query: str) -> tuple[list[int], str | None]:
    found = box.get(f"/sandbox/mail{query}", headers={"Accept": "application/json"}).json
    assert found is not None
    return [int(it["subject"].removeprefix("Letter ")) for it in found["items"]], found["next"]


def test_the_mailbox_lists_emails_as_json_newest_first_for_all_addresses_or_one(box: FlaskClient) -> None:
    assert listed(box, "") == ([*range(LETTERS)][::-1], None)
    assert listed(box, "?to=BEN@example.org") == ([*range(0, LETTERS, 10)][::-1], None)


def test_the_json_list_is_split_into_pages_on_request(box: FlaskClient) -> None:
    first, following = listed(box, "?limit=70")
    rest, end = listed(box, f"?limit=70&after={following}")
    assert (first + rest, end) == ([*range(LETTERS)][::-1], None)


def test_the_page_links_to_older_emails(box: FlaskClient) -> None:
    text = box.get("/sandbox/mail").text
    assert "Letter 119" in text
    assert "Letter 69<" not in text
    link = re.search(r'href="(/sandbox/mail\?after=[^"]+)"', text)
    assert link is not None
    assert "Letter 69<" in box.get(link[1]).text


def test_emails_are_parsed_only_when_shown_and_only_once(box: FlaskClient) -> None:
    parsed = sandbox._envelope.cache_info
    before = parsed().misses
    assert listed(box, "?to=nobody@example.org") == ([], None)
    assert parsed().misses == before
    for _ in range(2):
        listed(box, "?to=ben@example.org")
        assert parsed().misses == before + LETTERS / 10
