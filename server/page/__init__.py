"""The page: a client for people, which uses nothing but the API. Static files, and the headers they are sent with."""

import gzip
import hashlib
import posixpath
import re
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, abort, render_template, request

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


class _File(NamedTuple):
    kind: str
    plain: bytes
    packed: bytes
    etag: str


def _read(path: Path) -> _File:
    plain = path.read_bytes()
    return _File(_TYPES[path.suffix], plain, gzip.compress(plain, mtime=0), hashlib.sha256(plain).hexdigest()[:20])


FILES = {str(path.relative_to(_FOLDER)): _read(path) for path in sorted(_FOLDER.rglob("*")) if path.suffix in _TYPES}


def _needed(module: str, found: dict[str, None]) -> list[str]:
    """This module and all that it imports as soon as it runs."""
    if module not in found:
        found[module] = None
        for address in _IMPORT.findall(FILES[module].plain.decode()):
            _needed(posixpath.normpath(posixpath.join(posixpath.dirname(module), address)), found)
    return list(found)


FIRST = _needed("main.js", {})


@blp.get("/")
def home() -> Response:
    """The page itself. It names the modules that it begins with, so that a browser need not find them one by one."""
    response = Response(render_template("index.html", modules=FIRST), mimetype="text/html")
    response.headers.update(_HEADERS | _POLICY)
    return response


@blp.get("/page/<path:name>")
def file(name: str) -> Response:
    """A module, a style or a catalogue, packed for whoever can unpack it."""
    found = FILES.get(name)
    if found is None:
        abort(404)
    is_packed = request.accept_encodings.quality("gzip") > 0
    response = Response(found.packed if is_packed else found.plain, mimetype=found.kind)
    response.headers.update(_HEADERS | {"Vary": "Accept-Encoding"})
    if is_packed:
        response.content_encoding = "gzip"
    response.set_etag(f"{found.etag}-gzip" if is_packed else found.etag)
    response.make_conditional(request)
    return response
