"""`python -m server.translations.update`: updates the catalogues from the texts in the code, and compiles them.

The command prints the texts that need a translation in the `.po` files. Run it again after you have translated them.
The compiled catalogues are also committed, so installing the package needs no build step.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from server.translations import FOLDER, LOCALES

TRANSLATED = tuple(locale for locale in LOCALES if locale != "en")

_METHODS = [("**.py", "python"), ("**/templates/**", "jinja2")]
_OPTIONS = {"**/templates/**": {"trimmed": "true", "silent": "false"}}
_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
_ERRORS = (  # the texts of errors are translated when they are shown
    *("AlreadySeated", "BadToken", "HandedOver", "KeyReused", "MissingScope", "NotFound", "NotHost", "NotRunning"),
    *(
        "NotSeated",
        "NotReliable",
        "NoPrograms",
        "SeatTaken",
        "SignInFirst",
        "TooMany",
        "TooManyWebhooks",
        "UnderWay",
        "WebhookDisabled",
        "WrongCode",
        "Unfit",
    ),
    *("BadAddress", "Words"),
)
_KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "noted": None,
    "Problem": (3,),
    "BadField": (2,),
    **dict.fromkeys(("IllegalMove", "MalformedMove", "BadOption"), (2,)),
    "addressed": (2,),
    **dict.fromkeys(_ERRORS),
}


@cache
def extracted() -> Catalog:
    """Return a catalogue with all texts in the code, and the files in which they occur."""
    found = _empty()
    for keywords in (_KEYWORDS, {"Problem": (4,), "addressed": (3,)}):  # Babel would take both as singular and plural
        for file, _, words, _, context in extract_from_dir(FOLDER.parent, _METHODS, _OPTIONS, keywords):
            found.add(words, locations=[(f"server/{Path(file).as_posix()}", 0)], context=context)
    return found


def _empty(locale: str | None = None) -> Catalog:
    """Return an empty catalogue without a timestamp, so that the files are reproducible."""
    return Catalog(
        locale,
        header_comment="# What Sternenpost says; made by `python -m server.translations.update`, translated by hand.",
        project="Sternenpost",
        version="1",
        msgid_bugs_address="Sternenpost",
        last_translator="Sternenpost",
        language_team="Sternenpost",
        creation_date=_NO_DATE,
        revision_date=_NO_DATE,
        fuzzy=False,
    )


def path_of(locale: str) -> Path:
    return FOLDER / locale / "LC_MESSAGES" / "messages.po"


def read(locale: str) -> Catalog:
    """Read a catalogue. Return an empty one for a new language."""
    if not (path := path_of(locale)).exists():
        return _empty(locale)
    with path.open("rb") as file:
        return read_po(file, locale)


def update(catalogue: Catalog, words: Catalog) -> None:
    """Give a catalogue exactly these texts, and keep the translations of texts that it already has."""
    catalogue.update(words, no_fuzzy_matching=True)
    catalogue.obsolete.clear()


def as_po(catalogue: Catalog) -> bytes:
    written = BytesIO()
    write_po(written, catalogue, width=120, sort_output=True, include_lineno=False)
    return written.getvalue()


def as_mo(catalogue: Catalog) -> bytes:
    written = BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def untranslated(catalogue: Catalog) -> Iterator[str]:
    """Yield the texts whose translation is missing or fuzzy."""
    for message in catalogue:
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and (message.fuzzy or not all(said)):
            yield str(message.id)


def write(locale: str, catalogue: Catalog) -> None:
    path = path_of(locale)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_po(catalogue))
    path.with_suffix(".mo").write_bytes(as_mo(catalogue))


def main() -> None:
    words = extracted()
    for locale in TRANSLATED:
        catalogue = read(locale)
        update(catalogue, words)
        write(locale, catalogue)
        for missing in untranslated(catalogue):
            print(f"{locale}: {missing}")


if __name__ == "__main__":
    main()
