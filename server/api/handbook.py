"""The handbook of the API: its documents, all problems, and the OpenAPI document as a page."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from flask import Blueprint, Response, current_app
from flask_babel import gettext

from server import docs
from server.accounts.rate_limits import most_of
from server.api.changelog import for_programs
from server.api.languages import spoken
from server.api.pages import page, sorry
from server.api.problems import ALL, example_of
from server.games import GAMES

blp = Blueprint("handbook", __name__)
blp.register_error_handler(Exception, sorry)
_CLIENTS = docs.FOLDER / "clients"  # tests play with these files: see tests/clients


@blp.get("/docs", endpoint="docs")
def reference() -> Response:
    """Show the OpenAPI document. RapiDoc, which draws it, writes its styles into the page."""
    documents = [(name, docs.title(name), purpose) for name, purpose in docs.DOCUMENTS.items()]
    response = page("docs.html", documents=documents, reader=spoken().locale)
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


@blp.get(f"/docs/<any({', '.join(docs.DOCUMENTS)}):name>")
def document(name: str) -> Response:
    """Show a document, in English."""
    values = _VALUES[name]() if name in _VALUES else {}
    rendered = docs.document(name, base=current_app.config["BASE_URL"], **values)
    return _handbook("document.html", document=rendered, reader=spoken().locale)


def _bounds() -> dict[str, Any]:
    return {"bounds": {name.replace("-", "_"): most_of(name) for name in ("player", "program-games")}}


def _clients() -> dict[str, Any]:
    programs = {path.stem: path.read_text("utf-8") for path in sorted(_CLIENTS.glob("*.txt"))}
    table = (_CLIENTS / "generators.md").read_text("utf-8").splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {"programs": programs, "rows": rows}


_VALUES: dict[str, Callable[[], dict[str, Any]]] = {  # that documents get from the code
    "bot": _bounds,
    "bots": _clients,
    "fairness": lambda: {"games": {name: rules.describe() for name, rules in GAMES.items()}},
    "changes": lambda: {"parts": for_programs(), "version": version("sternenpost")},
}


@blp.get("/problems/<code>")
def problem(code: str) -> Response:
    """Explain an error: the address in the `type` of a problem (RFC 9457)."""
    found = ALL.get(code)
    if found is None:
        return page("message.html", 404, title=gettext("Page not found"), text=gettext("Problem not found."))
    return _handbook("problem.html", problem=found, example=example_of(found))


@blp.get("/problems")
def problems() -> Response:
    """List all problems."""
    return _handbook("problems.html", problems=sorted(ALL.values(), key=lambda it: (it.status, it.code)))


def _handbook(template: str, **values: Any) -> Response:
    """Return a page with a script of ours, which adds buttons that copy code."""
    response = page(template, **values)
    policy = response.headers["Content-Security-Policy"]
    response.headers["Content-Security-Policy"] = policy.replace(
        "default-src 'none';", "default-src 'none'; script-src 'self';"
    )
    return response
