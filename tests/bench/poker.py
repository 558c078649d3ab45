"""Compare Kuhn poker, Leduc poker and the search with OpenSpiel: `python -m tests.bench.poker` plays random games in both
programs, prints the exploitability of our search and of OpenSpiel's IS-MCTS, and writes `tests/data/poker.json`.

`.venv/bin/python -m pip install -e .[adapters]` installs OpenSpiel. The run takes five minutes of CPU time.

A simulation is one imagined game. The search imagines one for each bet in each of its worlds. IS-MCTS imagines
`max_simulations`. Each strategy is estimated in many runs per situation, with each of several seeds.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from server.games import Json
from tests.support.poker import (
    KUHN,
    LEDUC,
    Poker,
    State,
    Strategy,
    Trace,
    by_ranks,
    exploitability,
    judged,
    replayed,
    searched,
    uniform,
)

DATA = Path(__file__).parents[1] / "data" / "poker.json"
GAMES = {"kuhn": KUHN, "leduc": LEDUC}
BOTS = {  # exploration and final policy of IS-MCTS
    "search": None,
    "visits, 5": (5.0, "NORMALIZED_VISIT_COUNT"),  # OpenSpiel's default, and as its C++ tests of the bot explore
    "most visits, 5": (5.0, "MAX_VISIT_COUNT"),
    "best value, 5": (5.0, "MAX_VALUE"),
    "visits, 1.5": (1.5, "NORMALIZED_VISIT_COUNT"),  # as its Python tests explore
    "most visits, 1.5": (1.5, "MAX_VISIT_COUNT"),
    "best value, 1.5": (1.5, "MAX_VALUE"),
}
SEEDS = range(3)
TOLERANCE = 1e-9


def spiel_game(name: str) -> Any:
    import pyspiel

    return pyspiel.load_game(f"{name}_poker")


def bet_of(game: Poker, action: int, bets: str) -> str:
    if game is LEDUC:
        return "fcr"[action]
    return ("fc" if bets.endswith("r") else "cr")[action]


def seen_in(game: Poker, spiel: Any) -> tuple[list[int], list[str]]:
    """Return the cards and the bets of a state of OpenSpiel."""
    cards, bets = list[int](), [""]
    for it in spiel.full_history():
        if it.player >= 0:
            bets[-1] += bet_of(game, it.action, bets[-1])
        else:
            cards.append(it.action)
            bets += [""] * (len(cards) > 2)
    return cards, bets


def view_of(game: Poker, spiel: Any) -> Json:
    cards, bets = seen_in(game, spiel)
    return game.view(State(tuple(cards), tuple(bets)), spiel.current_player())


def random_games(name: str, number: int, seed: int) -> Iterator[Trace]:
    game, rng = GAMES[name], Random(seed)
    for _ in range(number):
        spiel, turns = spiel_game(name).new_initial_state(), []
        while not spiel.is_terminal():
            if not spiel.is_chance_node():
                bets = seen_in(game, spiel)[1][-1]
                legal = "".join(bet_of(game, action, bets) for action in spiel.legal_actions())
                turns.append((spiel.current_player(), legal))
            spiel.apply_action(rng.choice(spiel.legal_actions()))
        cards, rounds = seen_in(game, spiel)
        yield Trace(cards, rounds, turns, [round(gain) for gain in spiel.returns()])


def is_same(game: Poker, trace: Trace) -> bool:
    return json.dumps(replayed(game, trace)) == json.dumps(trace)


def judged_by_openspiel(name: str, strategy: Strategy) -> float:
    """Return OpenSpiel's figure for the exploitability of a strategy."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability as best_responses

    game, spiel = GAMES[name], spiel_game(name)
    table = policy.TabularPolicy(spiel)
    for state, row in zip(table.states, table.action_probability_array, strict=True):
        view, row[:] = view_of(game, state), 0
        for action in state.legal_actions():
            row[action] = strategy(game, view)[bet_of(game, action, view["bets"][-1])]
    return float(best_responses.exploitability(spiel, table))


def is_mcts(name: str, simulations: int, runs: int, seed: int, setting: tuple[float, str]) -> Strategy:
    """Return how often OpenSpiel's IS-MCTS plays each bet. It keeps no tree from one move to the next."""
    import pyspiel
    from open_spiel.python import policy

    game, (exploration, final) = GAMES[name], setting
    states = {json.dumps(view_of(game, state)): state for state in policy.TabularPolicy(spiel_game(name)).states}

    def strategy(game: Poker, view: Json) -> Mapping[str, float]:
        state, rng, played = states[json.dumps(view)], Random(f"{seed} {view}"), Counter[str]()
        evaluator = pyspiel.RandomRolloutEvaluator(1, rng.getrandbits(31))
        final_policy = getattr(pyspiel.ISMCTSFinalPolicyType, final)
        bot = pyspiel.ISMCTSBot(rng.getrandbits(31), evaluator, exploration, simulations, -1, final_policy)
        for _ in range(runs):
            for action, chance in bot.get_policy(state):
                played[bet_of(game, action, view["bets"][-1])] += chance / runs
        return {bet: played[bet] for bet in game.bets_of(view["bets"])}

    return by_ranks(strategy)


def measured(name: str, simulations: int, runs: int, seed: int, bot: str) -> float:
    """Return the exploitability of a bot, in which OpenSpiel and we must agree."""
    setting = BOTS[bot]
    strategy = is_mcts(name, simulations, runs, seed, setting) if setting else searched(simulations, runs, seed)
    found = judged_by_openspiel(name, strategy)
    assert abs(found - exploitability(GAMES[name], strategy)) < TOLERANCE
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000, help="random games that are compared")
    parser.add_argument("--recorded", type=int, default=200, help="of these are recorded")
    parser.add_argument("--simulations", type=int, nargs="*", default=[8, 24, 80], help="per move")
    parser.add_argument("--runs", type=int, default=50, help="per situation and seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path, default=DATA)
    wanted = parser.parse_args()
    data: Json = {}
    for name, game in GAMES.items():
        traces = list(random_games(name, wanted.games, seed=1))
        assert all(is_same(game, trace) for trace in traces)
        print(f"{name}: {len(traces)} random games agree in turns, legal bets and gains", flush=True)
        known = {it.__name__: judged_by_openspiel(name, it) for it in (uniform, judged)}
        data[name] = {"known": known, "bots": {}, "traces": traces[: wanted.recorded]}
    with ProcessPoolExecutor(wanted.processes) as pool:
        jobs = {
            (name, simulations, bot): [
                pool.submit(measured, name, simulations, wanted.runs, seed, bot) for seed in SEEDS
            ]
            for name in GAMES
            for simulations in wanted.simulations
            for bot in BOTS
        }
        for (name, simulations, bot), by_seed in jobs.items():
            found = [job.result() for job in by_seed]
            mean, deviation = round(fmean(found), 4), round(stdev(found), 4)
            print(f"| {name} | {simulations} | {bot} | {mean:.3f} ± {deviation:.3f} |", flush=True)
            data[name]["bots"].setdefault(str(simulations), {})[bot] = mean, deviation
    wanted.write.write_text(json.dumps(data, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
