"""The emails that a commit causes. They are queued with the commit, and their text is written when they are sent."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import uuid4, uuid5

from server.accounts.notice_kinds import (
    BOT_MOVED,
    GAME_ABANDONED,
    GAME_ENDED,
    GAME_PAUSED,
    GAME_RESUMED,
    GAME_STARTED,
    MOVE_TAKEN_BACK,
    READY_ASKED,
    SEAT_HANDED_OVER,
    STAND_IN,
    TAKE_BACK_ASKED,
    TIME_EXTENDED,
    VOTE_ASKED,
    VOTE_REFUSED,
    YOUR_TURN,
    NoticeKind,
)
from server.games import Json, Seat
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
from server.store.rows import SeatState
from server.store.webhook_queue import NOTE


class News(NamedTuple):
    """What an email is about, and the seat of its reader. `about` tells emails of one kind and version apart."""

    kind: NoticeKind
    seat: Seat
    data: Mapping[str, Any] = MappingProxyType({})
    about: str = ""


def after(game: Game, events: Sequence[Any], now: datetime, before: Game) -> list[Json]:
    """Return the emails triggered by the commit that produced this state of the game."""
    told = _letters(game, list(_news(game, events, now, before.table)), now, list(_news_for_programs(events)))
    known = list(_letters_of_stand_ins(game, events, now, before))
    return _in_order([*known, *told], now) if known else told


def after_extension(outline: Outline, seat: Seat, by: str, now: datetime) -> list[Json]:
    """Return the emails to send after an extension that led to this state of the game."""
    return _letters(outline, [News(TIME_EXTENDED, seat, {"by": by})], now)


def _letters(
    game: Game | Outline, news: list[News], now: datetime, for_programs: Sequence[NoticeKind] = ()
) -> list[Json]:
    """Return emails whose times are a microsecond apart, so that they are sent and listed in order."""
    told = [letter(game, it, now) for it in news]
    if hooked := [row.seat for row in game.seats if row.person.has_webhooks]:
        mailed = [it for it in news if it.kind not in for_programs]
        news = [News(kind, seat) for kind in for_programs for seat in hooked] + mailed
        told += [note(game, it, now) for it in news if it.seat in hooked]
    return _in_order(told, now)


def _in_order(told: list[Json], now: datetime) -> list[Json]:
    return [row | {"made_at": now + timedelta(microseconds=place)} for place, row in enumerate(told)]


def take_back_letters(game: Game, asked: Json, seats: Sequence[Seat], now: datetime) -> list[Json]:
    """Return emails that ask for consent to a take-back (see `votes_of`)."""
    about = {"by": asked["seat"], "to_version": asked["to"], "ends_at": asked["ends_at"]}
    return _letters(game, [News(TAKE_BACK_ASKED, seat, about) for seat in seats], now)


def vote_letters(game: Game, by: Seat, wish: str, seats: Sequence[Seat], now: datetime) -> list[Json]:
    """Return emails that ask for votes. A request that is repeated at the same version gets emails with the same
    ids."""
    told = _letters(game, [News(VOTE_ASKED, seat, {"by": by, "on": wish}, wish) for seat in seats], now)
    return _with_same_ids(game, told)


def refusal_letters(game: Game, asking: Seat, refusal: Json, now: datetime) -> list[Json]:
    """Return the email that tells a player that another player refuses their request. A repeated refusal at the same
    version gets the same id."""
    about = "{on}/{by}".format_map(refusal)
    return _with_same_ids(game, _letters(game, [News(VOTE_REFUSED, asking, refusal, about)], now))


def _with_same_ids(game: Game, told: list[Json]) -> list[Json]:
    return [it | {"letter_id": uuid5(game.game_id, it["dedupe"])} for it in told]


def ready_check_letters(game: Game, seats: Sequence[Seat], now: datetime) -> list[Json]:
    """Return emails that ask players whether they are ready. Players who have already confirmed get none."""
    return _letters(game, [News(READY_ASKED, seat, about=now.isoformat()) for seat in seats], now)


def _news(game: Game, events: Sequence[Any], now: datetime, before: Table) -> Iterator[News]:
    people = [row.seat for row in game.seats if row.player_id is not None]
    for event in events:
        match event:
            case TimeRanOut(seat, bot) if bot:
                yield News(BOT_MOVED, seat, {"bot": bot})
            case SeatHandedOver(seat, bot, "time"):
                yield News(SEAT_HANDED_OVER, seat, {"bot": bot})
            case SeatTakenBack(seat) if game.seats[seat].asked_at == now:  # the turn began while the bot was playing
                yield News(YOUR_TURN, seat)
            case MoveTakenBack(by):
                turns = enumerate(zip(before.turns, game.table.turns, strict=True))
                gone = [(seat, was) for seat, (was, turn) in turns if was is not None and turn is None]
                gone = [(seat, was) for seat, was in gone if seat in people]
                yield from (News(MOVE_TAKEN_BACK, seat, {"by": by, "gone": was}) for seat, was in gone)
            case GamePaused():
                yield from (News(GAME_PAUSED, seat) for seat in people)
            case GameResumed():
                yield from (News(YOUR_TURN, seat) for seat in people if game.seats[seat].due_at)
            case GameAbandoned():
                yield from (News(GAME_ABANDONED, seat) for seat in people)
            case GameStarted():
                own = [seat for seat in people if game.seats[seat].player_id == game.head.host]
                waits_for_others = any(game.table.turns[seat] for seat in people)  # after a bot, the host may be next
                yield from (News(GAME_STARTED, seat) for seat in own if waits_for_others and not game.table.turns[seat])
    if game.table.status == "finished":
        yield from (News(GAME_ENDED, seat) for seat in people)
    handed_on = {event.seat for event in events if type_name(event) in CHANGES_OF_HANDS}
    for seat in people if game.table.turns else ():
        is_asked = game.table.turns[seat] == game.table.version and not game.bot_at(seat)
        if is_asked and seat in handed_on:
            yield from [News(YOUR_TURN, seat)] if game.table.status == "running" else []
            continue
        if game.seats[seat].planned:  # the worker emails only if the plan doesn't move
            continue
        goes_on = before.turns and before.turns[seat] is not None  # unless a take-back has given the turn back
        if is_asked and not (goes_on and game.table.rules.is_mid_turn(game.table.state, seat)):
            yield News(YOUR_TURN, seat)


def _letters_of_stand_ins(game: Game, events: Sequence[Any], now: datetime, before: Game) -> Iterator[Json]:
    """Yield the emails about stand-ins, both to the seats' players and to the stand-ins."""
    for event in events:
        match event:
            case StandInBegan(seat):
                until = game.seats[seat].stood_in_until
                assert until is not None
                yield from _letters_of_stand_in(game, game.seats[seat], "began", now, until=until.isoformat())
            case StandInEnded(seat):
                yield from _letters_of_stand_in(game, before.seats[seat], "ended", now)


