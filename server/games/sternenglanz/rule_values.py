"""The figures in the text of the rules. On the page, `page/rule-figures.js` computes the same figures."""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files

from server.games.contract import Json
from server.games.sternenglanz.material import CARDS_DATA, FIRMAMENT_DATA, SEATS
from server.games.sternenglanz.options import OPTION_SCHEMA
from server.translations import Language

_CARDS = {
    kind: "|".join(it for kinds in CARDS_DATA["actions"] for it in kinds["names"].values() if kinds["type"] == kind)
    for kind in ("sterngeburt", "sternwanderung", "schwarzes-loch", "supernova")
}
TERMS: Mapping[str, str] = {  # see `section_about`
    "geburt": "|".join(
        [
            _CARDS["sterngeburt"],
            *(it for star in ("punkt", "leucht", "pracht") for it in CARDS_DATA["classes"][star].values()),
        ]
    )
    + "|petites étoiles|étoiles (?:brillantes|splendides)|stelle (?:piccole|brillanti|splendenti)",
    "wanderung": _CARDS["sternwanderung"],
    "loch": _CARDS["schwarzes-loch"] + "|schwarze[ns]? l(?:o|ö)ch(?:er)?|trous noirs|buchi neri",
    "nova": _CARDS["supernova"],
    "bilder": "constellations?|sternbild(?:er)?|costellazion[ei]|"
    + "|".join(it for bild in CARDS_DATA["sternbilder"] for it in bild["names"].values()),
    "sky": "firmament|firmamento|supply|vorrat|réserve|riserva|special spaces?|sonderfeld(?:er)?|cases? spéciales?|casell[ae] special[ei]",
    "turn": "slots?|plätze|platz [123]|emplacements?|spazi|spazio [123]",
    "shift": "deck|discard piles?|nachziehstapel|ablagen?|pioche|défausse|mazzo|scarti",
}


def rule_values(say: Language) -> Mapping[str, str]:
    """Return the figures by name, and the names of scenarios by `edition.` and id."""
    examples, words = _json("examples.json"), _json(f"words/{say.locale}/sternenglanz.json")
    actions, fields, limits = CARDS_DATA["actions"], FIRMAMENT_DATA["fields"], CARDS_DATA["limits"]
    needs, points = CARDS_DATA["birthNeeds"], CARDS_DATA["birthPoints"]
    goals = {it["id"]: it.get("goalPoints") for it in CARDS_DATA["scenarios"]}
    bild, born = CARDS_DATA["sternbilder"][0], examples["birth"]["move"].split()[-1]
    nova = next(it["points"] for it in actions if it["type"] == "supernova")
    kinds = {it["type"].replace("-", "_"): it["names"] for it in actions}

    def count(kind: str) -> int:
        return sum(it["count"] for it in actions if it["type"] == kind)

    def either(numbers: Iterable[int]) -> str:
        return say.either([str(it) for it in sorted(set(numbers))])

    values = {
        **{f"{kind}_here": names[say.locale] for kind, names in (CARDS_DATA["classes"] | kinds).items()},
        "players": either(SEATS),
        "hand": CARDS_DATA["handSize"],
        "kept": CARDS_DATA["handSize"] - 2,
        "start": FIRMAMENT_DATA["start"],
        "fields": len(fields),
        "bonus": either(it["bonus"] for it in fields if it.get("bonus")),
        **{kind: limits[kind] for kind in ("punkt", "leucht", "pracht", "nova")},
        "births": count("sterngeburt"),
        "moves": count("sternwanderung"),
        "holes": count("schwarzes-loch"),
        "supernovas": count("supernova"),
        "bilder": len(CARDS_DATA["sternbilder"]),
        "steps": either(step for it in actions for step in it.get("steps", ())),
        "leucht_needs": needs["leucht"]["count"],
        "pracht_needs": needs["pracht"]["count"],
        "leucht_points": points["leucht"],
        "pracht_points": points["pracht"],
        "nova_at": CARDS_DATA["supernovaAt"],
        "nova_points": nova,
        "nova_first": nova - 1,
        "nova_last": nova - limits["nova"],
        "bild_points": bild["points"],
        **{f"bild_{kind}": [it["is"] for it in bild["nodes"]].count(kind) for kind in ("punkt", "leucht", "pracht")},
        **{f"goal_{it}": goals[it] for it in (1, 3, 4)},
        "wins": words["rules.wins"],
        "rounds": OPTION_SCHEMA["properties"]["max_rounds"]["default"],
        "birth_field": born,
        "birth_points": examples["birth"]["points"]["1"],
        "birth_bonus": next(it.get("bonus") for it in fields if it["id"] == born),
        "hole_points": examples["hole"]["points"]["1"],
        **{f"edition.scenario-{it['id']}": it["names"][say.locale] for it in CARDS_DATA["scenarios"]},
    }
    return {name: str(value) for name, value in values.items()}


def _json(path: str) -> Json:
    found: Json = json.loads(files(__package__).joinpath("page", path).read_text("utf-8"))
    return found
