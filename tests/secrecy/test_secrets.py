"""Secrets over other channels: emails, pictures, pages, logs and metrics.

As in `test_leaks.py`, two worlds have the same seed and differ only in a secret. Players who may not know it must get the
same bytes. The seat on turn cannot tell the worlds apart, and its move may reveal the difference.
"""

import json
import logging
from email import message_from_bytes, policy
from email.message import EmailMessage
from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from prometheus_client import REGISTRY
from werkzeug.test import TestResponse

from server.api.openapi.examples import WEBHOOK_WANTED
from server.games import Json, Seat
from server.json_logs import JsonLines
from server.play.mail.mail_in import reply_word, take_mail
from server.play.turns.turn_links import turn_word
from server.post.incoming.answering import deal_with_mails
from server.store.tables import LetterRow, db
from tests.post.reader import composed
from tests.secrecy.test_leaks import without_ids
from tests.support.contract import Someone, opened
from tests.support.games import ME, OPEN
from tests.support.live_server import FOR_METRICS
from tests.support.paired_worlds import BRINKS, NAMES, SECRETS, House, World, Worlds, exchanging, tries

assert exchanging  # a fixture
pytestmark = pytest.mark.usefixtures("exchanging")

DIFFER_ANYWAY = {"Message-ID", "In-Reply-To", "References", "Date", "Content-Type"}  # ids, dates, and boundaries
Received = dict[str, Any]  # by a descriptive name


