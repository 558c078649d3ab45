"""A scene in which every call of the OpenAPI document works, and every example in it is true."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import UUID

from flask import Flask
from werkzeug.test import TestResponse

from server.accounts import tokens
from server.accounts.sign_in import begin_sign_in
from server.api.openapi import examples
from server.clock import clock
from server.games import Json
from server.play.seating.stand_ins import stand_in_word
from server.store import reviews
from server.store.tables import StandIn, db
from tests.support.apps import authorized_app
from tests.support.contract import Contract, Someone

OF_AN_OPEN_GAME = ("takeSeat", "leaveSeat", "invite", "changeGame", "closeGame")
SEATS_OF_GUESTS = {"sendAway": "1", "withdrawInvitation": "2", "seatBot": "3"}
OF_A_GAME_THAT_IS_OVER = ("getArchive", "getRematch", "openRematch")
NOT_OF_A_RUNNING_GAME_OF_PEOPLE = ("getArchive", "getRematch", "openRematch", "getHint", "findHint", "getReview")
BY_SOMEBODY_ELSE = ("takeSeat",)


class Call(NamedTuple):
    """An operation of the document: its path template and description."""

    method: str
    path: str
    operation: Json

    @property
    def name(self) -> str:
        name: str = self.operation["operationId"]
        return name

    @property
    def examples(self) -> dict[str, Json]:
        if "requestBody" not in self.operation:
            return {}
        content = self.operation["requestBody"]["content"]["application/json"]
        return {name: example["value"] for name, example in content["examples"].items()}

    @property
    def example(self) -> Json | None:
        return next(reversed(self.examples.values()), None)

    @property
    def needs_token(self) -> bool:
        return all(self.operation.get("security", ["a token"]))


def calls(document: Json) -> Iterator[Call]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield Call(method.upper(), path, operation)


class Scene:
    """A scene of Ada's games: one has an open seat, one waits for her first move, one is over."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.contract: Contract = app.test_client_class.contract  # type: ignore[union-attr]
        self.ada, self.bea, self.stranger = Someone(app, "ada"), Someone(app, "bea"), Someone(app)
        self.dan = Someone(app, "dan")
        self._sign_in()

    @cached_property
    def open(self) -> str:
        return self._opened(self.ada)

    @cached_property
    def hosted(self) -> str:
        """Return the path of a game where Bea sits, another player is invited, and a seat is open."""
        seats = [{"player": "me"}, {"open": True}, {"email": "cleo@example.org"}, {"open": True}]
        path = self._opened(self.ada, seats=seats)
        self.bea.post(f"{path}/seats")
        return path

    @cached_property
    def asking(self) -> str:
        """Return the path of a game that asks whether players are ready. Ada has committed to a salt."""
        own = {"player": "me", "salt_hash": examples.SALT_HASH}
        more = {"options": {"ready_check": {"within": "P2D"}}, "seats": [own, {"open": True}, {"bot": "greedy"}]}
        path = self._opened(self.ada, **more)
        self.bea.post(f"{path}/seats")
        return path

    @cached_property
    def running(self) -> str:
        return self.another()

    @cached_property
    def moved(self) -> str:
        """Return the path of a game in which Ada has made the example's move."""
        path = self.another()
        assert self.ada.post(f"{path}/moves", examples.MOVE).status_code == 201
        return path

    def another(self) -> str:
        """Start a game whose boards are dealt so that the example of a move is legal."""
        while True:
            path = self._opened(self.ada)
            view = self.bea.post(f"{path}/seats").json["view"]
            if any(board["board"] == examples.MOVE["move"]["board"] for board in view["boards"]):
                return path

    @cached_property
    def of_turns(self) -> str:
        """Return the path of a game of Sternenglanz, whose turns have several moves. It waits for Ada's choice."""
        seats, options = [{"player": "me"}, {"open": True}], {"scenario": 4, "start_seat": 0}
        path = self._opened(self.ada, rules="sternenglanz", seats=seats, options=options)
        self.bea.post(f"{path}/seats")
        return path

    @cached_property
    def in_steps(self) -> str:
        """Return the path of a game of Sternenglanz that waits for the first step of Ada's turn."""
        for who in (self.bea, self.ada):
            legal = who.get(f"{self.of_turns}/legal-moves").json
            who.post(f"{self.of_turns}/moves", {"turn": legal["turn"], "move": legal["moves"][0]})
        return self.of_turns

    @cached_property
    def over(self) -> str:
        path = self._opened(self.ada)
        self.bea.post(f"{path}/seats")
        for who in (self.ada, self.bea):
            assert who.post(f"{path}/votes", {"on": "abandon"}).status_code == 200
        return path

    @cached_property
    def against_bots(self) -> str:
        return self._opened(self.ada, seats=[{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}])

    @cached_property
    def reviewed(self) -> str:
        """Return the path of a game that was played to the end. Nothing is left to compute of Ada's review."""
        seats, options = [{"player": "me"}, {"open": True}], {"max_rounds": 1, "start_seat": 0}
        path = self._opened(self.ada, rules="sternenglanz", seats=seats, options=options)
        self.bea.post(f"{path}/seats")
        while self.ada.get(path).json["status"] == "running":
            for who in (self.ada, self.bea):
                legal = who.get(f"{path}/legal-moves").json
                if legal["moves"]:
                    who.post(f"{path}/moves", {"turn": legal["turn"], "move": legal["moves"][0]})
        ada_id = UUID(self.ada.get("/v1/me").json["id"])
        with self.app.app_context():
            reviews.ask(UUID(path.rpartition("/")[2]), 0, ada_id, clock.now(), total=0)
        return path

    @cached_property
    def webhook(self) -> str:
        made = self.ada.post("/v1/webhooks", examples.WEBHOOK_WANTED)
        assert made.status_code == 201, made.text
        return f"/v1/webhooks/{made.json['id']}"

    @cached_property
    def token_id(self) -> str:
        return str(self.ada.post("/v1/tokens").json["id"])

    @cached_property
    def app_id(self) -> str:
        """Return the id of a stranger's app that Ada has authorized."""
        with self.app.app_context():
            return str(authorized_app(tokens.caller(self.ada.token or "")).app_id)

    @cached_property
    def subscription_id(self) -> str:
        return str(self.ada.post("/v1/push-subscriptions", examples.PUSH_SUBSCRIPTION_WANTED).json["id"])

    @cached_property
    def delivery(self) -> str:
        return str(self.ada.post(f"{self.webhook}/pings").json["id"])

    @cached_property
    def stand_in_word(self) -> str:
        """Return the link token with which Ada asks the example's stranger to stand in."""
        self.ada.post(f"{self.running}/seats/me/stand-in", examples.STAND_IN_WANTED)
        with self.app.app_context():
            asked = db.session.scalars(db.select(StandIn).order_by(StandIn.from_at)).all()[-1]
            return stand_in_word(asked.game_id, asked.seat, asked.mark)

    def address(self, call: Call) -> str:
        game = self.running
        if call.name in OF_AN_OPEN_GAME:
            game = self.open
        if call.name in SEATS_OF_GUESTS:
            return f"{self.hosted}{call.path.partition('{game_id}')[2]}".replace("{seat}", SEATS_OF_GUESTS[call.name])
        if call.name in OF_A_GAME_THAT_IS_OVER:
            game = self.over
        if call.name in ("getHint", "findHint"):
            game = self.against_bots
        if call.name == "getReview":
            game = self.reviewed
        if call.name == "sayReady":
            game = self.asking
        if call.name == "takeBack":
            game = self.moved
        path = call.path.replace("/v1/games/{game_id}", game).replace("{name}", "sternenhimmel")
        if "{word}" in path:
            path = path.replace("{word}", self.stand_in_word)
        if "{player_id}" in path:
            path = path.replace("{player_id}", self.bea.get("/v1/me").json["id"])
        if "{subscription_id}" in path:
            path = path.replace("{subscription_id}", self.subscription_id)
        if "{token_id}" in path:
            path = path.replace("{token_id}", self.token_id)
        if "{app_id}" in path:
            path = path.replace("{app_id}", self.app_id)
        if "{delivery_id}" in path:
            path = path.replace("{delivery_id}", self.delivery)
        return path.replace("/v1/webhooks/{webhook_id}", self.webhook) if "{webhook_id}" in path else path

    def caller(self, call: Call) -> Someone:
        if call.name == "acceptStandIn":
            return self.dan
        return self.bea if call.name in BY_SOMEBODY_ELSE else self.ada

    def ask(self, call: Call, body: Any = None, **more: Any) -> TestResponse:
        return self.caller(call).ask(call.method, self.address(call), body, **more)

    def _opened(self, who: Someone, **other: Any) -> str:
        response = who.post("/v1/games", examples.GAME_WANTED | other)
        assert response.status_code == 201, response.text
        return f"/v1/games/{response.json['id']}"

    def _sign_in(self) -> None:
        """Request a code for Ada, fixed to that of the example."""
        with (
            self.app.app_context(),
            patch("server.accounts.sign_in.uuid4", lambda: UUID(examples.SIGN_IN_ANSWER["sign_in"])),
            patch("server.accounts.mailed_codes.secrets.randbelow", lambda _: int(examples.TOKEN_BY_CODE["code"])),
        ):
            begin_sign_in(examples.SIGN_IN["email"], "en", None)
