"""The page: a client for people, which uses nothing but the API. Static files, and the headers they are sent with."""

import posixpath
import re
from pathlib import Path

from flask import Blueprint, Response, abort, render_template, request

from server.compression import Packed, pack

blp = Blueprint("page", __name__, template_folder=".")

_FOLDER = Path(__file__).parent
_TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".txt": "text/plain"}
_HEADERS = {
    "Cache-Control": "no-cache",  # what is asked for again is mostly a 304, and a release is seen at once
    "X-Content-Type-Options": "nosniff",
}
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'",
    "Referrer-Policy": "no-referrer",
}
_IMPORT = re.compile(r'^(?:import|export) .*"(\..*?)";$', re.MULTILINE)
_DOC = re.compile(rb"^ */\*\*(?:(?!\*/).)*\*/$", re.MULTILINE | re.DOTALL)


def _read(path: Path) -> Packed:
    """A file as it is. Of a module's doc comments only the ends of their lines are sent: they are for who reads it here."""
    plain = path.read_bytes()
    if path.suffix == ".js":
        plain = _DOC.sub(lambda doc: b"\n" * doc[0].count(b"\n"), plain)
    return pack(_TYPES[path.suffix], plain)


FILES = {str(path.relative_to(_FOLDER)): _read(path) for path in sorted(_FOLDER.rglob("*")) if path.suffix in _TYPES}


def _needed(module: str, found: dict[str, None]) -> list[str]:
    """This module and all that it imports as soon as it runs."""
    if module not in found:
        found[module] = None
        for address in _IMPORT.findall(FILES[module].plain.decode()):
            _needed(posixpath.normpath(posixpath.join(posixpath.dirname(module), address)), found)
    return list(found)


FIRST = _needed("main.js", {})
STYLES = ["page.css", "table/table.css"]  # of what is mostly looked at first


@blp.get("/")
def home() -> Response:
    """The page, with what its address says after the #."""
    return index()


def index(**opened_for: str) -> Response:
    """The page itself. It names the modules that it begins with, so that a browser need not find them one by one.

    A mailed link opens it for a `game` in a `language`, and names the `plain` page that stands in for it without scripts,
    with the `words` of a link there.
    """
    response = Response(render_template("index.html", modules=FIRST, styles=STYLES, **opened_for), mimetype="text/html")
    response.headers.update(_HEADERS | _POLICY)
    return response


@blp.get("/page/<path:name>")
def file(name: str) -> Response:
    """A module, a style or a catalogue, packed for whoever can unpack it."""
    found = FILES.get(name)
    if found is None:
        abort(404)
    response = found.answer()
    response.headers.update(_HEADERS)
    response.make_conditional(request)
    return response
