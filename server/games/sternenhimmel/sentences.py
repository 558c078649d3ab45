"""Sentences about the events of Sternenhimmel."""

from collections.abc import Iterator, Mapping, Sequence

from server.games.contract import Json, Sentence
from server.games.sternenhimmel.material import BOARDS, FACE_VALUES
from server.games.sternenhimmel.moves import Placement
from server.render.text_layout import punctuated
from server.translations import Language

_SPACES = sum(len(board.spaces) for board in BOARDS.values())


def _board_dealt(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    name, abbr = board_name(item, say), BOARDS[item["board"]].abbr
    if name.lower() == abbr.lower():
        return say.gettext("%(board)s came into play.", board=name)
    return say.gettext("%(board)s (%(abbr)s) came into play.", board=name, abbr=abbr)


def _star_placed(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "You put %(star)s on %(board)s %(space)s.",
        "%(name)s put %(star)s on %(board)s %(space)s.",
        name=names[item["seat"]],
        star=_star(item["star"], say),
        board=board_name(item, say),
        space=item["space"],
    )


def tell_move(move: Placement, say: Language) -> str:
    return say.gettext(
        "%(star)s on %(board)s %(space)s",
        star=_star(move.star, say),
        board=board_name({"board": move.board}, say),
        space=move.space,
    )


def _star(star: str | None, say: Language) -> str:
    match star:
        case None:
            return say.gettext("a hidden star")
        case "B":
            return say.gettext("a black hole")
        case "D":
            return say.gettext("a double star")
    return say.gettext("a %(value)s", value=star)


def scored(item: Json, names: Sequence[str], say: Language, is_own: bool = False) -> str:
    totals = [
        punctuated(f"{names[seat]}: {total}", say.locale) + (f" ({_coins(paid, say)})" if paid else "")
        for seat, (total, paid) in enumerate(zip(item["totals"], item["payouts"], strict=True))
        if total is not None
    ]
    board = board_name(item, say)
    if totals:
        told = say.gettext("%(board)s was full and was scored: %(totals)s.", board=board, totals=", ".join(totals))
    else:
        told = say.gettext("%(board)s was full, but no star was left to score.", board=board)
    return " ".join((told, *_details(item, names, say))) if "reader" in item else told


def _details(item: Json, names: Sequence[str], say: Language) -> Iterator[str]:
    """Yield which stars were on the board, so that the reader can check the totals, and whether the reader got no coins,
    a sentence each."""
    owners = {
        it["seat"]: [lying for lying in item["placements"] if lying["seat"] == it["seat"]] for it in item["placements"]
    }
    stars = (
        f"{names[seat]}: {', '.join(_counting(it, item, say) for it in lying)}"
        for seat, lying in sorted(owners.items())
    )
    yield punctuated(say.gettext("The stars: %(stars)s.", stars="; ".join(stars)), say.locale)
    if not item["payouts"][item["reader"]]:
        yield (
            say.gettext("You got no coins.")
            if item["reader"] in owners
            else say.gettext("You had no star there and got no coins.")
        )


def _counting(lying: Json, item: Json, say: Language) -> str:
    """Return a star with its space and what has changed its value, such as `5 on b (× 2 = 10)`."""
    star, space, value = lying["star"], lying["space"], item["values"].get(lying["space"])
    told = say.gettext("%(star)s on %(space)s", star=star, space=space)
    if value is None:
        gone = say.gettext("vanished") if space in item["annihilated"] else say.gettext("swallowed")
        return f"{told} ({gone})"
    face = FACE_VALUES[star]
    return told if value == face else f"{told} (× {value // face} = {value})"


def _coins(paid: int, say: Language) -> str:
    return say.ngettext("%(paid)s coin", "%(paid)s coins", abs(paid), paid=f"{paid:+d}")


def _seat_skipped(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "You had no star in hand and were skipped.",
        "%(name)s had no star in hand and was skipped.",
        name=names[item["seat"]],
    )


def board_name(item: Json, say: Language) -> str:
    return BOARDS[item["board"]].names[say.locale]


def introduction(say: Language) -> tuple[str, str]:
    return (
        say.gettext(
            "Light up the constellations of the zodiac, one star a turn. Small spaces show your star, large ones hide it: "
            "bluff, and guess what the others are hiding."
        ),
        say.gettext(
            "When a constellation is full, black holes swallow their neighbours and double stars multiply the value of "
            "theirs. The highest total earns the most coins."
        ),
    )


def first_turn(view: Json, say: Language) -> str:
    return say.gettext(
        "The player with the most coins wins: in each full constellation, the highest total earns the most. Now put one of "
        "your stars on an empty space: face up on a small one, face down on a large one."
    )


def usual_turns(players: int) -> int:
    """Return the number of stars that each player places until the last constellation is full."""
    return -(-_SPACES // players)


def usual_minutes(players: int) -> int:
    """Return an estimate: two minutes a turn, for reading the email and choosing a star and a space."""
    return 2 * usual_turns(players)


def legend(say: Language) -> str:
    return say.gettext(
        "B is a black hole, which swallows its neighbours. D is a double star, which multiplies the value of its neighbours."
    )


def notation(say: Language) -> str:
    return say.gettext(
        "Write the star, the constellation and the space in one line. The constellation's abbreviation is enough. You "
        "can use capital or small letters."
    )


SENTENCES: Mapping[str, Sentence] = {
    "board-dealt": _board_dealt,
    "star-placed": _star_placed,
    "board-scored": scored,
    "seat-skipped": _seat_skipped,
}
