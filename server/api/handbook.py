"""The handbook of the API: its documents, all problems, and the reference of all calls."""

import json
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from flask import Blueprint, Response, current_app, render_template, request
from flask_babel import force_locale, gettext
from markupsafe import Markup

from server import docs
from server.accounts.rate_limits import most_of
from server.api import oauth
from server.api.changelog import for_programs
from server.api.languages import spoken
from server.api.pages import HEADERS, no_page, page, sorry
from server.api.problems import ALL, example_of, reasons
from server.api.reference import Reference, words_in
from server.bots import LEVELS, advice, levels, review
from server.compression import Packed, pack
from server.config import BOUNDS
from server.games import GAMES
from server.games.contract import Effort
from server.games.presentation import edition_of, edition_options
from server.post.desk.commands import A_GAME, COMMANDS
from server.post.desk.reading import example_of as example_line
from server.post.desk.rule_texts import options_of
from server.post.incoming.help_lines import help_lines

blp = Blueprint("handbook", __name__)
blp.register_error_handler(Exception, sorry)
_POLICY = "Content-Security-Policy"
_WITH_SCRIPT = HEADERS | {
    _POLICY: HEADERS[_POLICY].replace("default-src 'none';", "default-src 'none'; script-src 'self';")
}
_HEADING = re.compile('<h[23] id="')
_CLIENTS = docs.FOLDER / "clients"  # tests play games with these clients: see tests/clients


@blp.get("/docs", endpoint="docs")
def start() -> Response:
    """Show the handbook's start page, which lists all calls."""
    documents = [(name, docs.title(name), purpose) for name, purpose in docs.DOCUMENTS.items()]
    response = _of_reference("docs.html", "", documents=documents, reader=spoken().locale)
    response.vary.add("Accept-Language")
    return response


@blp.get("/docs/api/<name>")
def group(name: str) -> Response:
    """Show the calls of a group, in English."""
    found = _reference().groups.get(name)
    return _of_reference("api-group.html", name, group=found) if found else no_page()


@blp.get("/docs/api/schemas")
def schemas() -> Response:
    """Show all schemas, in English."""
    return _of_reference("api-schemas.html", "schemas")


@blp.get("/docs/search.js")
def search() -> Response:
    """Serve what the search finds as a module: the address, the title and the words of each place."""
    known = current_app.extensions
    if "reference_search" not in known:
        index = json.dumps([*_reference().places(), *_handbook_places()], ensure_ascii=False)
        known["reference_search"] = pack("text/javascript", f"export default {index};".encode())
    response: Response = known["reference_search"].answer()
    response.headers["Cache-Control"] = "no-cache"
    response.make_conditional(request)
    return response


def _handbook_places() -> Iterator[tuple[str, str, str]]:
    """Yield the address, title and words of all problems and of each section of a document."""
    for code, problem in ALL.items():
        yield f"/problems/{code}", f"{code}: {problem.title}", words_in(" ".join([problem.meaning, *reasons(problem)]))
    yield "/docs/desk", "Play by email alone", words_in(" ".join(it.name for it in COMMANDS))
    for name in docs.DOCUMENTS:
        found = _document(name)
        yield f"/docs/{name}", found.title, words_in(docs.DOCUMENTS[name])
        for section in _HEADING.split(found.html)[1:]:
            place, _, rest = section.partition('">')
            heading, _, text = rest.partition("</h")
            yield f"/docs/{name}#{place}", f"{found.title}: {Markup(heading).striptags()}", words_in(text[len("2>") :])


def _reference() -> Reference:
    known = current_app.extensions
    if "reference" not in known:
        known["reference"] = Reference(known["document"].document, current_app.config["BASE_URL"])
    found: Reference = known["reference"]
    return found


def _of_reference(template: str, name: str, reader: str = "en", **values: Any) -> Response:
    """Return a page of the API reference. Each process renders a page only once for each language."""
    kept: dict[tuple[str, str], Packed] = current_app.extensions.setdefault("reference_pages", {})
    if (name, reader) not in kept:
        with force_locale(reader):
            html = render_template(
                template, reference=_reference(), reader=reader, base=current_app.config["BASE_URL"], **values
            )
        kept[name, reader] = pack("text/html", html.encode())
    response = kept[name, reader].answer()
    response.headers.update(_WITH_SCRIPT | {"Cache-Control": "no-cache"})
    response.make_conditional(request)
    return response


