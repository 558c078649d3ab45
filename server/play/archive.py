"""The archive of a finished game, which proves that the game was fair, and the check of an archive, which needs no
database.

/docs/fairness describes the format and the method for authors of other checkers.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import reduce
from hashlib import sha256
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from server.bots import BOTS
from server.durations import duration_text
from server.games import GAMES, Dice, Json, RuleError, Seat, SeededDice, commitment
from server.play.events import (
    GameAbandoned,
    GamePaused,
    GameResumed,
    GameStarted,
    MoveTakenBack,
    SeatHandedOver,
    SeatTakenBack,
    SeatTakenOver,
    StandInBegan,
    StandInEnded,
    TimeExtended,
    TimeRanOut,
)
from server.play.story.line import Line, Link
from server.play.table import OVER, Table, new_table, next_commit, parse_event, terms, type_name
from server.play.timing.time_control import game_clock
from server.play.timing.timeout_policy import Abandon, BotMove, BotTakesOver, Extend, Rung, bot_of, ladder, rung_for
from server.sanitize import clean
from server.store.log import MOMENT, Recorded, canonical, chain_hash, fact
from server.store.rows import GameHead, SeatState
from server.strict_json import read_json

FORMAT, FORMAT_VERSION = "sternenpost-archive", 1
LARGEST = 16 * 1024 * 1024  # bytes; a typical game has 100,000


class Flaw(ValueError):
    """A fault in an archive or a log, described in one sentence. Checks stop at the first fault."""

    def __init__(self, text: str) -> None:
        super().__init__(clean(text, 300))  # the text may quote a forged file


class Start(NamedTuple):
    """The facts that determine a game, apart from its moves."""

    terms: Json
    seed: bytes
    salts: Sequence[str]


class Checked(NamedTuple):
    """A game whose hashes, random draws and events are correct. `drawn` is the number of random words drawn."""

    start: Start
    rows: Sequence[Recorded]
    table: Table
    drawn: int

    @property
    def commitment(self) -> str:
        return commitment(self.start.seed)


# Creation


def make(head: GameHead, seats: Sequence[SeatState], rows: Sequence[Recorded]) -> Json:
    """Return the archive of a stored game. The archive names seats instead of players."""
    kinds = [{"seat": row.seat, "kind": row.kind, "bot": row.bot} for row in seats]
    return archived(start(head, seats), rows) | {"seats": kinds}  # a game that was closed early has open seats


def archived(beginning: Start, rows: Sequence[Recorded]) -> Json:
    """Return the archive of a game that began with these facts, with all seats taken."""
    agreed = dict(beginning.terms)
    bots = agreed.pop("bots")
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **agreed,
        "seats": [
            {"seat": seat, "kind": "human" if bot is None else "bot", "bot": bot} for seat, bot in enumerate(bots)
        ],
        "salts": list(beginning.salts),
        "seed": beginning.seed.hex(),
        "commitment": commitment(beginning.seed),
        "events": [fact(row) | {"hash": row.hash.hex()} for row in rows],
    }


def start(head: GameHead, seats: Sequence[SeatState]) -> Start:
    return Start(terms(head, seats), head.seed, [row.salt for row in seats])


# Check


def check(raw: bytes) -> Checked:
    """Check an archive by replaying its game and recomputing all hashes, and return the game. Raise Flaw if a check
    fails."""
    if len(raw) > LARGEST:
        raise Flaw(f"The archive is larger than {LARGEST // 1024**2} MiB.")
    try:
        beginning, rows = _read(read_json(raw))
    except ValueError as error:
        raise Flaw(str(error)) from None
    table, drawn = replay(beginning, rows)
    if table.status in OVER and not table.turns:
        raise Flaw("The game was closed before it started.")
    if table.status not in OVER:
        raise Flaw(f"The archive stops with event {table.seq}, before the end of the game.")
    return Checked(beginning, rows, table, drawn)


def commits(seed: bytes, rows: Sequence[Recorded]) -> Iterator[list[Recorded]]:
    """Yield the commits of a log in order, and check their numbers and hashes. Raise Flaw if one of them is wrong."""
    hash_, seq = bytes.fromhex(commitment(seed)), 0
    for number, (version, commit) in enumerate(groupby(rows, key=lambda row: row.version), 1):
        of_commit = list(commit)
        for row in of_commit:
            seq += 1
            hash_ = chain_hash(hash_, row)
            if row.seq != seq:
                raise Flaw(f"Event {row.seq} is in the place of event {seq}.")
            if version != number:
                raise Flaw(f"Event {seq}: its version is {version}, but this is commit {number}.")
            if row.recorded_at != of_commit[0].recorded_at:
                raise Flaw(f"Event {seq}: its time differs from the time of its commit.")
            if row.hash != hash_:
                raise Flaw(f"Event {seq} ({row.type}): its hash does not match its content and the previous hash.")
        yield of_commit


def replay(start: Start, rows: Sequence[Recorded]) -> tuple[Table, int]:
    """Return the table after these events, and the number of random words drawn. The rules recompute each commit. Raise
    Flaw at the first difference."""
    _, table, drawn = replayed_line(start, rows)
    return table, drawn


def replayed_line(start: Start, rows: Sequence[Recorded]) -> tuple[Line, Table, int]:
    """Return the line of these events, with what `replay` returns."""
    table, dice, line = new_table(start.terms["rules"]), SeededDice(start.seed, start.salts), Line()
    for commit in commits(start.seed, rows):
        drawn = dice.drawn
        try:
            happened, earlier = [_typed(table, row) for row in commit], None
            if isinstance(happened[0], MoveTakenBack):
                taken_back = _taken_back(table, happened[0], start, line)
                earlier, drawn = taken_back.before, taken_back.drawn
                dice.drawn = drawn
            asked_again = _recompute(table, happened, start, dice)
            events, after = next_commit(table, asked_again, earlier)
        except (Flaw, RuleError) as error:
            raise Flaw(f"Event {commit[0].seq} ({commit[0].type}): {error}") from None
        _compare(commit, events)
        after = after.logged(commit[-1])
        line.add(Link(table, commit, after, drawn))
        table = after
    return line, table, dice.drawn


def _recompute(table: Table, happened: Sequence[Any], start: Start, dice: Dice) -> Sequence[Any]:
    """Return the events that the server and the rules compute for a commit that begins with these events. Raise Flaw or
    RuleError if the rules allow no such commit."""
    match table.status, happened[0]:
        case "open", GameAbandoned():
            return [GameAbandoned()]
        case "open", _:
            seats = len(start.salts)
            return [GameStarted(seats, start.terms), *table.rules.setup(seats, start.terms["options"], dice)]
        case "running", TimeExtended(seat) | TimeRanOut(seat):
            return _time_ran_out(table, seat, happened, start, dice)
        case "running" | "paused", SeatHandedOver(seat):
            _expect_person(table, seat, start)
            return [SeatHandedOver(seat, bot_of(_ladder(start)), "resigned")]
        case "running" | "paused", SeatTakenBack(seat):
            _expect_bot(table, seat)
            began = happened[1:] == [StandInBegan(seat)]
            return [SeatTakenBack(seat), *([StandInBegan(seat)] if began else [])]
        case "running" | "paused", StandInBegan(seat):
            _expect_person(table, seat, start)
            if table.stood_in[seat]:
                raise Flaw("A stand-in is already playing this seat.")
            return [StandInBegan(seat)]
        case "running" | "paused", StandInEnded(seat):
            if seat is None or not table.stood_in[seat]:
                raise Flaw("No stand-in is playing this seat.")
            return [StandInEnded(seat)]
        case "running" | "paused", SeatTakenOver(seat):
            _expect_bot(table, seat)
            return [SeatTakenOver(seat)]
        case "running", MoveTakenBack() as taken_back:
            return [taken_back]
        case "running", GamePaused():
            return [GamePaused()]
        case "paused", GameResumed():
            return [GameResumed()]
        case "running" | "paused", GameAbandoned():
            return [GameAbandoned()]
        case "running", _:
            mover = next((event.seat for event in happened if event.seat is not None), None)
            if mover is not None and (start.terms["bots"][mover] or table.stand_ins[mover]):
                return _bots_turn(table, mover, happened, dice)
            return _moved(table, mover, happened, dice)
        case status, _:
            raise Flaw(f"This can't happen in a game that is {status}.")


def _time_ran_out(table: Table, seat: Seat, happened: Sequence[Any], start: Start, dice: Dice) -> Sequence[Any]:
    _expect_person(table, seat, start)
    if table.turns[seat] is None:
        raise Flaw("It is not this seat's turn.")
    match rung_for(_ladder(start), table.extended[seat], table.missed[seat]):
        case Extend(by):
            return [TimeExtended(seat, duration_text(by))]
        case BotMove(bot):
            if happened[0] != TimeRanOut(seat, bot):
                raise Flaw(f"The bot {bot} must move for this seat.")
            return [TimeRanOut(seat, bot), *_bots_turn(table, seat, happened[1:], dice)]
        case BotTakesOver(bot):
            return [TimeRanOut(seat, None), SeatHandedOver(seat, bot, "time")]
        case Abandon():
            return [TimeRanOut(seat, None), GameAbandoned(seat)]


def _taken_back(table: Table, event: MoveTakenBack, start: Start, line: Line) -> Link:
    """Return the move that this event takes back. Raise Flaw if the move can't be taken back."""
    seat, to = event
    link = line.move_after(to, seat) if type(to) is int else None
    if link is None:
        raise Flaw("This seat made no move there that could be taken back.")
    _expect_person(table, seat, start)
    option = start.terms["options"].get("take_back")
    if option == "never" or (option == "free" and not line.is_free(to, seat)):
        raise Flaw("The options of this game don't allow this move to be taken back.")
    return link


