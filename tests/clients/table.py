"""Results of client generators as a Markdown table: `python -m tests.clients.table [DOCUMENT ...]`.

Without a document it takes ours and plays the handbook's bots. Of a document in several files, such as Lichess's
(doc/specs/lichess-api.yaml of github.com/lichess-org/api), name the first. `--only go,java` limits the languages.
"""

import re
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.clients import bots
from tests.clients.generators import GENERATORS, OURS, Generator, install, missing, runs, workshop

_COMPLAINT: Final = re.compile(r"(?i)\bwarn(ing)?\b|\berror\b|\bexception\b|⚠")
_OF_EVERY_DOCUMENT: Final = re.compile(
    r"OpenAPI 3\.1 support is still in beta|cannot be used as an? [\w/ ]+ name|0 error|npm warn"
)
_HEAD: Final = ("Document", "Generator", "Language", "Clean", "Compiles", "Plays both games")


def rows(documents: list[Path], languages: set[str]) -> Iterator[tuple[str, ...]]:
    for document in documents:
        for generator in GENERATORS:
            if not languages or generator.language.lower() in languages:
                name = "ours" if document == OURS else document.stem
                yield name, generator.name, generator.language, *_tried(generator, document)


def _tried(generator: Generator, document: Path) -> tuple[str, str, str]:
    """Return whether the client is clean, compiles and plays."""
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        workshop(where, document)
        if document != OURS:
            runs(f"redocly bundle {document} --output openapi.yaml", where)
        is_made, said = runs(generator.make, where)
        complaints = {line for line in said.splitlines() if _COMPLAINT.search(line)}
        complaints = {line for line in complaints if not _OF_EVERY_DOCUMENT.search(line)}
        _tell(generator, "made", is_made, "\n".join(complaints))
        if not is_made:
            return "no", "-", "-"
        clean = f"with {len(complaints)} remarks" if complaints else "yes"
        if command := missing(*generator.needs):
            return clean, f"not here: {command}", "-"
        if generator.fetch and not runs(generator.fetch, where)[0]:
            return clean, f"not here: {generator.libraries}", "-"
        is_compiled, said = runs(generator.compile, where)
        _tell(generator, "compiled", is_compiled, "" if is_compiled else said)
        if not is_compiled:
            return clean, "no", "-"
        if not generator.bot or document != OURS:
            return clean, "yes", "-"
        told = bots.play(generator, where)
        _tell(generator, "played", not told, told)
        return clean, "yes", "no" if told else "yes"


def _tell(generator: Generator, what: str, is_well: bool, said: str) -> None:
    print(f"{generator.name}, {generator.language}: {'' if is_well else 'NOT '}{what}", file=sys.stderr)
    if said:
        print(said[-3000:], file=sys.stderr)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*", type=Path, default=[OURS])
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    if command := missing("java", "npm"):
        sys.exit(f"There is no {command} here, so the generators do not run.")
    install()
    languages = set(filter(None, asked.only.lower().split(",")))
    print(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}", flush=True)
    for row in rows([path.resolve() for path in asked.documents], languages):
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
