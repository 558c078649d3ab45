"""The value of a placement in Sternenhimmel, estimated from the view alone."""

from collections.abc import Callable, Mapping

from server.games.contract import Json
from server.games.sternenhimmel.material import BANK, BOARDS, Board, Lying
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.options import DEFAULT_EDITION, EDITIONS
from server.games.sternenhimmel.scoring import payments, rank, swallowed_by_holes, tally, values_of, vanishing

# Views lack the options. The payments of this edition are close enough for all of them.
OPTIONS = EDITIONS[DEFAULT_EDITION]
GUESS = "5"  # the assumed value of a star face down
LEAD = 0.05  # coins per point of lead while prizes may still change hands


def judge(view: Json) -> Callable[[Placement], float]:
    """Return a function that gives a placement's gain, in coins, for the seat whose turn it is."""
    me = view["next"]
    stars = {it["board"]: _lying(it["spaces"]) for it in view["boards"]}
    before = {board: _standing(BOARDS[board], lying, me, view["coins"]) for board, lying in stars.items()}

    def worth(move: Placement) -> float:
        star, board, space = move
        lying = {**stars[board], space: Lying(me, star)}
        return _standing(BOARDS[board], lying, me, view["coins"]) - before[board]

    return worth


def _lying(spaces: Json) -> dict[str, Lying]:
    return {space: Lying(it["seat"], it["star"] or GUESS) for space, it in spaces.items() if it is not None}


def _standing(board: Board, stars: Mapping[str, Lying], me: int, coins: list[int]) -> float:
    """Return the lead of `me` if the board were scored now. A fuller board counts more."""
    vanished = vanishing(board, stars)
    gone = vanished | swallowed_by_holes(board, stars, vanished)
    values = values_of(board, stars, gone, OPTIONS["doubling"])
    totals, counts = tally(stars, values, len(coins))
    _, transfers = payments(board, rank(totals, counts), counts, False, OPTIONS, coins)
    gain = [0] * len(coins)
    for transfer in transfers:
        gain[transfer["to"]] += transfer["amount"]
        if transfer["from"] != BANK:
            gain[transfer["from"]] -= transfer["amount"]
    others = sum(gain) - gain[me]
    lead = (totals[me] or 0) - max(total or 0 for seat, total in enumerate(totals) if seat != me)
    fullness = len(stars) / len(board.spaces)
    return fullness**2 * (gain[me] - others / (len(coins) - 1)) + LEAD * lead * (fullness < 1)
