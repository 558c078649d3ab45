"""Archives replay their game and expose every change."""

import copy
import hashlib
import json
import re
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from click.testing import Result
from flask import Flask

from server.games import GAMES, Json
from server.games.sternenhimmel.material import BOARDS
from server.play.archive import LARGEST, Flaw, check
from tests.support.archives import archive, as_file, change_order, first, long, new_seed, rehash, say_more
from tests.support.commands import ask
from tests.support.random_games import archives

assert archive and long  # fixtures


def flaw(archive: Json) -> str:
    """Return the error of the check, which must find one."""
    with pytest.raises(Flaw) as found:
        check(as_file(archive))
    return str(found.value)


# Contents of an archive


def test_a_game_can_be_verified_from_its_archive_alone(archive: Json) -> None:
    checked = check(as_file(archive))
    assert checked.table.status in ("finished", "abandoned")
    assert len(checked.rows) == len(archive["events"])


def test_the_recorded_long_night_game_contains_every_kind_of_server_event(long: Json) -> None:
    assert {event["type"] for event in long["events"]} >= {
        *("time-extended", "time-ran-out", "seat-handed-over", "seat-taken-back"),
        *("move-taken-back", "game-paused", "game-resumed", "game-ended"),
    }


def test_players_can_resign_and_return_during_a_pause(long: Json) -> None:
    pause = long["events"][first(long, "game-paused") : first(long, "game-resumed") + 1]
    assert [event["type"] for event in pause] == ["game-paused", "seat-handed-over", "seat-taken-back", "game-resumed"]
    check(as_file(long))


def test_an_archive_names_seats_but_no_people(archive: Json) -> None:
    assert not re.search('"(ada|bea|cyd|host)"|@|example', json.dumps(archive | {"salts": []}))


def test_recomputing_the_hashes_of_an_unchanged_archive_changes_nothing(long: Json) -> None:
    assert rehash(copy.deepcopy(long)) == long


# One field changed


