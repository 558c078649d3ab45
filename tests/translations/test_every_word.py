"""Every visible text goes through the catalogues: in a made-up language no English word is left."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask_babel import force_locale

from server.accounts.notice_kinds import INVITATION, MAIL_KINDS, NOTICE_KINDS
from server.accounts.players import change_profile, player_token
from server.accounts.sign_in import begin_sign_in
from server.accounts.unsubscribe import stop_token
from server.api.problems import ALL
from server.games import GAMES, Json
from server.games.presentation import notation, refusals, sentence
from server.play.commits import load
from server.play.seating.calendar_feed import new_feed
from server.play.seating.games import open_game
from server.play.seating.seats import leave, ready_word, return_word, take_seat
from server.play.seating.stand_ins import end_stand_in
from server.play.turns.turn_links import turn_word
from server.play.votes import vote
from server.post import wording
from server.translations.update import extracted
from tests.post.office import Office
from tests.post.test_languages import KINDS, variants
from tests.support.games import BOT, ME, OPEN, game_of, letters, moves_of, person, service_is_up, turn_of, wanted
from tests.support.marked_language import Marked, everything_marked, unmarked
from tests.support.stand_ins import asks, stands_in, word_of
from tests.translations.test_translations import NAMES, OF_THE_HOUSE, told_in


@pytest.fixture(autouse=True)
def marked(app: Flask) -> Iterator[None]:
    with app.app_context(), everything_marked():
        service_is_up()
        yield
    app.extensions.pop("reference_pages", None)  # kept for each process


def test_an_untranslated_text_is_detected() -> None:
    assert unmarked("Bitte zieh bis morgen.\nPlease move by tomorrow.") == ["Please move by tomorrow."]
    assert not unmarked(Marked().ugettext("Please move by %(due)s.") % {"due": "Montag"})


# Letters and stories


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_emails_are_translated(kind: type[Any]) -> None:
    with force_locale("de"):
        for letter in variants(kind):
            head, _, page = wording.write_page(
                letter, wording.Picture("x.png"), wording.answer_above(), "Xyz"
            ).partition("<body>")
            assert '<html lang="de">' in head
            assert not unmarked("\n".join([*wording.write(letter, wording.answer_above(), "Xyz"), words_of(page)]))


def test_stand_in_emails_to_both_players_are_translated(app: Flask) -> None:
    """What they say is not in their templates alone."""
    ada, ben, office = person("ada"), person("ben"), Office(app, "stars.example")
    for who in (ada, ben):
        change_profile(who, {"locale": "de", "name": "Xyz", "notifications": {"mails": {"your-turn": "off"}}})
    for first, ends in ((0, ben), (3, ben), (3, ada)):
        game_id = game_of(ada, person("cyd"), bots=1, title="Xyz")
        stands_in(game_id, ada, ben, first)
        end_stand_in(game_id, ends)
    mails = [mail for name in ("ada", "ben") for mail in office.mails(name)]
    assert len(mails) == 8
    for mail in mails:
        assert not unmarked("\n".join([mail.subject, mail.text, words_of(mail.page.partition("<body>")[2])]))


def test_event_sentences_and_notations_are_translated() -> None:
    for game in GAMES.values():
        told = [sentence(item, NAMES, "de") or "" for item in [*told_in(game), *OF_THE_HOUSE]]
        assert not unmarked("\n".join([*told, notation(game.NAME, "de")]))


# Answers of the API


def told(value: Any) -> Iterator[str]:
    """All texts in an answer that are for people."""
    match value:
        case str():
            yield value
        case dict():
            for it in value.values():
                yield from told(it)
        case list():
            for it in value:
                yield from told(it)


GAME: Json = {"rules": "sternenhimmel", "seats": [ME, {"bot": "greedy"}, {"bot": "greedy"}]}
LADDER_END = {"do": "abandon"}
PROFILES: list[Json] = [
    {"locale": "xx", "name": 7, "more": 1},
    {"name": "\u200b"},
    {"zone": "Mars"},
    {"calendar": 7},
    {"calendar": {"more": 1}},
    {"calendar": {"night": "x"}},
    {"calendar": {"night": "08:00-07:00"}},
    {"calendar": {"days_off": 7}},
    {"calendar": {"days_off": [1, 1]}},
    {"calendar": {"days_off": [1, 2, 3, 4]}},
    {"calendar": {"vacations": 7}},
    {"calendar": {"vacations": [{}]}},
    {"calendar": {"vacations": [{"from": "x", "to": "x"}]}},
    {"calendar": {"vacations": [{"from": "2027-02-02", "to": "2027-02-01"}]}},
    {"calendar": {"vacations": [{"from": "2027-01-02", "to": "2027-12-01"}]}},
    {"notifications": {"more": 1}},
    {"notifications": {"reminders": 1}},
    {"notifications": {"reminders": ["x"]}},
    {"notifications": {"reminders": ["P1Y"]}},
    {"notifications": {"reminders": [7]}},
    {"notifications": {"reminders": ["P999D"]}},
    {"notifications": {"mails": 7}},
    {"notifications": {"mails": {"x": "off"}}},
    {"notifications": {"mails": {"bundle": "x"}}},
    {"notifications": {"bundle_at": 7}},
    {"notifications": {"bundle_at": ["x"]}},
]
GAMES_WANTED: list[Json] = [
    {},
    {**GAME, "rules": "x", "title": "", "private": 1, "seats": [{}]},
    {**GAME, "seats": [ME, ME, {"open": True}]},
    {**GAME, "seats": [ME]},
    {**GAME, "seats": [{"email": "x"}, {"email": "ü@example.org"}]},
    {**GAME, "title": "\u200b"},
    {**GAME, "options": {"edition": "x"}},
    {**GAME, "options": {"x": "x"}},
    {**GAME, "clock": {}},
    {**GAME, "clock": {"per_move": "x"}},
    {**GAME, "clock": {"bank": "P2D", "increment": "P1D", "cap": "P1D"}},
    {**GAME, "on_timeout": []},
    {**GAME, "on_timeout": [{"do": "x"}, LADDER_END]},
    {**GAME, "on_timeout": [LADDER_END, LADDER_END]},
    {**GAME, "on_timeout": [{"do": "extend", "by": "P1D", "times": 0}, LADDER_END]},
    {**GAME, "on_timeout": [{"do": "bot-takes-over", "bot": "x"}]},
]
WEBHOOKS: list[Json] = [
    {"url": url, "kinds": ["your-turn"]}
    for url in (
        "x",
        "https://a:b@example.org/",
        "https://x:0/",
        "http://example.org/",
        "https://10.0.0.1/",
        "https://[",
    )
]
BODIES = [b"\xff", b"{", b"[" * 30, b'{"a": 1, "a": 2}', b'{"a": NaN}', b'{"a": 9999999999999999}', b'{"a": "\\u0000"}']


def problems_told(app: Flask) -> Iterator[Json]:
    """Return errors of many kinds, for a German reader and for a program that asks for German."""
    web, ada = app.test_client(), person("ada")
    change_profile(ada, {"locale": "de"})
    german, own = {"Accept-Language": "de"}, {"Authorization": f"Bearer {player_token('ada@example.org')}"}
    game_id = game_of(ada, person("ben"), bots=1)
    path, turn = f"/v1/games/{game_id}", turn_of(game_id, ada)
    taken = {**moves_of(game_id, ada)[0], "space": "z"}
    for profile in PROFILES:
        yield web.patch("/v1/me", json=profile, headers=own).json
    for game in GAMES_WANTED:
        yield web.post("/v1/games", json=game, headers=own).json
    for webhook in WEBHOOKS:
        yield web.post("/v1/webhooks", json=webhook, headers=own).json
    for body in BODIES:
        yield web.post("/v1/games", data=body, content_type="application/json", headers=own).json
    for move in (7, {}, {"star": "x"}, taken, {**taken, "star": "Z"}, {**taken, "more": 1}, {**taken, "board": "x"}):
        yield web.post(f"{path}/moves", json={"turn": turn, "move": move}, headers=own).json
    yield web.post(f"{path}/moves", json={"turn": 99, "move": taken}, headers=own).json
    for query in ("limit=x", "limit=999", "mine=7", "x=7", "limit=1&limit=2", "status=x", "cursor=x"):
        yield web.get(f"/v1/games?{query}", headers=own).json
    yield web.get("/v1/me", headers=german).json
    yield web.get("/v1/me", headers=german | {"Authorization": "Basic x"}).json
    yield web.get("/v1/me", headers=german | {"Authorization": "Bearer x"}).json
    yield web.get("/v1/nothing", headers=german).json
    yield web.put("/v1/me", headers=german).json
    yield web.get("/v1/games", headers=german | {"Accept": "text/html"}).json
    yield web.post("/v1/sign-ins", data="x", content_type="text/plain", headers=german).json
    yield web.post("/v1/tokens", json={"code": "123456"}, headers=german).json
    yield web.post(f"{path}/seats", headers=own | {"Idempotency-Key": "ü"}).json


def test_problems_are_translated(app: Flask) -> None:
    found = list(problems_told(app))
    assert len({problem["code"] for problem in found}) > 12
    for problem in found:
        detail = re.sub(r"^\w+: ", "", problem["detail"])  # the place, which is the name of a field
        said = [problem["title"], detail, *told(problem.get("errors", {}))]
        assert not unmarked("\n".join(said))


def test_every_reason_and_problem_is_in_the_catalogues() -> None:
    """What stands in a table is looked up by its English words, so these must be found there."""
    known = {message.id for message in extracted()}
    assert set(refusals().values()) <= known
    assert {words for problem in ALL.values() for words in (problem.title, problem.meaning)} <= known


# Pages


def words_of(page: str) -> str:
    """Return the visible text of a page, without what is set in code."""
    body = re.sub(r"<(svg|style|pre|code).*?</\1>|<datalist.*?</datalist>", "", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "\n", body))


AGAIN = {"again": "yes"}


def test_pages_are_translated(app: Flask) -> None:
    web, ada, wish = app.test_client(), person("ada"), {"Accept-Language": "de"}
    change_profile(ada, {"locale": "de"})
    game_id = game_of(ada, person("ben"), bots=1, title="Xyz")
    host = open_game(ada, wanted(ME, {"email": "new@example.org"}, OPEN, title="Xyz")).game_id
    link = f"/t/{turn_word(game_id, 0, turn_of(game_id, ada) or 0)}"
    move = " ".join(moves_of(game_id, ada)[0].values())
    invited = f"/i/{letters(host, 'invitation')[0].data['invitation']}"
    sign_in = f"/sign-in/{begin_sign_in('other@example.org', 'de', None)}"
    asking = open_game(ada, wanted(ME, OPEN, BOT, options={"ready_check": {"within": "P2D"}}, title="Xyz"))
    take_seat(asking.game_id, person("ben"))
    ready = f"/ready/{ready_word(load(asking.game_id), 0)}"
    change_profile(person("cyd"), {"locale": "de"})
    asks(game_id, ada, player=person("cyd"))
    standing_in = f"/s/{word_of(game_id)}"
    left = game_of(ada, person("ben"), bots=1, title="Xyz")
    of_left, back = f"/t/{turn_word(left, 0, 1)}", f"/back/{return_word(left, 0)}"
    for who in (ada, person("ben")):
        vote(left, who, "pause", True)
    resting = web.get(of_left)
    for who in (ada, person("ben")):
        vote(left, who, "resume", True)
    leave(left, ada)
    stops = [f"/stop/{stop_token(kind, str(ada), game_id)}" for kind in MAIL_KINDS if NOTICE_KINDS[kind].bundles]
    stops.append(f"/stop/{stop_token(INVITATION.name, 'ada@example.org', None)}")
    shown = [
        *(resting, web.get(of_left), web.get(back), web.post(back), web.get(back), web.get("/t/abc", headers=wish)),
        web.get(f"{link}/plain"),
        web.post(link, data={"move": "9 leo z"}),
        web.post(link, data={"move": move}),
        web.post(link, data={"move": move, "confirmed": "yes"}),
        web.get(link),
        web.get(invited, headers=wish),
        web.post(invited, headers=wish),
        web.get(f"{sign_in}/plain", headers=wish),
        web.post(sign_in, data={"code": "0"}, headers=wish),
        *(web.get(f"/problems/{code}", headers=wish) for code in ALL),
        web.get("/problems/none", headers=wish),
        web.get(ready),
        web.post(ready),
        web.get(ready),
        web.get(standing_in, headers=wish),
        web.post(standing_in, headers=wish),
        *(
            web.open(stop, method=it, data=data)
            for stop in stops
            for it, data in (("GET", {}), ("POST", {}), ("POST", AGAIN))
        ),
    ]
    for page in shown:
        assert '<html lang="de">' in page.text
        assert not unmarked(words_of(page.text.partition("<main>")[2]))


@pytest.mark.parametrize("path", ["/docs", "/docs/fairness"])
def test_english_only_pages_say_so_to_readers_of_other_languages(app: Flask, path: str) -> None:
    web = app.test_client()
    said = Marked().ugettext("This page is for developers and is in English.")
    assert said in web.get(path, headers={"Accept-Language": "fr"}).text
    assert said not in web.get(path, headers={"Accept-Language": "en"}).text


def test_the_calendar_of_deadlines_is_translated(app: Flask) -> None:
    ada = person("ada")
    change_profile(ada, {"locale": "de"})
    game_of(ada, person("ben"), bots=1, title="Xyz")
    feed = app.test_client().get(f"/feed/{new_feed(ada)}.ics").text
    said = re.findall(r"^(?:SUMMARY|DESCRIPTION):(.*)$", feed.replace("\r\n ", "").replace("\r\n", "\n"), re.MULTILINE)
    assert said and not unmarked("\n".join(said))
