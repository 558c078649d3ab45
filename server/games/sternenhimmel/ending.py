"""The end of a game of Sternenhimmel. All boards have left the table, so they are shown as they were scored."""

from collections.abc import Sequence

from server.games.contract import Json, Seat
from server.games.sternenhimmel.sentences import board_name, scored
from server.render.text_layout import page
from server.translations import Language


def final_view(view: Json, story: Sequence[Json]) -> Json:
    """Return the view with all scored boards, their stars face up, and each seat's gains."""
    boards = [
        {
            "board": it["board"],
            "slot": slot,
            "spaces": {each["space"]: {"seat": each["seat"], "star": each["star"]} for each in it["placements"]},
            "payouts": it["payouts"],
        }
        for slot, it in enumerate(_scored(story))
    ]
    return {**view, "boards": boards, "hand": None}


def final_table(view: Json, story: Sequence[Json], names: Sequence[str], say: Language) -> str:
    """Return each board as text, with its stars and the gains."""
    return page(([scored(it, names, say), f"  {_stars(it, names)}"] for it in _scored(story)), say.locale)


def own_result(view: Json, story: Sequence[Json], seat: Seat, say: Language) -> str:
    """Return how many coins each board brought to a seat, or cost it."""
    paid = [f"{board_name(it, say)} {it['payouts'][seat]:+d}" for it in _scored(story) if it["payouts"][seat]]
    if not paid:
        return say.gettext("No constellation brought you coins.")
    return say.gettext("Your coins by constellation: %(coins)s.", coins=", ".join(paid))


def decision(view: Json, story: Sequence[Json], names: Sequence[str], reader: Seat | None, say: Language) -> str:
    """Return on which board the winner gained most on the player in second place. Return "" if players share the
    victory."""
    first, second = sorted(range(len(names)), key=lambda seat: (-view["coins"][seat], seat != reader))[:2]
    leads = [(it["payouts"][first] - it["payouts"][second], it) for it in _scored(story)]
    if view["coins"][first] == view["coins"][second] or not leads:
        return ""
    lead, board = max(leads, key=lambda it: it[0])
    told = {
        "board": board_name(board, say),
        "coins": say.ngettext("%(num)s coin", "%(num)s coins", lead),
        "winner": names[first],
        "second": names[second],
    }
    if reader == second:
        return say.gettext("The lead grew most in %(board)s, where %(winner)s gained %(coins)s more than you.", **told)
    return say.addressed(
        reader == first,
        "Your lead grew most in %(board)s, where you gained %(coins)s more than %(second)s.",
        "The lead grew most in %(board)s, where %(winner)s gained %(coins)s more than %(second)s.",
        **told,
    )


def _stars(item: Json, names: Sequence[str]) -> str:
    return ", ".join(f"{it['space']} {names[it['seat']]} {it['star']}" for it in item["placements"])


def _scored(story: Sequence[Json]) -> list[Json]:
    return [it for it in story if it["type"] == "board-scored"]