def another(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return ("0" if value[:1] != "0" else "1") + value[1:]
        case list():
            return [*value, value[0]] if value else [0]
        case dict():
            return value | {"more": 0}
        case _:
            return 0


HEAD: dict[str, Callable[[Json], Any]] = {
    "format": lambda it: "another",
    "format_version": lambda it: 2,
    "game": lambda it: str(uuid4()),
    "rules": lambda it: next(name for name in GAMES if name != it["rules"]),
    "options": lambda it: it["options"] | {"start_seat": 1},
    "clock": lambda it: {"per_move": "P3D"},
    "on_timeout": lambda it: it["on_timeout"][1:],
    "seats": lambda it: [*it["seats"][:3], {"seat": 3, "kind": "bot", "bot": "random"}],
    "salts": lambda it: [it["salts"][0], "Grusse", *it["salts"][2:]],
    "seed": lambda it: bytes(32).hex(),
    "commitment": lambda it: hashlib.sha256(bytes(32)).hexdigest(),
    "events": lambda it: it["events"][:-1],
}


@pytest.mark.parametrize("field", HEAD)
def test_verifying_an_archive_detects_a_change_in_any_field_of_the_game(long: Json, field: str) -> None:
    assert set(HEAD) == set(long)
    assert flaw(long | {field: HEAD[field](long)})
    assert flaw(rehash(long | {field: HEAD[field](long)}))


@pytest.mark.parametrize("field", ["seat", "kind", "bot"])
@pytest.mark.parametrize("seat", [0, 3])
def test_verifying_an_archive_detects_a_change_in_any_field_of_a_seat(long: Json, seat: int, field: str) -> None:
    long["seats"][seat][field] = another(long["seats"][seat][field])
    assert flaw(long)


@pytest.mark.parametrize(
    ("seat", "other"), [(0, {"kind": "bot", "bot": "greedy"}), (3, {"kind": "human", "bot": None})]
)
def test_verifying_an_archive_detects_that_a_person_and_a_bot_were_swapped(long: Json, seat: int, other: Json) -> None:
    long["seats"][seat] |= other
    assert "terms" in flaw(long)


def test_verifying_an_archive_detects_a_change_in_any_field_of_an_event_even_with_recomputed_hashes(long: Json) -> None:
    firsts = {event["type"]: place for place, event in reversed(list(enumerate(long["events"])))}
    for place in firsts.values():
        event = long["events"][place]
        for number, name in enumerate(event["body"]):
            changed = copy.deepcopy(long)
            changed["events"][place]["body"][name] = another(event["body"][name])
            if number == 0:  # the hash covers the whole body
                assert f"Event {event['seq']}" in flaw(changed)
            assert flaw(rehash(changed))
    for place in {min(firsts.values()), *sorted(firsts.values())[-2:]}:  # these fields mean the same in all events
        event = long["events"][place]
        commit = [other["seq"] for other in long["events"] if other["version"] == event["version"]]
        named = "|".join(map(str, {event["seq"] - 1, *commit}))
        for name in event:
            changed = copy.deepcopy(long)
            changed["events"][place][name] = another(event[name])
            if name == "at":
                changed["events"][place][name] = event[name].replace("20", "21", 1)
            assert re.search(rf"event ({named})\b", flaw(changed), re.IGNORECASE)
            if name != "hash" and not (name == "at" and len(commit) == 1):
                assert flaw(rehash(changed))


def test_values_that_compare_equal_only_in_some_programming_languages_count_as_different(long: Json) -> None:
    shuffled = next(event for event in long["events"] if event["body"].get("start") == 0)
    for same in (False, 0.0):
        shuffled["body"]["start"] = same
        assert "start" in flaw(rehash(long))


def change_by_chance(rng: Random, place: Any) -> None:
    where = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
    if isinstance(place[where], dict | list) and place[where] and rng.random() < 0.95:
        change_by_chance(rng, place[where])
    else:
        place[where] = rng.choice([None, True, 0, -1, 1.5, "", "leo", [], {}, [[]], {"seat": 1}, another(place[where])])


def test_verifying_an_archive_detects_any_randomly_changed_value(long: Json) -> None:
    rng = Random(1)
    for _ in range(40):
        changed = copy.deepcopy(long)
        change_by_chance(rng, changed if rng.random() < 0.3 else changed["events"])
        if changed != long:
            assert len(flaw(changed)) <= 300


def test_any_randomly_changed_event_value_is_found_despite_recomputed_hashes(long: Json) -> None:
    rng = Random(2)
    for _ in range(40):
        changed = copy.deepcopy(long)
        while not (body := rng.choice(changed["events"])["body"]):
            pass
        change_by_chance(rng, body)
        if changed != long:
            assert len(flaw(rehash(changed))) <= 300


# Another story with matching hashes


def body(archive: Json, type_: str, nth: int = 0) -> Json:
    found: Json = archive["events"][first(archive, type_, nth)]["body"]
    return found


def commit(archive: Json, type_: str, nth: int = 0) -> slice:
    """Return the commit that begins with this event."""
    begin = first(archive, type_, nth)
    version = archive["events"][begin]["version"]
    return slice(begin, begin + sum(event["version"] == version for event in archive["events"]))


def numbered(archive: Json) -> None:
    """Number the events without gaps, keeping commits together."""
    version, last = 0, None
    for seq, event in enumerate(archive["events"], 1):
        version, last = (version, last) if event["version"] == last else (version + 1, event["version"])
        event |= {"seq": seq, "version": version}


def put_in(archive: Json, place: int, type_: str, seat: int | None = None, **fields: Any) -> None:
    """Insert a commit of one event before this place."""
    after = archive["events"][place - 1]
    event = {"seq": 0, "version": 0.5, "type": type_, "seat": seat, "at": after["at"], "body": fields, "hash": "0" * 64}
    archive["events"].insert(place, event)
    numbered(archive)


def taken_back_twice(archive: Json) -> None:
    place = first(archive, "move-taken-back")
    event = archive["events"][place]
    put_in(archive, place + 1, event["type"], event["seat"], **event["body"])


def with_take_backs(choice: str, archive: Json) -> None:
    for options in (archive["options"], body(archive, "game-started")["terms"]["options"]):
        options["take_back"] = choice
    archive["events"][1]["body"]["options"]["take_back"] = choice


def drop(archive: Json, events: slice) -> None:
    del archive["events"][events]
    numbered(archive)


def swap(archive: Json, one: slice, other: slice) -> None:
    events = archive["events"]
    archive["events"] = [
        *events[: one.start],
        *events[other],
        *events[one.stop : other.start],
        *events[one],
        *events[other.stop :],
    ]
    numbered(archive)


def swap_hidden_stars(archive: Json) -> None:
    """Swap two face-down stars of a seat on one board, leaving the scoring as it was."""
    placed = [event for event in archive["events"] if event["type"] == "star-placed"]
    hidden = [(it["seat"], it["body"]) for it in placed if is_large(it["body"]["board"], it["body"]["space"])]
    one, other = next(
        (one, other)
        for (seat, one), (owner, other) in combinations(hidden, 2)
        if seat == owner and one["board"] == other["board"] and one["star"] != other["star"]
    )
    one["star"], other["star"] = other["star"], one["star"]


def is_large(board: str, space: str) -> bool:
    return BOARDS[board].spaces[space].size == "large"


def pay_more(archive: Json) -> None:
    scored = next(e["body"] for e in archive["events"] if e["type"] == "board-scored" and e["body"]["transfers"])
    transfer = scored["transfers"][0]
    transfer["amount"] += 1
    scored["payouts"][transfer["to"]] += 1
    scored["bank"] += 1


def hand_on(archive: Json) -> None:
    placed = body(archive, "star-placed")
    placed["next"] = (placed["next"] + 1) % 4


def a_star_twice(archive: Json) -> None:
    """Play five sevens in a row from one hand."""
    seat = archive["events"][first(archive, "star-placed")]["seat"]
    for event in archive["events"]:
        if event["type"] == "star-placed" and event["seat"] == seat:
            event["body"]["star"] = "7"


def on_a_taken_space(archive: Json) -> None:
    one, other = body(archive, "move"), body(archive, "move", 1)
    other |= {"board": one["board"], "space": one["space"]}


def out_of_turn(archive: Json) -> None:
    event = archive["events"][first(archive, "move", 6)]
    event["seat"] = (event["seat"] + 1) % 4


def split(archive: Json) -> None:
    moves = [commit(archive, "move", nth) for nth in range(4, 30)]
    long = next(it for it in moves if it.stop - it.start > 1)
    for event in archive["events"][long.start + 1 :]:
        event["version"] += 1


def merge(archive: Json) -> None:
    """Merge two commits of different seats, since one's own steps may be one move."""
    events = archive["events"]
    moves = [commit(archive, "move", nth) for nth in range(20, 30)]
    one = next(it for it in moves if events[it.start]["seat"] != events[it.stop]["seat"])
    both = events[one.stop]["version"]
    for event in archive["events"][one.stop :]:
        event["version"] -= 1
        if event["version"] == both - 1:
            event["at"] = archive["events"][one.start]["at"]


def settings(archive: Json) -> None:
    """Change the terms in the head and in the log."""
    terms = body(archive, "game-started")["terms"]
    archive["on_timeout"] = terms["on_timeout"] = [{"do": "abandon"}]


def other_start(archive: Json) -> None:
    for it in (archive, body(archive, "game-started")["terms"], archive["events"][1]["body"]):
        it["options"] |= {"start_seat": 1}


def other_direction(archive: Json) -> None:
    for it in (archive, body(archive, "game-started")["terms"], archive["events"][1]["body"]):
        it["options"] |= {"direction": "clockwise"}


Retold = dict[str, tuple[Callable[[Json], Any], str]]
OF_ANY_GAME: Retold = {
    "another seed": (new_seed, r"Event 2 .*-shuffled"),
    "no salts": (lambda it: it.update(salts=[""] * 4), r"Event 2 .*-shuffled"),
    "two salts swapped": (lambda it: it["salts"].reverse(), r"Event 2 .*-shuffled"),
    "another order": (change_order, r"Event 2 .*(order|deck)"),
    "another start seat": (lambda it: it["events"][1]["body"].update(start=9), "start is 9"),
    "out of turn": (out_of_turn, "not this seat's turn"),
    "a missing move": (lambda it: drop(it, commit(it, "move", 7)), "Event"),
    "a duplicate move": (
        lambda it: put_in(
            it,
            first(it, "move", 6),
            it["events"][first(it, "move", 5)]["type"],
            it["events"][first(it, "move", 5)]["seat"],
            **body(it, "move", 5),
        ),
        "Event",
    ),
    "two moves swapped": (lambda it: swap(it, commit(it, "move", 5), commit(it, "move", 6)), "Event"),
    "one commit split in two": (split, "missing|follow"),
    "two commits merged": (merge, "does not follow|Step|not this seat's turn"),
    "more time than agreed": (lambda it: body(it, "time-extended").update(by="P9D"), "by is .P9D"),
    "a second extension": (
        lambda it: put_in(it, first(it, "time-ran-out"), "time-extended", 1, by="P1D"),
        "bot greedy must move",
    ),
    "an extension for no seat": (lambda it: put_in(it, first(it, "move"), "time-extended", by="P1D"), "No person"),
    "an extension for a bot": (lambda it: put_in(it, first(it, "move"), "time-extended", 3, by="P1D"), "No person"),
    "a missing extension": (lambda it: drop(it, commit(it, "time-extended")), "Event"),
    "the wrong bot moved": (lambda it: body(it, "time-ran-out").update(bot="random"), "The bot greedy must move"),
    "a bot moved too early": (lambda it: drop(it, commit(it, "time-ran-out")), "Event"),
    "the wrong bot took over": (lambda it: body(it, "seat-handed-over").update(bot="random"), "bot is"),
    "a time-out recorded as a resignation": (lambda it: body(it, "seat-handed-over").update(why="resigned"), "why is"),
    "a resignation recorded as a time-out": (lambda it: body(it, "seat-handed-over", 1).update(why="time"), "why is"),
    "a bot's seat handed over": (
        lambda it: put_in(it, first(it, "game-paused"), "seat-handed-over", 3, bot="greedy", why="resigned"),
        "No person",
    ),
    "a seat handed over twice": (
        lambda it: put_in(it, first(it, "seat-handed-over") + 1, "seat-handed-over", 1, bot="greedy", why="resigned"),
        "No person",
    ),
    "a return without a departure": (lambda it: put_in(it, first(it, "time-extended"), "seat-taken-back", 1), "No bot"),
    "a take-back past another player's move": (
        lambda it: it["events"][first(it, "move-taken-back")].update(
            seat=(it["events"][first(it, "move-taken-back")]["seat"] + 1) % 3
        ),
        "no move there",
    ),
    "a take-back to an unknown version": (lambda it: body(it, "move-taken-back").update(to=9999), "no move there"),
    "a take-back to an invalid version": (lambda it: body(it, "move-taken-back").update(to=True), "no move there"),
    "a move taken back twice": (taken_back_twice, "no move there"),
    "a take-back in a game without take-backs": (partial(with_take_backs, "never"), "options of this game"),
    "a take-back by consent in a game with free ones only": (partial(with_take_backs, "free"), "options of this game"),
    "a move during a pause": (
        lambda it: swap(
            it, commit(it, "game-resumed"), slice(first(it, "game-resumed") + 1, first(it, "game-resumed") + 2)
        ),
        "paused",
    ),
    "a pause during a pause": (lambda it: put_in(it, first(it, "game-resumed"), "game-paused"), "paused"),
    "a resumption without a pause": (lambda it: put_in(it, first(it, "game-paused"), "game-resumed"), "Event"),
    "other scores": (lambda it: body(it, "game-ended")["scores"].append(0), "scores"),
    "other places": (lambda it: body(it, "game-ended").update(places=[1, 1, 1, 1]), "places"),
    "no end": (lambda it: it["events"].pop(), "a game-ended is missing"),
    "a game that stops before its end": (lambda it: drop(it, slice(first(it, "game-paused"), None)), "before the end"),
    "an early end": (
        lambda it: put_in(it, first(it, "game-paused"), "game-ended", scores=[1, 0, 0, 0], places=[1, 2, 2, 2]),
        "Event",
    ),
    "an event after the end": (lambda it: put_in(it, len(it["events"]), "game-abandoned"), "finished"),
    "a game that starts twice": (
        lambda it: put_in(it, 1, "game-started", seats=4, terms=body(it, "game-started")["terms"]),
        "shuffled is missing",
    ),
    "a game that never starts": (lambda it: drop(it, slice(0, 1)), "game-started"),
    "an unknown event": (lambda it: put_in(it, first(it, "game-paused"), "star-stolen", 1), "type doesn't exist"),
    "an event of another game": (
        lambda it: it["events"][first(it, "move")].update(type=OF_THE_OTHER[it["rules"]]),
        "type",
    ),
    "an additional field": (say_more, "not those of its type"),
    "a missing field": (lambda it: body(it, "move").popitem(), "not those of its type"),
    "an unknown seat": (lambda it: it["events"][first(it, "move")].update(seat=4), "seat doesn't exist"),
    "other terms": (settings, "time-extended"),
    "other options": (other_start, "Event"),
}
OF_THE_OTHER = {"sternenhimmel": "star-laid", "sternenglanz": "star-placed"}
OF_STERNENHIMMEL: Retold = {
    "another board dealt": (
        lambda it: body(it, "board-dealt", 5).update(board=body(it, "board-dealt")["board"]),
        "board-dealt.*board is",
    ),
    "another slot": (lambda it: body(it, "board-dealt", 5).update(slot=9), "slot is 9"),
    "the wrong seat on turn": (hand_on, "next is"),
    "a star not in hand": (a_star_twice, "You have no 7"),
    "a taken space": (on_a_taken_space, "already holds a star"),
    "an unknown space": (lambda it: body(it, "star-placed").update(space="z"), "no such space"),
    "an unknown kind of star": (lambda it: body(it, "star-placed").update(star="moon"), "star doesn't exist"),
    "a malformed move": (lambda it: body(it, "star-placed").update(star=[]), "must be of type `string`"),
    "two hidden stars swapped": (swap_hidden_stars, "Event"),
    "an additional coin": (pay_more, "transfers|payouts"),
    "another ranking": (lambda it: body(it, "board-scored")["ranking"].append([]), "ranking"),
    "a missing scoring": (
        lambda it: drop(it, slice(first(it, "board-scored"), first(it, "board-scored") + 1)),
        "board-scored",
    ),
    "a duplicate scoring": (
        lambda it: (
            it["events"].insert(first(it, "board-scored"), it["events"][first(it, "board-scored")].copy()),
            numbered(it),
        ),
        "Event",
    ),
    "a skip without a reason": (lambda it: put_in(it, first(it, "move", 1), "seat-skipped", 1), "Event"),
    "another direction": (other_direction, "next is|Event"),
}


def without(archive: Json, type_: str, nth: int = 0) -> None:
    """Leave out one event of a commit."""
    place = first(archive, type_, nth)
    drop(archive, slice(place, place + 1))


def exchanged(archive: Json, type_: str, field: str) -> None:
    one, other = body(archive, type_), body(archive, type_, 1)
    one[field], other[field] = other[field], one[field]


def laid_elsewhere(archive: Json) -> None:
    body(archive, "star-laid")["field"] = body(archive, "star-laid", 1)["field"]


def chosen_in_other_slots(archive: Json) -> None:
    """Let the first player choose the first two cards in swapped slots."""
    event = archive["events"][first(archive, "cards-chosen")]
    chosen = event["body"]
    chosen["slot2"], chosen["slot3"] = chosen["slot3"], chosen["slot2"]
    body(archive, "choices-shown")["choices"][event["seat"]].reverse()


def swapped_in_the_deck(archive: Json) -> None:
    """Swap two cards that are still in the deck at the start."""
    deck = body(archive, "cards-shuffled")["deck"]
    deck[30], deck[31] = deck[31], deck[30]


def another_path(archive: Json) -> None:
    path = body(archive, "star-moved")["path"]
    path[-1] = path[0]


def with_a_finish(archive: Json) -> None:
    """Let a player stop after the slots performed so far, which is illegal."""
    place = first(archive, "star-laid")
    put_in(archive, place + 1, "act-finished", archive["events"][place]["seat"])


OF_STERNENGLANZ: Retold = {
    "another card dealt": (lambda it: exchanged(it, "hand-dealt", "cards"), "hand-dealt.*cards is"),
    "two cards in the deck swapped": (swapped_in_the_deck, r"Event 2 .*deck"),
    "another Sternbild drawn": (lambda it: exchanged(it, "sternbild-drawn", "sternbild"), "sternbild is"),
    "a secret Sternbild drawn face up": (lambda it: body(it, "sternbild-drawn").update(open=True), "open is"),
    "a missing Supernova card": (lambda it: body(it, "cards-shuffled")["reserve"].pop(), "reserve"),
    "another start field": (lambda it: body(it, "cards-shuffled").update(field="b1"), "field is .b1"),
    "the first two cards swapped": (chosen_in_other_slots, "Event"),
    "a first card not in hand": (lambda it: exchanged(it, "cards-chosen", "slot2"), "not in your hand"),
    "an unknown card": (lambda it: body(it, "cards-chosen").update(slot2="joker#1"), "card doesn't exist"),
    "a card for both slots": (
        lambda it: body(it, "cards-chosen").update(slot3=body(it, "cards-chosen")["slot2"]),
        "different cards",
    ),
    "the wrong first cards shown": (lambda it: body(it, "choices-shown")["choices"].reverse(), "choices is"),
    "the first cards not shown": (lambda it: without(it, "choices-shown"), "choices-shown is missing|must be"),
    "the first cards shown too early": (
        lambda it: put_in(it, first(it, "move", 1), "choices-shown", choices=[]),
        "not this seat's turn",
    ),
    "another seat's turn": (
        lambda it: it["events"][first(it, "turn-began", 3)].update(
            seat=(it["events"][first(it, "turn-began", 3)]["seat"] + 1) % 4
        ),
        "seat is",
    ),
    "a turn not counted": (lambda it: body(it, "turn-began", 3).update(turn=9), "turn is 9"),
    "an additional point": (lambda it: body(it, "star-laid").update(points=7), "points is 7"),
    "a star on another star's field": (laid_elsewhere, "Event"),
    "a star of a higher class": (
        lambda it: body(it, "star-laid").update(star="pracht"),
        "needs at least 3|There is no star next to",
    ),
    "a star of no class": (lambda it: body(it, "star-laid").update(star="moon"), "class of stars doesn't exist"),
    "an unknown field": (lambda it: body(it, "star-laid").update(field="z9"), "no such space"),
    "an unknown slot": (lambda it: body(it, "star-laid").update(slot=4), "slot doesn't exist"),
    "another slot": (lambda it: body(it, "star-laid").update(slot=body(it, "star-laid")["slot"] % 3 + 1), "Event"),
    "another card in the slot": (lambda it: body(it, "star-laid").update(card="supernova#4"), "card is"),
    "a move along another path": (another_path, "Event"),
    "a longer move": (lambda it: body(it, "star-moved")["path"].append("a1"), "Event"),
    "a star that moves as another class": (lambda it: body(it, "star-moved").update(star="pracht"), "star is .pracht"),
    "a turn finished after one slot": (with_a_finish, "Event|is missing"),
    "slots not shifted": (lambda it: without(it, "cards-shifted", 1), "Event"),
    "other slots after the shift": (lambda it: body(it, "cards-shifted", 1)["slots"].reverse(), "slots is"),
    "another card discarded": (lambda it: body(it, "cards-shifted", 1).update(discarded=[]), "discarded is"),
    "a card played that is not in hand": (lambda it: exchanged(it, "cards-laid", "slot2"), "Event"),
    "a dropped Supernova card that was not there": (
        lambda it: body(it, "cards-laid").update(dropped="supernova#1"),
        "There is no Supernova card in slot 1",
    ),
    "another card drawn": (
        lambda it: body(it, "cards-drawn")["cards"].reverse() or exchanged(it, "cards-drawn", "cards"),
        "cards is",
    ),
    "an additional card drawn": (lambda it: body(it, "cards-drawn")["cards"].append("geburt#1"), "cards is"),
    "no card drawn": (lambda it: without(it, "cards-drawn"), "Event"),
    "cards drawn by another seat": (
        lambda it: it["events"][first(it, "cards-drawn")].update(
            seat=(it["events"][first(it, "cards-drawn")]["seat"] + 1) % 4
        ),
        "seat is",
    ),
    "a Supernova granted for nothing": (
        lambda it: put_in(it, first(it, "move", 6), "supernova-granted", 0, card="supernova#1"),
        "Event",
    ),
    "a Sternbild completed for nothing": (
        lambda it: put_in(it, first(it, "move", 6), "sternbild-completed", 0, sternbild="anker", fields=[], points=5),
        "Event",
    ),
    "another reason for the decision": (lambda it: body(it, "game-decided").update(reason="luck"), "reason is"),
    "the wrong winners": (lambda it: body(it, "game-decided")["winners"].append(9), "winners"),
    "another Sternbild at the end": (lambda it: body(it, "game-decided")["sternbilder"].reverse(), "sternbilder"),
    "a missing decision": (lambda it: without(it, "game-decided"), "Event"),
}
RETOLD: dict[str, Retold] = {
    "sternenhimmel": OF_ANY_GAME | OF_STERNENHIMMEL,
    "sternenglanz": OF_ANY_GAME | OF_STERNENGLANZ,
}


@pytest.mark.parametrize(("game", "story"), [(game, story) for game, stories in RETOLD.items() for story in stories])
def test_a_different_sequence_of_events_is_rejected_even_though_its_hashes_match(
    session_app: Flask, game: str, story: str
) -> None:
    retold = copy.deepcopy(archives(session_app)[f"{game} long"])
    retell, why = RETOLD[game][story]
    retell(retold)
    assert re.search(why, flaw(rehash(retold)))


def test_the_first_error_is_named(long: Json) -> None:
    _, seq, _ = [say_more(long, nth) for nth in (20, 10, 30)]
    type_ = long["events"][seq - 1]["type"]
    assert flaw(long) == f"Event {seq} ({type_}): its hash does not match its content and the previous hash."
    assert flaw(rehash(long)) == f"Event {seq} ({type_}): Its fields are not those of its type."


# Invalid archives

MALFORMED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "JSON is invalid"),
    "a picture": (b"\x89PNG\r\n", "not UTF-8"),
    "half a file": (b'{"format": "sternenpost-archive"', "JSON is invalid"),
    "a list": (b"[]", "not a JSON object"),
    "an empty object": (b"{}", "lacks the field format"),
    "a key twice": (b'{"format": 1, "format": 2}', "appears twice"),
    "NaN": (b'{"format": NaN}', "NaN is not JSON"),
    "a huge number": (b"9" * 5000, "more than 15 digits"),
    "deep nesting": (b"[" * 100_000, "Nested more"),
    "too large": (b" " * (LARGEST + 1), "larger than 16 MiB"),
    "a lone surrogate": (b'{"format": "\\ud800"}', "lone surrogate"),
    "escape sequences": (b'{"\\u001b[31m": 1}', "lacks the field"),
}


