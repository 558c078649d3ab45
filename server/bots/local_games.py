"""Local games, played without a server between programs and built-in bots."""

from collections.abc import Mapping, Sequence
from functools import reduce
from hashlib import sha256
from random import Random
from typing import Any

from server.bots import BOTS
from server.bots.program import Program, Refused
from server.games import GAMES, Outcome, RuleError, Seat, SeededDice, newest_rules


def play_locally(rules_name: str, options: Mapping[str, Any], players: Sequence[Program | str], name: str) -> Outcome:
    """Play a game to its end. Each seat is played by a program, or by the built-in bot of this name. The same name
    gives the same dice. Raise BadOption for an invalid option, or ProgramError if a program fails.
    """
    rules = GAMES[rules_name]
    chosen = rules.resolve_options({**options, **newest_rules(rules)}, len(players))
    dice, rng = SeededDice(sha256(name.encode()).digest(), []), Random(name)
    state = reduce(rules.apply, rules.setup(len(players), chosen, dice), None)
    turn = 0
    while (outcome := rules.outcome(state)) is None:
        turn += 1
        seat = min(rules.to_act(state))
        moves, view, player = rules.legal_moves(state, seat), rules.view(state, seat), players[seat]
        if isinstance(player, str):
            state = reduce(rules.apply, rules.decide(state, seat, BOTS[player](rules, view, moves, rng), dice), state)
            continue
        table = {"game": name, "rules": rules_name, "seat": seat, "turn": turn, "view": view}
        decided: list[Any] = []

        def play(move: Any, state: Any = state, seat: Seat = seat, decided: list[Any] = decided) -> None:
            try:
                decided[:] = rules.decide(state, seat, rules.move_from_json(move), dice)
            except RuleError as error:
                raise Refused(error.code, error.text) from None

        player.play(table, [rules.move_to_json(it) for it in moves], play)
        state = reduce(rules.apply, decided, state)
    for each in players:
        if isinstance(each, Program):
            each.tell({"type": "end", "game": name, "outcome": {"scores": outcome.scores, "places": outcome.places}})
    return outcome