def _letters_of_stand_in(game: Game, row: SeatState, what: str, now: datetime, **more: Any) -> Iterator[Json]:
    """Yield the emails about one stand-in. `row` is the seat while the stand-in plays."""
    assert row.owner is not None
    owner, stand_in = (row.owner_id, row.owner.name), (row.player_id, row.person.name)
    for (reader, name), (_, who) in ((owner, stand_in), (stand_in, owner)):
        about: Json = {"what": what, "name": name, "who": who, "own": reader == row.owner_id, **more}
        yield letter(game, News(STAND_IN, row.seat, about, f"{what}/{reader}"), now) | {"player_id": reader}


def stand_in_letters(game: Game, seat: Seat, who: str, begin: datetime, now: datetime) -> list[Json]:
    """Return the emails that tell a player that their stand-in has accepted."""
    about: Json = {"what": "accepted", "name": game.seats[seat].person.name, "who": who, "own": True}
    about["until"] = begin.isoformat()
    return [letter(game, News(STAND_IN, seat, about, f"accepted/{begin.isoformat()}"), now)]


def _news_for_programs(events: Sequence[Any]) -> Iterator[NoticeKind]:
    """Yield the notices that are sent to programs only, since they aren't worth an email."""
    for event in events:
        match event:
            case GameStarted():
                yield GAME_STARTED
            case GameResumed():
                yield GAME_RESUMED
            case MoveTakenBack():
                yield MOVE_TAKEN_BACK


def note(game: Game | Outline, news: News, now: datetime) -> Json:
    """Return a row for the webhooks of this seat's player, in the format that `letter` returns."""
    row = letter(game, news, now, "webhook")
    return row | {"kind": NOTE, "data": {"kind": news.kind.name, **row["data"]}}


def letter(game: Game | Outline, news: News, now: datetime, channel: str = "mail") -> Json:
    """Return a row for the outbox. Its dedupe key is made of kind, version, reader, channel and `about`."""
    kind, seat, data, about = news
    row = game.seats[seat]
    turn = {} if row.turn is None else {"turn": row.turn}
    times = {} if row.due_at is None else {**turn, "due_at": row.due_at.isoformat()}
    return {
        "letter_id": uuid4(),
        "dedupe": f"{kind.name}/{game.version}/{seat}/{channel}/{about}",
        "kind": kind.name,
        "version": game.version,
        "seat": seat,
        "player_id": row.player_id,
        "data": {**times, **data},
        "made_at": now,
    }
