"""Both games as PettingZoo environments (AEC): `env("sternenhimmel")`.

An action is the index of a legal move in `moves`. An observation is the seat's view as JSON in bytes.
"""

import json
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from tests.clients.deals import MOST_MOVES, Deal, Json, Position, Way, deal

LONGEST = 8192  # bytes of a view, padded with 0
OPTIONS = {"sternenhimmel": {}, "sternenglanz": {"max_rounds": 3}}
SEATS = {"sternenhimmel": 3, "sternenglanz": 2}


class Sternenpost(AECEnv[str, dict[str, np.ndarray], int]):
    """An environment whose seeds number the deals of this process, since games cannot choose a seed."""

    def __init__(self, rules: str, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {"name": f"{rules}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self._rules = rules
        self._rng = np.random.default_rng()
        self.possible_agents = [f"player_{seat}" for seat in range(SEATS[rules])]
        mask = Box(0, 1, (MOST_MOVES,), np.int8)
        seen = {"observation": Box(0, 255, (LONGEST,), np.uint8), "action_mask": mask}
        self._observation_spaces = {it: Dict(seen) for it in self.possible_agents}
        self._action_spaces = {it: Discrete(MOST_MOVES) for it in self.possible_agents}

    def observation_space(self, agent: str) -> Dict:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: Json | None = None) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        number = int(self._rng.integers(2**53))
        self._deal: Deal = deal(self._rules, json.dumps(OPTIONS[self._rules]), len(self.possible_agents), number)
        self._way: Way = ()
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Json] = {it: {} for it in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[self.position.seat or 0]

    @property
    def position(self) -> Position:
        """Return the position whose `moves` the actions count."""
        return self._deal.at(self._way)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seat = self.possible_agents.index(agent)
        text = json.dumps(self._deal.view(self._way, seat), sort_keys=True).encode()
        is_asked, number = self.position.seat == seat, len(self.position.moves)
        return {
            "observation": np.frombuffer(text.ljust(LONGEST, b"\0"), np.uint8),
            "action_mask": (np.arange(MOST_MOVES) < (number if is_asked else 0)).astype(np.int8),
        }

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._way = (*self._way, int(action))
        if self.position.seat is None:
            self.rewards = dict(zip(self.agents, self.position.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self.position.seat]
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return json.dumps(self._deal.view(self._way, self.position.seat or 0), indent=1)
        return None

    def close(self) -> None:
        pass


def env(rules: str) -> Sternenpost:
    return Sternenpost(rules)