def verify(tmp_path: Path, raw: bytes, *more: str) -> Result:
    """Run the command without a database or valid settings."""
    path = tmp_path / "archive.json"
    path.write_bytes(raw)
    return ask("verify", path, *more, DATABASE_URL="nonsense")


@pytest.mark.parametrize("name", MALFORMED)
def test_a_file_that_is_not_an_archive_is_rejected_with_an_explanation(tmp_path: Path, name: str) -> None:
    raw, why = MALFORMED[name]
    answer = verify(tmp_path, raw)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert re.fullmatch(r"Error: [ -~]+\n", answer.stderr)
    assert why in answer.stderr


@pytest.mark.parametrize("value", [None, True, 1, "x", [], {}, [1], {"x": 1}, [[]], [{}]], ids=json.dumps)
def test_a_field_of_the_wrong_type_is_rejected_with_an_explanation(long: Json, value: Any) -> None:
    for field in long:
        if value != long[field]:
            assert flaw(long | {field: value})
    for field in long["events"][7]:
        if json.dumps(value) != json.dumps(long["events"][7][field]):
            changed = copy.deepcopy(long)
            changed["events"][7][field] = value
            assert flaw(changed)


# The command


def test_verify_reports_that_an_archive_is_correct(tmp_path: Path, archive: Json) -> None:
    answer = verify(tmp_path, as_file(archive))
    assert answer.exit_code == 0
    assert f"Game {archive['game']} " in answer.stdout
    assert f"all {len(archive['events'])} events are correct." in answer.stdout
    assert archive["commitment"] in answer.stdout


def test_verify_reports_what_is_wrong_with_an_archive(tmp_path: Path, long: Json) -> None:
    seq = say_more(long)
    answer = verify(tmp_path, as_file(rehash(long)))
    assert answer.exit_code == 1
    assert re.fullmatch(rf"Error: Event {seq} \([a-z-]+\): Its fields are not those of its type\.\n", answer.stderr)


def test_only_a_saved_commitment_distinguishes_a_real_game_from_a_made_up_one(
    tmp_path: Path, session_app: Flask
) -> None:
    game, made_up = (archives(session_app)[f"sternenglanz {night}"] for night in ("long", "of bots"))
    assert verify(tmp_path, as_file(made_up)).exit_code == 0
    answer = verify(tmp_path, as_file(made_up), "--commitment", game["commitment"])
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert game["commitment"].upper() != game["commitment"]
    assert verify(tmp_path, as_file(game), "--commitment", game["commitment"].upper()).exit_code == 0