def _moved(table: Table, seat: Seat | None, happened: Sequence[Any], dice: Dice) -> Sequence[Any]:
    rules, seat = table.rules, _on_turn(table, seat)
    move = rules.move_of([event for event in happened if type(event) in rules.EVENTS.values()])
    return rules.decide(table.state, seat, move, dice)


def _bots_turn(table: Table, seat: Seat, happened: Sequence[Any], dice: Dice) -> Sequence[Any]:
    """Play a bot's turn to its end. The first event of each step shows which step the bot chose."""
    _on_turn(table, seat)
    rules, state, events = table.rules, table.state, list[Any]()
    while not events or rules.is_mid_turn(state, seat):
        moved = rules.decide(state, seat, rules.move_of(happened[len(events) :][:1]), dice)
        state = reduce(rules.apply, moved, state)
        events += moved
    return events


def _on_turn(table: Table, seat: Seat | None) -> Seat:
    """Return the seat. Raise Flaw if it isn't the seat's turn."""
    if seat is None or seat not in table.rules.to_act(table.state):
        raise Flaw("It is not this seat's turn.")
    return seat


def _expect_person(table: Table, seat: Seat | None, start: Start) -> None:
    if seat is None or start.terms["bots"][seat] or table.stand_ins[seat]:
        raise Flaw("No person is playing this seat.")


