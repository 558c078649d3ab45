"""Former stand-ins and replaced players see only what spectators see, and their successors no private past."""

import os
from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.games import Json
from server.play.commits import load
from server.play.moves import play_move
from server.play.seating.seats import leave
from server.play.seating.stand_ins import accept_stand_in, end_stand_in
from server.play.turns.turn_links import turn_word
from server.play.votes import OFFER
from server.store.tables import LetterRow, db
from tests.post.reader import composed
from tests.support.contract import Someone
from tests.support.games import all_agree, everything_due_happens, game_of, legal_moves, person, service_is_up
from tests.support.stand_ins import asks, word_of

pytestmark = pytest.mark.usefixtures("no_limits")  # the same few players, a thousand times

TRIES = int(os.environ.get("FORMER_SEATS", "4"))  # per game; 1000 in a longer run
_MOST_MOVES = 6  # between two changes

NAMES = ("ada", "bea", "cyd")
OPTIONS: dict[str, Json] = {"sternenhimmel": {"start_seat": 0}, "sternenglanz": {"scenario": 4}}


class Try:
    """A game in which seat 0 changes hands, with the tokens and links that its players collected."""

    def __init__(self, app: Flask, rules: str, rng: Random) -> None:
        self.app, self.rng, self.private = app, rng, rng.random() < 0.3
        with app.app_context():
            service_is_up()
            self.people = [person(name) for name in NAMES]
            bots = 0 if not self.private else 2
            people = self.people if not self.private else self.people[:1]
            more = {"private": True} if self.private else {}
            self.game_id = game_of(*people, bots=bots, rules=rules, options=OPTIONS[rules], **more)
        self.path = f"/v1/games/{self.game_id}"
        self.words: list[str] = []  # signed links of turns
        self.tokens: list[str] = []  # of the seat
        self.sent: list[Json] = []  # moves, as sent

    def moves(self, player: UUID) -> None:
        for _ in range(self.rng.randint(1, _MOST_MOVES)):
            with self.app.app_context():
                everything_due_happens()
                game = load(self.game_id)
                asked = [
                    seat for seat, turn in enumerate(game.table.turns) if turn is not None and not game.bot_at(seat)
                ]
                if game.table.status != "running" or not asked:
                    return
                seat = asked[0]
                who = player if seat == 0 else game.seats[seat].player_id
                open_now = legal_moves(self.game_id, who, [])
                move = self.rng.choice(open_now["moves"])
                if seat == 0:
                    self.words.append(turn_word(self.game_id, 0, open_now["turn"]))
                    self.sent.append({"turn": open_now["turn"], "move": move})
                play_move(self.game_id, who, open_now["turn"], move)

    def takes_a_token(self, who: Someone) -> None:
        self.tokens.append(who.post(f"{self.path}/seats/me/tokens", {}).json["token"])

    def looks(self, who: Someone, version: int) -> dict[str, Any]:
        ways = [
            *("", "/events", "/messages", "/votes", "/legal-moves"),
            *("/archive", "/stream", "/seats/me", "/seats/me/plan"),
        ]
        ways += ["/seats/me/stand-in", "/take-backs", "/picture.svg", "/picture.svg?theme=light", "/note"]
        ways += [f"?at={at}" for at in range(1, version + 1)]
        ways += [f"/picture.svg?at={at}" for at in (1, version // 2, version)]
        found = {way: _said(who.get(self.path + way)) for way in ways}
        for wanted in self.sent:
            found[f"the move of turn {wanted['turn']} again"] = _said(who.post(f"{self.path}/moves", wanted))
        listed = who.get("/v1/games?mine=true&limit=1").json["items"]  # the newest
        found["lists"] = [it["id"] for it in listed] == [str(self.game_id)]
        return found

    def held(self) -> list[TestResponse]:
        """Return what the collected tokens and links open now."""
        bearers = [Someone(self.app, token=token) for token in (*self.tokens, *self.words)]
        answers = [it.get(self.path + way) for it in bearers for way in ("", "/events", "/picture.svg", "/legal-moves")]
        answers += [it.post(f"{self.path}/moves", wanted) for it in bearers for wanted in self.sent]
        browser = self.app.test_client()
        return [*answers, *(browser.get(f"/t/{word}{page}") for word in self.words for page in ("", "/plain"))]


def _said(answer: TestResponse) -> Any:
    """Return it without the request id."""
    if answer.mimetype == "application/problem+json":
        return {name: value for name, value in answer.json.items() if name not in ("request_id", "instance")}
    return answer.status_code, answer.data


def version_of(app: Flask, game_id: UUID) -> int:
    with app.app_context():
        return load(game_id).version


def assert_is_spectator(tried: Try, former: Someone) -> None:
    spectator, version = Someone(tried.app, "eve"), version_of(tried.app, tried.game_id)
    seen, public = tried.looks(former, version), tried.looks(spectator, version)
    assert [way for way in public if seen[way] != public[way]] == []
    assert {answer.status_code for answer in tried.held()} <= {401, 409, 410}
    with tried.app.app_context():
        who = person("dan" if tried.tokens else "ada")
        mine = db.select(LetterRow).where(LetterRow.game_id == tried.game_id, LetterRow.player_id == who)
        letters = db.session.scalars(mine).all()
        kinds = [it.kind for it in letters if composed(it) is not None]
    assert set(kinds) <= {"stand-in", "seat-taken-over"}


@pytest.mark.parametrize("rules", OPTIONS)
def test_a_former_stand_in_sees_only_what_spectators_see(app: Flask, rules: str) -> None:
    rng = Random(29)
    for _ in range(TRIES):
        tried, dan = Try(app, rules, rng), Someone(app, "dan")
        ada, stand_in = tried.people[0], _player(app, "dan")
        tried.moves(ada)
        before = version_of(app, tried.game_id)
        with app.app_context():
            if load(tried.game_id).head.status != "running":
                continue
            asks(tried.game_id, ada, player=stand_in)
            accept_stand_in(word_of(tried.game_id), stand_in)
        assert_has_seen_nothing_before(tried, dan, before)
        tried.words.clear(), tried.sent.clear()
        tried.takes_a_token(dan)
        tried.moves(stand_in)
        with app.app_context():
            if load(tried.game_id).seats[0].owner_id:
                end_stand_in(tried.game_id, rng.choice([ada, stand_in]))
        assert_is_spectator(tried, dan)
        words, sent = list(tried.words), list(tried.sent)
        tried.moves(ada)
        tried.words, tried.sent = words, sent
        assert_is_spectator(tried, dan)


@pytest.mark.parametrize("rules", OPTIONS)
def test_a_player_whose_seat_was_taken_over_sees_only_what_spectators_see(app: Flask, rules: str) -> None:
    rng = Random(31)
    for _ in range(TRIES):
        tried, ada, dan = Try(app, rules, rng), Someone(app, "ada"), Someone(app, "dan")
        if tried.private:
            continue
        owner, successor = tried.people[0], _player(app, "dan")
        tried.moves(owner)
        with app.app_context():
            if load(tried.game_id).head.status != "running":
                continue
            leave(tried.game_id, owner)
            all_agree(tried.game_id, OFFER, *tried.people[1:])
        before = version_of(app, tried.game_id)
        assert dan.post(f"{tried.path}/seats", {"seat": 0, "take_over": True}).status_code == 201
        assert_has_seen_nothing_before(tried, dan, before)
        assert_is_spectator(tried, ada)
        words, sent = list(tried.words), list(tried.sent)
        tried.moves(successor)
        tried.words, tried.sent = words, sent
        assert_is_spectator(tried, ada)


def _player(app: Flask, name: str) -> UUID:
    with app.app_context():
        return person(name)


def assert_has_seen_nothing_before(tried: Try, who: Someone, version: int) -> None:
    """Check that the new player sees only public parts of the past."""
    if tried.private:
        return
    spectator = Someone(tried.app, "eve")
    for at in range(1, version + 1):
        views = [it.get(f"{tried.path}?at={at}").json["view"] for it in (who, spectator)]
        assert views[0] == views[1]
        pictures = [it.get(f"{tried.path}/picture.svg?at={at}").data for it in (who, spectator)]
        assert pictures[0] == pictures[1]
    for way in ("/events", "/stream"):
        own, public = (it.get(tried.path + way).data for it in (who, spectator))
        own = own.replace(b'"by":"stand-in",', b"", 1).replace(b',"by":"stand-in"', b"", 1)  # they learn that it's them
        assert own == public
    assert {who.post(f"{tried.path}/moves", wanted).status_code for wanted in tried.sent} <= {409}
