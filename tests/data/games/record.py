"""Record a whole game between bots: every later release must replay it to the same end.

python -m tests.data.games.record sternenhimmel 4 '{"edition": "sargon-it"}' >
tests/data/games/sternenhimmel-sargon-it.json
"""

import json
import sys
from hashlib import sha256
from itertools import cycle
from random import Random

from server.bots import BOTS
from server.games import GAMES, Json, SeededDice


def record(name: str, seats: int, options: Json) -> Json:
    rules = GAMES[name]
    names = {event: word for word, event in rules.EVENTS.items()}
    seed = sha256(json.dumps([name, seats, options]).encode()).digest()
    salts = [f"salt {seat}" for seat in range(seats)]
    dice, rng = SeededDice(seed, salts), Random(seed)
    bots = [bot for _, bot in zip(range(seats), cycle((BOTS["greedy"], BOTS["random"])), strict=False)]
    events = rules.setup(seats, options, dice)
    state, moves = None, []
    for event in events:
        state = rules.apply(state, event)
    while waiting := rules.to_act(state):
        seat = min(waiting)
        move = bots[seat](rules, rules.view(state, seat), rules.legal_moves(state, seat), rng)
        moves.append({"seat": seat, "move": rules.write_move(move)})
        for event in rules.decide(state, seat, move, dice):
            state = rules.apply(state, event)
            events.append(event)
    outcome = rules.outcome(state)
    assert outcome is not None
    return {
        "rules": name,
        "seats": seats,
        "options": options,
        "seed": seed.hex(),
        "salts": salts,
        "moves": moves,
        "events": [{"type": names[type(event)], **event._asdict()} for event in events],
        "outcome": outcome._asdict(),
    }


def main() -> None:
    name, seats, options = sys.argv[1:]
    game = record(name, int(seats), json.loads(options))
    fields = []
    for field, value in game.items():  # a line per move and event, for readable diffs
        rows = ",\n  ".join(map(json.dumps, value)) if field in ("moves", "events") else ""
        fields.append(f'"{field}": ' + (f"[\n  {rows}\n ]" if rows else json.dumps(value)))
    print("{\n " + ",\n ".join(fields) + "\n}")


if __name__ == "__main__":
    main()
