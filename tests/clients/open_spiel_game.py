"""Both games for OpenSpiel: `pyspiel.load_game("sternenpost_sternenhimmel")`.

A chance node first chooses one of `deals`, which fixes all later chance. An action is the index of a legal move.
"""

import json
from typing import Any

import numpy as np
import pyspiel

from tests.clients.deals import MOST_MOVES, Position, Way, deal

LONGEST = 100_000  # moves in a game
SETTINGS = {"sternenhimmel": (3, "{}"), "sternenglanz": (2, '{"max_rounds": 3}')}


def _type(rules: str) -> pyspiel.GameType:
    seats, _ = SETTINGS[rules]
    return pyspiel.GameType(
        short_name=f"sternenpost_{rules}",
        long_name=f"{rules.capitalize()}, by a server of Sternenpost",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=seats,
        min_num_players=seats,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={"deals": 1000},
    )


class Game(pyspiel.Game):
    def __init__(self, rules: str, params: dict[str, Any] | None = None) -> None:
        self.rules = rules
        self.deals = int((params or {}).get("deals", 1000))
        seats, _ = SETTINGS[rules]
        info = pyspiel.GameInfo(
            num_distinct_actions=MOST_MOVES,
            max_chance_outcomes=self.deals,
            num_players=seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=LONGEST,
        )
        super().__init__(_type(rules), info, params or {})

    def new_initial_state(self) -> "State":
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        return Observer()


class State(pyspiel.State):
    """A deal and the moves since. Copies are cheap, since the server goes to the position asked for."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._rules = game.rules
        self._deals = game.deals
        self._number: int | None = None
        self._way: Way = ()

    @property
    def position(self) -> Position:
        return self._deal.at(self._way)

    @property
    def _deal(self) -> Any:
        seats, options = SETTINGS[self._rules]
        assert self._number is not None
        return deal(self._rules, options, seats, self._number)

    def view(self, seat: int) -> Any:
        return None if self._number is None else self._deal.view(self._way, seat)

    def current_player(self) -> int:
        if self._number is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.position.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(number, 1 / self._deals) for number in range(self._deals)]

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self.position.moves)))

    def _apply_action(self, action: int) -> None:
        if self._number is None:
            self._number = action
        else:
            self._way = (*self._way, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"Deal {action}" if self._number is None else json.dumps(self.position.moves[action])

    def is_terminal(self) -> bool:
        return self._number is not None and self.position.seat is None

    def returns(self) -> list[float]:
        return self.position.returns() if self.is_terminal() else [0.0] * SETTINGS[self._rules][0]

    def __str__(self) -> str:
        return f"Deal {self._number}, {self._way}: {json.dumps(self.view(0))}"


class Observer:
    def __init__(self) -> None:
        self.tensor = np.zeros(0, np.float32)
        self.dict: dict[str, np.ndarray] = {}

    def set_from(self, state: State, player: int) -> None:
        pass

    def string_from(self, state: State, player: int) -> str:
        return json.dumps(state.view(player), sort_keys=True)


def _register(rules: str) -> None:
    class OneGame(Game):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(rules, params)

    pyspiel.register_game(_type(rules), OneGame)


for name in SETTINGS:
    _register(name)
