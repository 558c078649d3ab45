"""Promises of earlier versions hold: `api_spec/promised.yaml` and the version number."""

import tomllib
from collections.abc import Callable
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from server.games import Json
from tests.support.promised import DOCUMENT, PROMISED, promised

CHECKOUT = Path(__file__).parents[2]
RELEASED: Json = yaml.load(PROMISED.read_text("utf-8"), yaml.CSafeLoader)
PRESENT: Json = yaml.load(DOCUMENT.read_text("utf-8"), yaml.CSafeLoader)


def breaks(document: Json) -> list[str]:
    """Return broken promises of this document, and its new requirements for unchanged programs."""
    present = promised(document)
    gone = [f"gone: {line}" for line in RELEASED["given"] if line not in present["given"]]
    fields = {line.split()[0] for line in RELEASED["given"]}
    names = {field.partition(".")[0] for field in fields}
    new = []
    for line in sorted(set(present["asked"]) - set(RELEASED["asked"])):
        of = line.split()[0]
        if of in fields if " may be " in line else of.partition(".")[0] in names:
            new.append(f"new: {line}")
    return gone + new


def test_every_guarantee_holds_and_callers_need_not_send_anything_new() -> None:
    told = "\n".join(breaks(PRESENT))
    assert not told, f"Programs that use {RELEASED['version']} would break (CHANGELOG.md, What is promised):\n{told}"


def test_the_version_number_is_defined_in_one_place_and_has_a_changelog_entry() -> None:
    stands = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert version("sternenpost") == stands, "install it anew"
    assert PRESENT["info"]["version"] == stands
    assert f"\n## {stands} - " in (CHECKOUT / "CHANGELOG.md").read_text("utf-8")


def without(path: str) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        *places, last = path.split("|")
        found = document
        for place in places:
            found = found[place]
        del found[last]

    return change


def renamed_call(document: Json) -> None:
    document["paths"]["/v1/games"]["get"]["operationId"] = "findGames"


def renamed_code(document: Json) -> None:
    document["components"]["schemas"]["StaleTurnProblem"]["properties"]["code"]["const"] = "old-turn"


def less_words(document: Json) -> None:
    document["components"]["schemas"]["GameStatus"]["enum"].remove("paused")


def more_to_send(document: Json) -> None:
    schema = document["components"]["schemas"]["MessageRequest"]
    schema["properties"]["mood"] = {"type": "string"}
    schema["required"].append("mood")


def null_in_an_answer(document: Json) -> None:
    document["components"]["schemas"]["Message"]["properties"]["text"]["type"] = ["string", "null"]


def missing_in_an_answer(document: Json) -> None:
    document["components"]["schemas"]["Message"]["required"].remove("text")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without("paths|/v1/me|get"), "gone: getProfile GET /v1/me"),
        (renamed_call, "gone: listGames GET /v1/games"),
        (without("components|schemas|Message|properties|text"), "gone: Message.text string"),
        (renamed_code, "gone: StaleTurnProblem.code =stale-turn"),
        (less_words, "gone: GameStatus =paused"),
        (more_to_send, "new: MessageRequest.mood has to be sent"),
        (null_in_an_answer, "new: Message.text may be null"),
        (missing_in_an_answer, "new: Message.text may be missing"),
    ],
)
def test_a_breaking_change_is_reported(change: Callable[[Json], None], told: str) -> None:
    document = deepcopy(PRESENT)
    change(document)
    assert told in breaks(document)


def test_an_addition_to_the_api_breaks_nothing() -> None:
    document = deepcopy(PRESENT)
    schemas = document["components"]["schemas"]
    document["paths"]["/v1/moods"] = {"get": {**document["paths"]["/v1/me"]["get"], "operationId": "listMoods"}}
    schemas["Mood"] = {"type": "object", "required": ["of"], "properties": {"of": {"type": "string"}}}
    schemas["Message"]["properties"]["mood"] = {"anyOf": [{"$ref": "#/components/schemas/Mood"}, {"type": "null"}]}
    schemas["MessageRequest"]["properties"]["mood"] = {"$ref": "#/components/schemas/Mood"}
    schemas["GameStatus"]["enum"].append("asleep")
    assert breaks(document) == breaks(PRESENT)