class Everything(House):
    """A game played to the brink, and everything that reaches a viewer besides the API's JSON."""

    def __init__(self, app: Flask, worlds: Worlds, world: World) -> None:
        super().__init__(app, worlds, world.exchange)
        self._world = world
        for seat, move in world.moves:
            self.plays(seat, move)

    def reaches(self, viewer: Seat | None) -> Received:
        received = self._pictures(viewer)
        if viewer is None:
            return received
        return received | self._mails(viewer) | self._links(viewer) | self._errors(viewer) | self._by_token(viewer)

    def _pictures(self, viewer: Seat | None) -> Received:
        who = Someone(self.app) if viewer is None else self.people[viewer]
        versions = range(1, len(self._world.moves) + 1, 6)
        pictures = ["svg", "png", "svg?theme=light", *(f"svg?at={version}" for version in versions)]
        return {f"picture.{it}": without_own(who.get(f"{self.path}/picture.{it}")) for it in pictures}

    def _mails(self, viewer: Seat) -> Received:
        """Return mails part by part, as the reader's program takes them apart, with answers to mails that play
        nothing."""
        rules = self.worlds.rules
        wrong = [rules.write_move(rules.move_from_json(move)) for move in self._wrong_moves(viewer)[::4]]
        with self.app.app_context():
            for turn in self._turns(viewer):
                for line in ("?", "7", "say Good evening!", *wrong):
                    word = reply_word(UUID(self.game_id), viewer, turn)
                    mail = f"From: {NAMES[viewer]}@example.org\r\n\r\n{line}\r\n".encode()
                    take_mail(word, line, mail, limited=False)
            deal_with_mails()
            mine = db.select(LetterRow).where(LetterRow.game_id == UUID(self.game_id), LetterRow.seat == viewer)
            written = [composed(it) for it in db.session.scalars(mine.order_by(LetterRow.made_at))]
        letters = [message_from_bytes(it.message, policy=policy.default) for it in written if it is not None]
        return {
            f"letter {number}, part {nr} ({part.get_content_type()})": part_without_own(part)
            for number, letter in enumerate(letters)
            for nr, part in enumerate(letter.walk())
        }

    def _links(self, viewer: Seat) -> Received:
        """Return the pages behind each turn link, and the pages they lead to, before a move."""
        browser = self.app.test_client()
        old, present = self._turns(viewer)
        with self.app.app_context():
            links = {turn: f"/t/{turn_word(UUID(self.game_id), viewer, turn)}" for turn in (old, present)}
        rules = self.worlds.rules
        legal = [rules.write_move(move) for move in tries(self.worlds, self._world, viewer)]
        lines = [*SECRETS[self.worlds.game].lines, *legal]
        looks = {f"{line!r} on a page": browser.post(links[present], data={"move": line}) for line in lines}
        opened = {f"page of turn {turn}": browser.get(link) for turn, link in links.items()}
        opened |= {f"plain page of turn {turn}": browser.get(f"{link}/plain") for turn, link in links.items()}
        opened["old page"] = browser.post(links[old], data={"move": lines[-1], "confirmed": "yes"})
        return {name: without_own(answer) for name, answer in (opened | looks).items()}

    def _errors(self, viewer: Seat) -> Received:
        """Return the errors for impossible moves, for this turn and for an old one."""
        old, present = self._turns(viewer)
        return {
            f"{move} for turn {turn}": without_own(
                self.people[viewer].post(f"{self.path}/moves", {"turn": turn, "move": move})
            )
            for move in self._wrong_moves(viewer)
            for turn in (old, present)
        }

    def _by_token(self, viewer: Seat) -> Received:
        """Return what a program with a token for this seat gets, or with an open turn link's token: the same as
        the seat."""
        own, present = self.people[viewer], self._turns(viewer)[1]
        program = Someone(self.app, token=own.post(f"{self.path}/seats/me/tokens").json["token"])
        with self.app.app_context():
            link = Someone(self.app, token=turn_word(UUID(self.game_id), viewer, present))
        looks = ("", "?at=1", "/events", "/legal-moves", "/messages", "/picture.svg")
        seen = {look: without_own(program.get(self.path + look)) for look in looks}
        assert seen == {look: without_own(own.get(self.path + look)) for look in looks}
        by_link = {look: without_own(link.get(self.path + look)) for look in looks}
        assert by_link == seen if self.turn_of(viewer) else {status for status, *_ in by_link.values()} == {401}
        return {f"by the token of a seat: {look}": answer for look, answer in seen.items()}

    def _wrong_moves(self, viewer: Seat) -> list[Json]:
        rules = self.worlds.rules
        legal = rules.legal_moves(self.worlds.end(self._world), viewer)
        return [move for move in SECRETS[self.worlds.game].wrong if rules.move_from_json(move) not in legal]

    def _turns(self, viewer: Seat) -> tuple[int, int]:
        """Return a finished turn and the present one."""
        present = self.turn_of(viewer) or len(self._world.moves) + 1
        return min(1, present - 1), present


def without_own(answer: TestResponse) -> tuple[int, str, str | bytes]:
    is_text = answer.mimetype != "image/png"
    return answer.status_code, answer.mimetype, without_ids(answer.text) if is_text else answer.data


def part_without_own(part: EmailMessage) -> tuple[list[tuple[str, str]], str | bytes | None]:
    head = [(name, without_ids(value)) for name, value in part.items() if name not in DIFFER_ANYWAY]
    content = None if part.is_multipart() else part.get_content()
    return head, without_ids(content) if isinstance(content, str) else content


@pytest.fixture
def worlds(request: pytest.FixtureRequest) -> Worlds:
    made: Worlds = request.param(Random(5))
    return made


AT_THE_BRINK = pytest.mark.parametrize("worlds", [brink for _, brink in BRINKS], indirect=True)
WITH_HANDS = pytest.mark.parametrize("worlds", [secrets.brinks[0] for secrets in SECRETS.values()], indirect=True)


@AT_THE_BRINK
def test_games_that_differ_in_a_secret_send_the_same_data_to_viewers_who_may_not_know_it(
    app: Flask, worlds: Worlds
) -> None:
    House(app, worlds, worlds.one.exchange)  # emails explain the rules in a player's first game only
    one, other = (Everything(app, worlds, world) for world in (worlds.one, worlds.other))
    for viewer in worlds.innocent:
        received, elsewhere = one.reaches(viewer), other.reaches(viewer)
        assert received.keys() == elsewhere.keys()
        assert [name for name in received if received[name] != elsewhere[name]] == []
    (on_turn,) = worlds.rules.to_act(worlds.end(worlds.one))
    assert {status for status, *_ in one.reaches(on_turn).values() if isinstance(status, int)} == {200, 409, 410, 422}