def _expect_bot(table: Table, seat: Seat | None) -> None:
    if seat is None or table.stand_ins[seat] is None:
        raise Flaw("No bot is playing this seat.")


def _ladder(start: Start) -> Sequence[Rung]:
    return ladder(start.terms["on_timeout"], BOTS)


def _typed(table: Table, row: Recorded) -> Any:
    try:
        return parse_event(table.rules, row)
    except KeyError:
        raise Flaw("This event type doesn't exist.") from None
    except TypeError:
        raise Flaw("Its fields are not those of its type.") from None


def _compare(commit: Sequence[Recorded], events: Sequence[Any]) -> None:
    """Raise Flaw at the first event of the commit that differs from the computed event."""
    for row, event in zip_longest(commit, events):
        if event is None:
            raise Flaw(f"Event {row.seq} ({row.type}) does not follow from the events before it.")
        if row is None:
            raise Flaw(f"After event {commit[-1].seq} a {type_name(event)} is missing.")
        found = {"type": row.type, "seat": row.seat, **row.body}
        wanted = {"type": type_name(event), **event._asdict()}
        if canonical(found) == canonical(wanted):  # as JSON: in Python, 1 equals true
            continue
        for name in wanted | found:
            if name not in found or name not in wanted or canonical(found[name]) != canonical(wanted[name]):
                was, should = (canonical(it[name])[:80] if name in it else "missing" for it in (found, wanted))
                raise Flaw(f"Event {row.seq} ({row.type}): {name} is {was} and must be {should}.")


# Parsing: every field must be present, have its type, and make sense

_HEAD: Json = {
    "format": str,
    "format_version": int,
    "game": str,
    "rules": str,
    "options": dict,
    "clock": dict,
    "on_timeout": list,
    "seats": list,
    "salts": list,
    "seed": str,
    "commitment": str,
    "events": list,
}
_SEAT: Json = {"seat": int, "kind": str, "bot": (str, type(None))}
_EVENT: Json = {
    "seq": int,
    "version": int,
    "type": str,
    "seat": (int, type(None)),
    "at": str,
    "body": dict,
    "hash": str,
}


_ALSO: Json = {"salt_hashes": list}  # if a player has committed to a salt


