"""Pages that emailed links open are in their reader's language."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.accounts.notice_kinds import INVITATION, MAIL_KINDS
from server.accounts.players import change_profile, profile
from server.accounts.sign_in import begin_sign_in
from server.accounts.unsubscribe import stop_token
from server.play.seating.games import open_game
from server.play.seating.seats import leave, return_word
from server.play.turns.turn_links import turn_word
from server.play.votes import vote
from server.translations.update import TRANSLATED
from tests.support.games import ENGLISH, ME, OPEN, game_of, letters, moves_of, person, service_is_up, turn_of, wanted

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
def test_turn_pages_are_translated(app: Flask, locale: str) -> None:
    web, ada = app.test_client(), person("ada")
    change_profile(ada, {"locale": locale})
    game_id = game_of(ada, person("ben"), bots=1, title="Xyz")
    link = f"/t/{turn_word(game_id, 0, turn_of(game_id, ada) or 0)}"
    move = " ".join(moves_of(game_id, ada)[0].values())
    shown = [
        web.get(link),
        web.get(f"{link}/plain"),
        web.post(link, data={"move": "9 leo z"}),
        web.post(link, data={"move": move}),
        web.post(link, data={"move": move, "confirmed": "yes"}),
        web.get(link),
    ]
    assert [page.status_code for page in shown] == [200, 200, 422, 200, 200, 410]
    assert all(is_in(locale, page) for page in shown)


@pytest.mark.parametrize("locale", TRANSLATED)
def test_pages_of_paused_games_and_bot_seats_are_translated(app: Flask, locale: str) -> None:
    web, ada = app.test_client(), person("ada")
    change_profile(ada, {"locale": locale})
    game_id = game_of(ada, person("ben"), bots=1, title="Xyz")
    link = f"/t/{turn_word(game_id, 0, turn_of(game_id, ada) or 0)}"
    for who in (ada, person("ben")):
        vote(game_id, who, "pause", True)
    resting = web.get(link)
    for who in (ada, person("ben")):
        vote(game_id, who, "resume", True)
    leave(game_id, ada)
    back = f"/back/{return_word(game_id, 0)}"
    shown = [resting, web.get(link), web.get(back), web.post(back), web.get(back)]
    assert [page.status_code for page in shown] == [409, 409, 200, 200, 200]
    assert all(is_in(locale, page) for page in shown)


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


@pytest.mark.parametrize("locale", TRANSLATED)
def test_visitors_see_pages_in_their_browsers_language(app: Flask, locale: str) -> None:
    web, wish = app.test_client(), {"Accept-Language": f"{locale}-CH, en;q=0.5"}
    game_id = open_game(person("ada"), wanted(ME, {"email": "new@example.org"}, OPEN, title="Xyz")).game_id
    link = f"/i/{letters(game_id, 'invitation')[0].data['invitation']}"
    sign_in = f"/sign-in/{begin_sign_in('other@example.org', locale, None)}"
    shown = [
        web.get(link, headers=wish),
        web.post(link, headers=wish),
        web.get(link, headers=wish),
        web.post(link, headers=wish),
        web.get(sign_in, headers=wish),
        web.get(f"{sign_in}/plain", headers=wish),
        web.post(sign_in, data={"code": "0"}, headers=wish),
        web.get("/t/abc", headers=wish),
    ]
    assert [page.status_code for page in shown] == [200, 200, 200, 409, 200, 200, 401, 404]
    assert all(is_in(locale, page) for page in shown)
    assert profile(person("new"))["locale"] == locale


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