@WITH_HANDS
def test_the_secrets_owner_sees_the_difference_in_pictures_and_emails(app: Flask, worlds: Worlds) -> None:
    one, other = (Everything(app, worlds, world) for world in (worlds.one, worlds.other))
    (secretive,) = worlds.secretive
    received, elsewhere = one.reaches(secretive), other.reaches(secretive)
    differing = {name.split(" ")[0] for name in received if received[name] != elsewhere.get(name)}
    assert {"picture.svg", "picture.png", "letter"} <= differing


@AT_THE_BRINK
def test_logs_and_metrics_do_not_reveal_the_secret_of_a_game_to_operators(
    app: Flask, worlds: Worlds, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    told = []
    for world in (worlds.one, worlds.other):
        before, said = requests_counted(), len(caplog.records)
        Everything(app, worlds, world).reaches(None)
        counted = {labels: value - before.get(labels, 0) for labels, value in requests_counted().items()}
        # guests of earlier tests leave in mail.log
        own = [record for record in caplog.records[said:] if record.name != "mail.log"]
        lines = [json.loads(JsonLines().format(record)) for record in own]
        told.append((counted, [line | dict.fromkeys(("at", "ms", "id", "player", "game")) for line in lines]))
    assert told[0] == told[1]
    assert len(told[0][1]) > len(worlds.one.moves)


def requests_counted() -> dict[tuple[str, ...], float]:
    families = [family for family in REGISTRY.collect() if family.name == "sternenpost_requests"]
    return {
        tuple(it.labels.values()): it.value
        for family in families
        for it in family.samples
        if it.name.endswith("_total")
    }


def test_logs_and_metrics_contain_no_usable_secrets(
    app: Flask, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put it wherever a program may by mistake, and follow what comes of it."""
    caplog.set_level(logging.DEBUG)
    ada = Someone(app, "ada")
    game = opened(ada, ME, OPEN, OPEN, private=True)
    with app.app_context():
        turn = turn_word(UUID(game.rpartition("/")[2]), 0, 1)
    secrets = [
        turn,
        str(ada.token),
        ada.post("/v1/tokens").json["token"],
        ada.post(f"{game}/seats/me/tokens").json["token"],
        ada.post("/v1/me/feed").json["url"].rpartition("/")[2],
        ada.get(game).json["invitation"],
        ada.post("/v1/webhooks", WEBHOOK_WANTED).json["secret"],
        f"sp_{32 * '0'}_{43 * 'A'}",
    ]
    monkeypatch.setattr("server.api.players.profile", lambda player_id: 1 / 0 if player_id else None)
    client = app.test_client()
    for word in secrets:
        for header in (f"Bearer {word}", f"Basic {word}", word):
            client.get("/v1/me", headers={"Authorization": header})
            client.get(game, headers={"Authorization": header, "Idempotency-Key": word, "If-None-Match": word})
        for path in (f"/v1/tokens/{word}", f"/v1/games?token={word}", f"{game}?invitation={word}", f"/t/{word}"):
            client.get(path)
            client.get(f"{path}/plain")
        client.post(f"/v1/{word}", data=word)
        client.open("/v1/me", method=word[:20])
        client.post("/v1/tokens", json={"sign_in": word, "code": word, word: 1})
    lines = [JsonLines().format(record) for record in caplog.records]
    assert len([line for line in lines if "ZeroDivisionError" in line]) >= 1
    told = "\n".join([*lines, client.get("/metrics", headers=FOR_METRICS).text])
    assert [word for word in secrets if word in told or word[-30:] in told] == []
