"""The scoring and payment of a full board of Sternenhimmel (sections 5 and 6)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from server.games.contract import Json, Seat
from server.games.sternenhimmel.material import BANK, BLACK_HOLE, DOUBLE_STAR, FACE_VALUES, Board, Lying
from server.games.sternenhimmel.state import BoardScored


def score(board: Board, stars: Mapping[str, Lying], options: Mapping[str, Any], coins: Sequence[int]) -> BoardScored:
    """Return the scoring of a full board. `coins` has each seat's coins before the scoring."""
    annihilated = vanishing(board, stars)
    swallowed = swallowed_by_holes(board, stars, annihilated)
    values = values_of(board, stars, annihilated | swallowed, options["doubling"])
    totals, counts = tally(stars, values, len(coins))
    ranking = rank(totals, counts)
    has_one_owner = len({seat for seat, _ in stars.values()}) == 1
    outcome, transfers = payments(board, ranking, counts, has_one_owner, options, coins)
    payouts = [0] * len(coins)
    for transfer in transfers:
        payouts[transfer["to"]] += transfer["amount"]
        if transfer["from"] != BANK:
            payouts[transfer["from"]] -= transfer["amount"]
    lying = [(space, *stars[space]) for space in board.spaces]
    remaining = sorted(values)
    winner_of = {transfer["reason"]: transfer["to"] for transfer in transfers}
    return BoardScored(
        board=board.id,
        placements=[{"space": space, "seat": seat, "star": star} for space, seat, star in lying],
        annihilated=sorted(annihilated),
        swallowed=sorted(swallowed),
        remaining=remaining,
        values={space: values[space] for space in remaining},
        totals=totals,
        stars=counts,
        ranking=ranking,
        outcome=outcome,
        first=winner_of.get("first"),
        second=winner_of.get("second"),
        payouts=payouts,
        bank=sum(transfer["amount"] for transfer in transfers if transfer["from"] == BANK),
        transfers=transfers,
    )


def vanishing(board: Board, stars: Mapping[str, Lying]) -> set[str]:
    """Return the black holes beside another black hole. All of them vanish at once, even in a long row or ring."""
    holes = {space for space, (_, star) in stars.items() if star == BLACK_HOLE}
    return {hole for hole in holes if not holes.isdisjoint(board.neighbours[hole])}


def swallowed_by_holes(board: Board, stars: Mapping[str, Lying], vanished: set[str]) -> set[str]:
    """Return the stars beside a black hole that remains. Such a hole has no black hole beside it."""
    holes = [space for space, (_, star) in stars.items() if star == BLACK_HOLE and space not in vanished]
    return {space for hole in holes for space in board.neighbours[hole] if space in stars}


def values_of(board: Board, stars: Mapping[str, Lying], gone: set[str], doubling: str) -> dict[str, int]:
    """Return the value of each star that isn't `gone`, multiplied for the double stars beside it."""
    doubles = {space for space, (_, star) in stars.items() if star == DOUBLE_STAR and space not in gone}
    return {
        space: FACE_VALUES[star] * factor(len(doubles.intersection(board.neighbours[space])), doubling)
        for space, (_, star) in stars.items()
        if space not in gone
    }


def factor(doubles: int, doubling: str) -> int:
    """Return the factor for a star with this many double stars beside it."""
    if doubles == 0:
        return 1
    return 2 * doubles if doubling == "linear" else 2**doubles


def tally(stars: Mapping[str, Lying], values: Mapping[str, int], seats: int) -> tuple[list[int | None], list[int]]:
    """Return a pair: each seat's total (None for a seat without a star), and each seat's number of remaining stars."""
    totals: list[int | None] = [None] * seats
    counts = [0] * seats
    for space, value in values.items():
        seat = stars[space].seat
        totals[seat] = (totals[seat] or 0) + value
        counts[seat] += 1
    return totals, counts


def rank(totals: Sequence[int | None], counts: Sequence[int]) -> list[list[Seat]]:
    """Return groups of tied seats, best first, by total, then by number of stars. Seats without a star are omitted."""
    equals: dict[tuple[int, int], list[Seat]] = {}
    for seat, total in enumerate(totals):
        if total is not None:
            equals.setdefault((total, counts[seat]), []).append(seat)
    return [equals[standing] for standing in sorted(equals, reverse=True)]


def payments(
    board: Board,
    ranking: Sequence[Sequence[Seat]],
    counts: Sequence[int],
    has_one_owner: bool,
    options: Mapping[str, Any],
    coins: Sequence[int],
) -> tuple[str, list[Json]]:
    """Return a pair: the outcome of a scoring and each payment, in order."""
    if not ranking:
        return "void", []
    first, *others = (seat for group in ranking for seat in group)
    prize = _transfer(BANK, first, board.first, "first")
    if not others:
        gets_both = has_one_owner or options["sole_player"] == "remaining"
        return "sole", [prize, _transfer(BANK, first, board.second, "second")] if gets_both else [prize]
    if len(ranking[0]) > 1:
        pays = options["first_tie"] == "star_coins"
        return "first_tie", list(_star_coins((first, *others), counts, "tie", BANK, 0)) if pays else []
    payer: Seat | str = first if options["compensation_payer"] == "first" else BANK
    limit = board.first + (coins[first] if options["payer_limit"] == "purse" else 0)
    if len(ranking[1]) > 1:
        payer = payer if options["second_tie_payer"] == "as_compensation" else BANK
        return "second_tie", [prize, *_star_coins(others, counts, "tie", payer, limit)]
    second, *rest = others
    compensations = _star_coins(rest, counts, "compensation", payer, limit)
    return "ranked", [prize, _transfer(BANK, second, board.second, "second"), *compensations]


def _star_coins(
    receivers: Sequence[Seat], counts: Sequence[int], reason: str, payer: Seat | str, limit: int
) -> Iterator[Json]:
    """Yield payments of one coin per remaining star. A seat pays at most `limit`, and the bank adds the rest."""
    for seat in receivers:
        part = counts[seat] if payer == BANK else min(counts[seat], limit)
        limit -= part
        if part:
            yield _transfer(payer, seat, part, reason)
        if part < counts[seat]:
            yield _transfer(BANK, seat, counts[seat] - part, "shortfall")


def _transfer(payer: Seat | str, receiver: Seat, amount: int, reason: str) -> Json:
    return {"from": payer, "to": receiver, "amount": amount, "reason": reason}
