"""Local games, played without a server between programs and built-in bots."""

from collections.abc import Mapping, Sequence
from functools import reduce
from hashlib import sha256
from random import Random
from typing import Any

from server.bots import choose
from server.bots.program import Program, Refused
from server.bots.search import Seen
from server.games import GAMES, Json, Outcome, RuleError, Rules, Seat, SeededDice, newest_rules

AMPLE = 60.0  # seconds of CPU time per move, so that the number of worlds is the limit


class Shown:
    """What each seat of a local game has been shown."""

    def __init__(self, rules: Rules, seats: int, options: Json) -> None:
        started = {"type": "game-started", "seat": None, "seats": seats, "terms": {"options": options}}
        self._rules, self._stories = rules, [[started] for _ in range(seats)]

    def after(self, state: Any, events: Sequence[Any]) -> Any:
        """Show these events to all seats. Return the state after these events."""
        for seat, story in enumerate(self._stories):
            story += [told for event in events if (told := self._rules.tell(event, seat)) is not None]
        return reduce(self._rules.apply, events, state)

    def to(self, state: Any, seat: Seat) -> Seen:
        rules = self._rules
        return Seen(rules, seat, rules.view(state, seat), self._stories[seat], rules.legal_moves(state, seat))


def play_locally(rules_name: str, options: Mapping[str, Any], players: Sequence[Program | str], name: str) -> Outcome:
    """Play a game to its end. Each seat is played by a program, or by the built-in bot with that name. The same game
    `name` gives the same dice. Raise BadOption for an invalid option, or ProgramError if a program fails."""
    rules = GAMES[rules_name]
    chosen = rules.resolve_options({**options, **newest_rules(rules)}, len(players))
    dice, rng = SeededDice(sha256(name.encode()).digest(), []), Random(name)
    shown = Shown(rules, len(players), chosen)
    state = shown.after(None, rules.setup(len(players), chosen, dice))
    turn = 0
    while (outcome := rules.outcome(state)) is None:
        turn += 1
        seat = min(rules.to_act(state))
        seen, player = shown.to(state, seat), players[seat]
        if isinstance(player, str):
            state = shown.after(state, rules.decide(state, seat, choose(player, seen, AMPLE, rng), dice))
            continue
        table: Json = {"game": name, "rules": rules_name, "seat": seat, "turn": turn, "view": seen.view}
        decided: list[Any] = []

        def play(move: Any, state: Any = state, seat: Seat = seat, decided: list[Any] = decided) -> None:
            try:
                decided[:] = rules.decide(state, seat, rules.move_from_json(move), dice)
            except RuleError as error:
                raise Refused(error.code, error.text) from None

        player.play(table, [rules.move_to_json(it) for it in seen.moves], play)
        state = shown.after(state, decided)
    for each in players:
        if not isinstance(each, str):
            each.tell({"type": "end", "game": name, "outcome": {"scores": outcome.scores, "places": outcome.places}})
    return outcome
