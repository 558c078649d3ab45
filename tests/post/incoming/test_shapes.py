"""Generated emails as many programs write them: nearly all clear moves are played, and hostile emails do nothing.

`python -m tests.post.incoming.test_shapes [N]` prints the figures, and the emails whose moves were not played.
"""

import sys
from collections.abc import Iterator
from random import Random

import pytest

from server.games import GAMES
from server.post.incoming.replies import acting_keys, parse, read, understand
from tests.post.incoming.replies import shapes
from tests.post.incoming.replies.make import plain
from tests.post.incoming.replies.programs import ADA

SETS = {"tuned": shapes.TUNED, "held-out": shapes.HELD_OUT, "more": shapes.MORE}
MAILS = 1000
PLAYED = 990


def outcome(mail: shapes.Mail) -> tuple[str | None, str]:
    """The move that is played, or None and why not."""
    rules, found = GAMES[mail.game], read(mail.raw, known=ADA)
    letter = shapes.LETTERS[mail.game].replace("Have fun!", f"  {mail.move}\n\nHave fun!").split("\n")
    before = acting_keys(parse(read(plain(mail.before)), rules)) if mail.before else set()
    wished = understand(parse(found, rules), letter, stood=before.__contains__)
    if found.sender is None or found.sender.lower() != ADA:
        return None, "sender"
    return wished.move, f"{found.doubt or wished.problem}: {wished.line}"


def asked(name: str, mails: int) -> Iterator[tuple[int, str, bytes]]:
    for seed in range(mails):
        mail = shapes.clear(Random(seed), SETS[name])
        played, why = outcome(mail)
        rules = GAMES[mail.game]
        if played != rules.write_move(rules.read_move(mail.move)):
            yield seed, why, mail.raw


def acted(name: str, mails: int) -> Iterator[tuple[int, str, bytes]]:
    for seed in range(mails):
        mail = shapes.hostile(Random(seed), SETS[name])
        played, _ = outcome(mail)
        if played is not None:
            yield seed, played, mail.raw


@pytest.mark.parametrize("name", SETS)
def test_nearly_all_unambiguous_moves_are_played_in_many_mail_programs_formats(name: str) -> None:
    missed = [(seed, why) for seed, why, _ in asked(name, MAILS)]
    assert len(missed) <= MAILS - PLAYED, missed[:20]


@pytest.mark.parametrize("name", SETS)
def test_hostile_emails_in_many_mail_programs_formats_never_take_effect(name: str) -> None:
    assert [(seed, move) for seed, move, _ in acted(name, MAILS)] == []


if __name__ == "__main__":
    mails = int(sys.argv[1]) if len(sys.argv) > 1 else MAILS
    for name in SETS:
        missed, done = list(asked(name, mails)), list(acted(name, mails))
        print(
            f"{name}: {mails - len(missed)} of {mails} clear moves played; {len(done)} of {mails} hostile mails acted"
        )
        for seed, why, _ in [*missed, *done]:
            print(f"  seed {seed}: {why}")
