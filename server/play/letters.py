"""Which letters a commit causes, and to whom. They are noted with the commit and written when they are carried."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from server.accounts.preferences import READY_ASKED
from server.play.events import (
    GameAbandoned,
    GamePaused,
    GameResumed,
    GameStarted,
    MoveTakenBack,
    SeatHandedOver,
    SeatTakenBack,
    StandInBegan,
    StandInEnded,
    TimeRanOut,
)
from server.play.game import Game, Outline
from server.play.table import CHANGES_OF_HANDS, Table, type_name
from server.rules import Json, Seat
from server.store.webhook_queue import NOTE

STAND_IN = "stand-in"  # kind of letter

News = tuple[str, Seat, Json]  # kind, reader, data


def after(game: Game, events: Sequence[Any], now: datetime, before: Table) -> list[Json]:
    """The letters of a commit that led to the game as it is now, from the table before."""
    told = _told(game, list(_news(game, events, now, before)), now, list(_news_for_programs(events)))
    known = list(_of_stand_ins(game, events, now))
    return _in_order([*known, *told], now) if known else told


def after_extension(outline: Outline, seat: Seat, by: str, now: datetime) -> list[Json]:
    """The letters of an extension, after which the game is as it is now."""
    return _told(outline, [("time-extended", seat, {"by": by})], now)


def _told(game: Game | Outline, news: list[News], now: datetime, for_programs: Sequence[str] = ()) -> list[Json]:
    """Each is made a microsecond after the one before, so that they are carried and listed as the story goes."""
    told = [letter(game, kind, seat, now, **data) for kind, seat, data in news]
    if hooked := [row["seat"] for row in game.seats if row["has_webhooks"]]:
        mailed = [it for it in news if it[0] not in for_programs]
        news = [(kind, seat, {}) for kind in for_programs for seat in hooked] + mailed
        told += [note(game, kind, seat, now, **data) for kind, seat, data in news if seat in hooked]
    return _in_order(told, now)


def _in_order(told: list[Json], now: datetime) -> list[Json]:
    return [row | {"made_at": now + timedelta(microseconds=place)} for place, row in enumerate(told)]


def take_back_asked(game: Game, asked: Json, seats: Sequence[Seat], now: datetime) -> list[Json]:
    """The letters to those who are asked for their consent to a take-back (see `votes_of`)."""
    about = {"by": asked["seat"], "to_version": asked["to"], "ends_at": asked["ends_at"]}
    return _told(game, [("take-back-asked", seat, about) for seat in seats], now)


def ready_asked(game: Game, seats: Sequence[Seat], now: datetime) -> list[Json]:
    """The letters to those who are asked whether they are ready; who has said so already is not."""
    return _told(game, [(READY_ASKED, seat, {"about": now.isoformat()}) for seat in seats], now)


def _news(game: Game, events: Sequence[Any], now: datetime, before: Table) -> Iterator[News]:
    people = [row["seat"] for row in game.seats if row["player_id"] is not None]
    for event in events:
        match event:
            case TimeRanOut(seat, bot) if bot:
                yield "bot-moved", seat, {"bot": bot}
            case SeatHandedOver(seat, bot, "time"):
                yield "seat-handed-over", seat, {"bot": bot}
            case SeatTakenBack(seat) if game.seats[seat]["asked_at"] == now:  # for a turn that began under the bot
                yield "your-turn", seat, {}
            case MoveTakenBack(by):
                turns = enumerate(zip(before.turns, game.table.turns, strict=True))
                gone = [(seat, was) for seat, (was, turn) in turns if was is not None and turn is None]
                yield from (("move-taken-back", seat, {"by": by, "gone": was}) for seat, was in gone if seat in people)
            case GamePaused():
                yield from (("game-paused", seat, {}) for seat in people)
            case GameResumed():
                yield from (("your-turn", seat, {}) for seat in people if game.seats[seat]["due_at"])
            case GameAbandoned():
                yield from (("game-abandoned", seat, {}) for seat in people)
    if game.table.status == "finished":
        yield from (("game-ended", seat, {}) for seat in people)
    handed_on = {event.seat for event in events if type_name(event) in CHANGES_OF_HANDS}
    for seat in people if game.table.turns else ():
        is_asked = game.table.turns[seat] == game.table.version and not game.bot_at(seat)
        if is_asked and seat in handed_on:
            yield from [("your-turn", seat, {})] if game.table.status == "running" else []
            continue
        if game.seats[seat]["planned"]:  # he is told once his plan was looked at, if it does not move
            continue
        if is_asked and not game.table.rules.is_mid_turn(game.table.state, seat):  # whoever is at it needs no letter
            yield "your-turn", seat, {}


def _of_stand_ins(game: Game, events: Sequence[Any], now: datetime) -> Iterator[Json]:
    """Both know: who stands in, and for whom he does."""
    for event in events:
        row = game.seats[event.seat] if event.seat is not None else {}
        match event:
            case StandInBegan(seat):
                until = row["stood_in_until"].isoformat()
                owner = {"player_id": row["owner_id"], "name": row["owner"]["name"]}
                yield from _about_stand_in(game, seat, "began", owner, row, now, until=until)
            case StandInEnded(seat):
                yield from _about_stand_in(game, seat, "ended", row, row["former"], now)


def _about_stand_in(
    game: Game, seat: Seat, what: str, owner: Json, stand_in: Json, now: datetime, **more: Any
) -> Iterator[Json]:
    for reader, other in ((owner, stand_in), (stand_in, owner)):
        about = {"what": what, "name": reader["name"], "who": other["name"], "own": reader is owner, **more}
        made = letter(game, STAND_IN, seat, now, f"{what}/{reader['player_id']}", **about)
        yield made | {"player_id": reader["player_id"]}


def told_of_stand_in(game: Game, seat: Seat, what: str, who: str, begin: datetime, now: datetime) -> list[Json]:
    """To whoever has asked for a stand-in, that he is `accepted` and when he comes."""
    about = {"what": what, "name": game.seats[seat]["name"], "who": who, "own": True, "until": begin.isoformat()}
    return [letter(game, STAND_IN, seat, now, f"{what}/{begin.isoformat()}", **about)]


def _news_for_programs(events: Sequence[Any]) -> Iterator[str]:
    """What a program may have to act upon, though it is worth no mail."""
    for event in events:
        match event:
            case GameStarted():
                yield "game-started"
            case GameResumed():
                yield "game-resumed"
            case MoveTakenBack():
                yield "move-taken-back"


def note(game: Game | Outline, kind: str, seat: Seat, now: datetime, about: str = "", **data: Any) -> Json:
    """A row for the webhooks of whoever sits there, as `letter` makes one for a mail."""
    row = letter(game, kind, seat, now, about, "webhook", **data)
    return row | {"kind": NOTE, "data": {"kind": kind, **row["data"]}}


def letter(
    game: Game | Outline, kind: str, seat: Seat, now: datetime, about: str = "", channel: str = "mail", **data: Any
) -> Json:
    """A row for the outbox. The dedupe key names kind, version, reader and channel, and what else sets it apart."""
    row = game.seats[seat]
    due_at, turn = row["due_at"], {} if row["turn"] is None else {"turn": row["turn"]}
    return {
        "letter_id": uuid4(),
        "dedupe": f"{kind}/{game.version}/{seat}/{channel}/{about}",
        "kind": kind,
        "version": game.version,
        "seat": seat,
        "player_id": row["player_id"],
        "data": data if due_at is None else {**turn, "due_at": due_at.isoformat(), **data},
        "made_at": now,
    }
