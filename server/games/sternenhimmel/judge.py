"""What a placement is worth in Sternenhimmel, judged by one look at the table."""

from collections.abc import Callable, Mapping

from server.games.contract import Json
from server.games.sternenhimmel.material import BANK, BOARDS, Board, Lying
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.options import DEFAULT_EDITION, EDITIONS
from server.games.sternenhimmel.scoring import payments, rank, swallowed_by_holes, tally, values_of, vanishing

# A view does not name the options; the payments of this edition are near enough for all of them.
OPTIONS = EDITIONS[DEFAULT_EDITION]
GUESS = "5"  # what a star that lies face down is taken for
LEAD = 0.05  # what a point of lead is worth in coins while prizes may still change hands


def judge(view: Json) -> Callable[[Placement], float]:
    """What each placement of the seat on turn changes for it, in coins."""
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
    """How much `me` would gain over the others if the board were scored as it is; the fuller, the more it counts."""
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
