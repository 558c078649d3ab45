"""Pages that emailed links open are in their reader's language."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.accounts.notice_kinds import INVITATION, MAIL_KINDS
from server.accounts.players import change_profile
from server.accounts.unsubscribe import stop_token
from server.translations.update import TRANSLATED
from tests.support.games import ENGLISH, game_of, person, service_is_up

ADDRESSES = re.compile(r'<(?:code|pre)>.*?</(?:code|pre)>|\b(?:name|for|id|type|method|list|value)="[^"]*"')


@pytest.fixture(autouse=True)
def within(app: Flask) -> Iterator[None]:
    with app.app_context():
        service_is_up()
        yield


def words_of(page: TestResponse) -> str:
    """What a person reads of a page, or has read aloud."""
    body = re.sub(r"<(?:svg|style).*?</(?:svg|style)>", "", page.text.partition("<main>")[2], flags=re.DOTALL)
    shown = ADDRESSES.sub("", body)
    said = re.findall(r'(?:alt|aria-label|placeholder)="([^"]*)"', shown)
    return unescape(" ".join([re.sub(r"<[^>]*>", " ", shown), *said]))


def is_in(locale: str, page: TestResponse) -> bool:
    return f'<html lang="{locale}">' in page.text and not ENGLISH.search(words_of(page))


@pytest.mark.parametrize("locale", TRANSLATED)
@pytest.mark.parametrize("kind", MAIL_KINDS)
def test_unsubscribe_pages_are_translated(app: Flask, locale: str, kind: str) -> None:
    web, ada = app.test_client(), person("ada")
    change_profile(ada, {"locale": locale})
    game_id = game_of(ada, person("ben"), bots=1, title="Xyz")
    reader = "ada@example.org" if kind == INVITATION.name else str(ada)
    link = f"/stop/{stop_token(kind, reader, None if kind == INVITATION.name else game_id)}"
    for page in (web.get(link), web.post(link), web.post(link, data={"again": "yes"})):
        assert is_in(locale, page)


BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


@pytest.mark.parametrize(
    ("path", "accept", "mimetype"),
    [
        ("/gaems", BROWSER, "text/html"),
        ("/gaems", "*/*", "application/problem+json"),
        ("/gaems", "application/json", "application/problem+json"),
        ("/v1/gaems", BROWSER, "application/problem+json"),
    ],
)
def test_browsers_get_a_readable_page_for_a_mistyped_path(app: Flask, path: str, accept: str, mimetype: str) -> None:
    answer = app.test_client().get(path, headers={"Accept": accept, "Accept-Language": "de"})
    assert (answer.status_code, answer.mimetype) == (404, mimetype)
    assert ("Seite nicht gefunden" in answer.text) == (mimetype == "text/html")
