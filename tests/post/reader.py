"""A reader of letters' plain text alone: what a player hears of the table when the turn letter is read aloud."""

import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes, policy

from server.games import Json
from server.games.sternenglanz.material import CARDS, KIND_OF, PIECES
from server.games.sternenglanz.names import bild_name, copy_name, piece_name, scenario_name
from server.play.commits import load
from server.play.notices import is_outdated
from server.post.batching import recipient
from server.post.letters.compose import Written, compose
from server.store.tables import LetterRow, PlayerLetterRow
from tests.support.live_server import Text

HEADING = re.compile(
    r"^(\d+ possible (?:moves?|first steps?)\b.*|Your only possible move):$", re.MULTILINE
)  # above the moves


def composed(row: LetterRow | PlayerLetterRow, reply_domain: str | None = None) -> Written | None:
    """Return a letter as it is sent now, or None if it is left out."""
    game = load(row.game_id) if isinstance(row, LetterRow) else None
    if game and isinstance(row, LetterRow) and is_outdated(row, game):
        return None
    return compose(row, recipient(row), game, "https://stars.example", reply_domain)


def text_of(letter: LetterRow | PlayerLetterRow) -> Text:
    """Return the plain text of a letter, written now."""
    sent = composed(letter)
    assert sent is not None
    body = message_from_bytes(sent.message, policy=policy.default).get_body(("plain",))
    return Text(body.get_content().replace("\r\n", "\n"))


def moves(text: str) -> list[str]:
    [heading] = HEADING.finditer(text)
    return re.findall(r"^  (\S.*)$", text[heading.end() :].split("How to write")[0], re.MULTILINE)


def told(text: str) -> list[str]:
    """Return the lines of the letter's table, each with its overflow."""
    [moves] = HEADING.finditer(text)
    table = text[text.index("\nThe table:\n") + 1 : moves.start()]
    return re.sub(r"\n {4}(?=\S)", " ", table).splitlines()


def only(pattern: str, lines: Sequence[str]) -> re.Match[str]:
    [found] = [it for line in lines if (it := re.fullmatch(pattern, line))]
    return found


def sky(text: str, names: Sequence[str]) -> Json:
    lines = told(text)
    boards: list[Json] = []
    for line in lines:
        if found := re.fullmatch(r"(\w[\w-]*)(?: \(\w+\))?: prizes \d+, \d+", line):
            boards.append({"board": found[1].lower(), "spaces": {}})
        elif found := re.fullmatch(r"  (\w) (?:large|small): (.+) - next to .+", line):
            boards[-1]["spaces"][found[1]] = _lying(found[2], names)
    seats = [only(rf"{name}: coins (-?\d+), stars in hand (\d+)", lines) for name in names]
    hand = only(r"Your hand: (.+)", lines)[1]
    return {
        "boards": boards,
        "coins": [int(it[1]) for it in seats],
        "hand_sizes": [int(it[2]) for it in seats],
        "hand": [] if hand == "no star" else hand.split(),
        "next": names.index(only("To move: (.+)", lines)[1]),
        "stack": int(only(r"Constellations in the stack: (\d+)", lines)[1]),
    }


def _lying(words: str, names: Sequence[str]) -> Json | None:
    if words == "empty":
        return None
    name, *rest = words.split(", ")
    return {"seat": names.index(name), "star": next((it for it in rest if it != "face down"), None)}


_KINDS = {piece_name(kind, "en"): kind for kind in PIECES}
_COPIES = {copy_name(copy, "en"): copy for copy in KIND_OF}
_BILDER = {bild_name(bild, "en"): bild for bild in CARDS.sternbilder}


def firmament(text: str, names: Sequence[str]) -> Json:
    """Return a seat's view of a Firmament as in the API, without the turn's log beyond used slots."""
    lines = told(text)
    kinds = "|".join(_KINDS)
    lying = [re.fullmatch(rf"  (\w+)(?: \(\+\d\))? ({kinds}) - next to (\w\d.*)", line) for line in lines]
    blocks = [_seat(name, lines) for name in names]
    choosing = [
        it[1].split(", ") for line in lines if (it := re.fullmatch("Still choosing their first cards: (.+)", line))
    ]
    turn = [it for line in lines if (it := re.fullmatch(r"Turn (\d+), to move: (.+)", line))]
    hand = only("Your hand: (.+)", lines)[1]
    scenario = next(line.split(" - goal")[0] for line in lines if " - goal: " in line)
    return {
        "scenario": next(it for it in CARDS.scenarios if scenario_name(it, "en") == scenario),
        "board": {it[1]: _KINDS[it[2]] for it in lying if it},
        "supply": {
            _KINDS[it[1]]: int(it[2]) for it in re.finditer(rf"({kinds}) (\d+)", only("Supply: (.+)", lines)[1])
        },
        "deck": int(only(r"Cards in the deck: (\d+)", lines)[1]),
        **{
            key: [it[key] for it in blocks]
            for key in ("points", "hand_sizes", "discards", "granted", "slots", "own", "done")
        },
        "used": {slot for it in blocks for slot in it["used"]},
        "open": next(
            (_BILDER[it[1]] for line in lines if (it := re.fullmatch(r"Shared constellation: (.+) \(.*", line))), None
        ),
        "hand": [] if hand == "empty" else [_COPIES[it.replace("\u00a0", " ")] for it in hand.split(", ")],
        "chosen": [name not in choosing[0] for name in names] if choosing else None,
        "turn": int(turn[0][1]) if turn else None,
        "next": names.index(turn[0][2]) if turn else None,
    }


def _seat(name: str, lines: Sequence[str]) -> Json:
    head = rf"{name}: points (\d+), cards in hand (\d+), discarded (\d+)(, took a Supernova card)?"
    at = next(i for i, line in enumerate(lines) if re.fullmatch(head, line))
    block = list(_block(lines[at + 1 :]))
    found = re.fullmatch(head, lines[at])
    assert found
    slots = [only(rf"  slot {slot}: (.+?)(, done)?", block) for slot in (1, 2, 3)]
    own = [it[1] for line in block if (it := re.fullmatch(r"  constellation: (.+?)(?: \(.*)?", line))]
    done = [it[1].split(", ") for line in block if (it := re.fullmatch(r"  completed: (.+)", line))]
    return {
        "points": int(found[1]),
        "hand_sizes": int(found[2]),
        "discards": int(found[3]),
        "granted": bool(found[4]),
        "slots": [it[1] for it in slots],
        "used": [slot for slot, it in zip((1, 2, 3), slots, strict=True) if it[2]],
        "own": _BILDER.get(own[0], own[0]) if own else None,
        "done": [_BILDER[it] for it in done[0]] if done else [],
    }


def _block(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line:
            return
        yield line