def _read(archive: Any) -> tuple[Start, list[Recorded]]:
    """Parse an archive. Raise ValueError if a field is missing or invalid."""
    _expect_fields(archive, "The archive", _HEAD, _ALSO)
    if (archive["format"], archive["format_version"]) != (FORMAT, FORMAT_VERSION):
        raise Flaw(f"This is not an archive of the format {FORMAT} {FORMAT_VERSION}.")
    if not re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", archive["game"]):
        raise Flaw("The id of the game is not a UUID in lower case.")
    seed = _hex(archive["seed"], "The seed")
    if commitment(seed) != archive["commitment"]:
        raise Flaw("The commitment is not the SHA-256 of the seed.")
    seats = archive["seats"]
    for number, seat in enumerate(seats):
        _expect_fields(seat, f"Seat {number}", _SEAT)
        if seat["seat"] != number or seat["kind"] != ("human" if seat["bot"] is None else "bot"):
            raise Flaw(f"Seat {number} is not described as the seat of a person or a bot.")
    if len(archive["salts"]) != len(seats) or any(type(salt) is not str for salt in archive["salts"]):
        raise Flaw("There must be a salt for each seat, as a string.")
    hashes = archive.get("salt_hashes", [None] * len(seats))
    if len(hashes) != len(seats) or ("salt_hashes" in archive and not any(hashes)):
        raise Flaw("For each seat, there must be the hash of a salt, or null.")
    for number, (salt, hash_) in enumerate(zip(archive["salts"], hashes, strict=True)):
        if hash_ is not None and salt and _hex(hash_, f"Seat {number}: its hash") != sha256(salt.encode()).digest():
            raise Flaw(f"Seat {number}: its salt is not the one that was committed.")
    _check_terms(archive)
    agreed = {
        name: archive[name] for name in ("game", "rules", "options", "clock", "on_timeout", *_ALSO) if name in archive
    }
    agreed["bots"] = [seat["bot"] for seat in seats]
    rows = [_row(event, number, len(seats)) for number, event in enumerate(archive["events"], 1)]
    return Start(agreed, seed, archive["salts"]), rows


def _check_terms(archive: Json) -> None:
    rules = GAMES.get(archive["rules"])
    if rules is None:
        raise Flaw("The rules of this game are not installed.")
    try:
        resolved = rules.resolve_options(archive["options"], len(archive["seats"]))
    except RuleError as error:
        raise Flaw(f"The options: {error.text}") from None
    if canonical(resolved) != canonical(archive["options"]):
        raise Flaw("The options are not complete.")
    game_clock(archive["clock"])
    ladder(archive["on_timeout"], BOTS)
    for seat in archive["seats"]:
        if seat["bot"] is not None and seat["bot"] not in BOTS:
            raise Flaw(f"Seat {seat['seat']}: this bot doesn't exist.")


def _row(event: Any, number: int, seats: int) -> Recorded:
    _expect_fields(event, f"Event {number}", _EVENT)
    if event["seat"] is not None and not 0 <= event["seat"] < seats:
        raise Flaw(f"Event {number}: this seat doesn't exist.")
    return Recorded(
        event["seq"],
        event["version"],
        event["type"],
        event["seat"],
        event["body"],
        _moment(event["at"], f"Event {number}: its time"),
        _hex(event["hash"], f"Event {number}: its hash"),
    )


def _moment(text: str, what: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.strftime(MOMENT) == text:
            return moment.replace(tzinfo=UTC)
    except ValueError:
        pass
    raise Flaw(f"{what} does not have the form 2026-01-31T20:15:00.000000Z.")


def _hex(text: str, what: str) -> bytes:
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise Flaw(f"{what} is not 32 bytes in lower-case hex.")
    return bytes.fromhex(text)


def _expect_fields(data: Any, what: str, fields: Json, also: Json | None = None) -> None:
    """Raise ValueError unless the object has all these fields and no others. `also` are optional fields."""
    if type(data) is not dict:
        raise Flaw(f"{what} is not a JSON object.")
    fields = fields | {name: kind for name, kind in (also or {}).items() if name in data}
    for name in fields | data:
        if name not in data:
            raise Flaw(f"{what} lacks the field {name}.")
        if name not in fields:
            raise Flaw(f"{what} has a field {name!a}, which is not allowed there.")
        allowed = fields[name] if isinstance(fields[name], tuple) else (fields[name],)
        if type(data[name]) not in allowed:
            raise Flaw(f"{what}: {name} has the wrong type.")