@blp.get("/docs/desk")
def desk() -> Response:
    """Show the page about playing by email alone, in the reader's language."""
    locale = spoken().locale
    commands = [
        {
            "id": it.name.replace(" ", "-"),
            "form": it.form(locale),
            "help": gettext(it.help),
            "example": example_line(it.name, locale),
        }
        for it in COMMANDS
    ]
    _a_move, *at_table = help_lines(A_GAME, locale)
    return _handbook("desk.html", commands=commands, at_table=at_table, address=current_app.config["DESK_ADDRESS"])


@blp.get(f"/docs/<any({', '.join(docs.DOCUMENTS)}):name>")
def document(name: str) -> Response:
    """Show a document, in English."""
    return _handbook("document.html", document=_document(name), reader=spoken().locale)


def _document(name: str) -> docs.Document:
    values = _VALUES[name]() if name in _VALUES else {}
    return docs.document(name, base=current_app.config["BASE_URL"], **values)


def _limits() -> dict[str, Any]:
    """Return the limits on calls. Those on emails and pages are left out."""
    called = [it for it in BOUNDS if "mail" not in it and not it.startswith(("desk", "pages"))]
    return {"limits": [(most_of(it), BOUNDS[it].meaning) for it in called]}


def _app() -> dict[str, Any]:
    """Return OAuth's errors, and the code that the reference shows for streams with tickets."""
    about = current_app.extensions["document"].document["paths"]["/v1/stream-tickets"]["post"]["description"]
    return {"follow": about.partition("```js\n")[2].partition("\n```")[0], "errors": oauth.ERRORS}


def _clients() -> dict[str, Any]:
    programs = {path.stem: path.read_text("utf-8") for path in sorted(_CLIENTS.glob("*.txt"))}
    table = (_CLIENTS / "generators.md").read_text("utf-8").splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {"programs": programs, "rows": rows}


def _effort(effort: Effort) -> str:
    """Return in a few words how a bot with this effort chooses."""
    if effort.slack:
        return f"any move that gives away at most {effort.slack:.0%}"
    share = f", in {effort.worlds:.0%} of its turns" if effort.worlds < 1 else ""
    worlds = f"{effort.worlds:g} worlds" if effort.worlds > 1 else "one world"
    return f"the best of {effort.candidates} moves in {worlds}{share}"


def _bots() -> dict[str, Any]:
    words = dict(zip(LEVELS, ("easy", "medium", "advanced", "hard", "very hard", "expert"), strict=True))
    strengths = docs.strengths()
    measured = sorted({it.rules for it in strengths})
    strongest = [levels(GAMES[name])[[*LEVELS][-1]] for name in measured]
    return {
        "strengths": strengths,
        "levels": {level: [_effort(levels(GAMES[name])[level]) for name in measured] for level in LEVELS},
        "words": words,
        "simulations": max(it.worlds * it.candidates for it in strongest),
        "usual": {name: edition_options(name)[edition_of(name, options_of(name))] for name in measured},
        "review": review,
        "efforts": {name: advice.effort(GAMES[name]) for name in measured},
        "hints": most_of("hints"),
    }


_VALUES: dict[str, Callable[[], dict[str, Any]]] = {  # values that documents get from the code
    "app": _app,
    "bot": lambda: {"bounds": {"player": most_of("player"), "program_games": most_of("program-games")}},
    "bots": _bots,
    "clients": _clients,
    "recipes": _limits,
    "fairness": lambda: {"games": {name: rules.describe() for name, rules in GAMES.items()}},
    "changes": lambda: {"parts": for_programs(), "version": version("sternenpost")},
}


@blp.get("/problems/<code>")
def problem(code: str) -> Response:
    """Serve the page that explains an error. A problem's `type` (RFC 9457) links to it."""
    found = ALL.get(code)
    if found is None:
        return page("message.html", 404, title=gettext("Page not found"), text=gettext("Problem not found."))
    return _handbook("problem.html", problem=found, example=example_of(found), reasons=reasons(found))


@blp.get("/problems")
def problems() -> Response:
    """List all problems."""
    return _handbook("problems.html", problems=sorted(ALL.values(), key=lambda it: (it.status, it.code)))


def _handbook(template: str, **values: Any) -> Response:
    """Return a page with our script, which adds buttons for copying code."""
    response = page(template, **values)
    response.headers.update(_WITH_SCRIPT)
    return response
