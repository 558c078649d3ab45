"""The page: a client for people, which uses nothing but the API. Static files, and the headers they are sent with.

Modules, styles and words have names with a hash of what they hold, so that browsers keep them for good; an import map, made
at start, leads from their plain names there. Modules that always come together are one: see `packing`.
"""

import json
import posixpath
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Response, abort, render_template, request

from server.compression import Packed, pack
from server.page import packing

blp = Blueprint("page", __name__, template_folder=".")

_FOLDER = Path(__file__).parent
_TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".txt": "text/plain"}
_HEADERS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}  # a release is seen at once
_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
_DOC = re.compile(rb"^ */\*\*(?:(?!\*/).)*\*/$", re.MULTILINE | re.DOTALL)
_LAZY = re.compile(r'\blater\("([\w/-]+)"')
_HASHED = re.compile(r"\.([0-9a-f]{10})(\.\w+)$")
SERVICE_WORKER, AHEAD = "service-worker.js", "ahead.js"


def _read(path: Path) -> Packed:
    """A file as it is. Of a module's doc comments only the ends of their lines are sent: they are for who reads it here."""
    plain = path.read_bytes()
    if path.suffix == ".js":
        plain = _DOC.sub(lambda doc: b"\n" * doc[0].count(b"\n"), plain)
    return pack(_TYPES[path.suffix], plain)


FILES = {str(path.relative_to(_FOLDER)): _read(path) for path in sorted(_FOLDER.rglob("*")) if path.suffix in _TYPES}
_ALONE = {SERVICE_WORKER, AHEAD}  # scripts that are no modules
MODULES = {name: it.plain.decode() for name, it in FILES.items() if name.endswith(".js") and name not in _ALONE}
STYLES = ["page.css", "table/table.css"]  # of what is mostly looked at first
_GAMES = ("sternenhimmel", "sternenglanz")
_TABLES = [f"{it}/{it}.js" for it in _GAMES]


def _together() -> dict[str, list[str]]:
    """By the module with which the page begins, or a room that comes later, those that come with it: of a room, what nothing
    else needs and what lies in its own folder; what the tables of all games share comes first."""
    first = packing.needed("main.js", MODULES)
    begin = sorted({f"{room}/{room.split('/')[-1]}.js" for code in MODULES.values() for room in _LAZY.findall(code)})
    whole = {name: [it for it in packing.needed(name, MODULES) if it not in first] for name in begin}
    wanted = Counter(it for those in whole.values() for it in those)
    first += [it for it in wanted if all(it in whole[table] for table in _TABLES)]

    def is_own(it: str, name: str) -> bool:
        return it not in first and (wanted[it] == 1 or posixpath.dirname(it) == posixpath.dirname(name))

    return {"main.js": first} | {name: [it for it in those if is_own(it, name)] for name, those in whole.items()}


TOGETHER = _together()
FIRST = TOGETHER["main.js"]


def _served() -> tuple[dict[str, Packed], dict[str, str]]:
    """What is sent by each name with a hash, and that name for each plain one."""
    served: dict[str, Packed] = {}
    names: dict[str, str] = {}
    within = {it: name for name, those in TOGETHER.items() for it in those if not it.startswith(packing.INNER)}
    for name, file in FILES.items():
        if within.get(name, name) != name or name in _ALONE:
            continue
        if name in TOGETHER:
            file = pack(file.kind, packing.packed(TOGETHER[name], MODULES).encode())
        stem, _, ending = name.rpartition(".")
        names[name] = f"{stem}.{file.etag[:10]}.{ending}"
        served[names[name]] = file
    return served, names | {it: names[name] for it, name in within.items()}


SERVED, NAMES = _served()


def _map() -> str:
    imports = {f"/page/{name}": f"/page/{NAMES[name]}" for name in sorted(NAMES)}
    return json.dumps({"imports": imports}, separators=(",", ":"))


def _hash(script: str) -> str:
    """By which a policy names what stands in the page itself (CSP 3, 2.3.1)."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


IMPORT_MAP = _map()
_ASKED_AHEAD = re.sub(r"^//.*\n", "", FILES[AHEAD].plain.decode(), flags=re.MULTILINE)
_POLICY = {
    "Content-Security-Policy": f"default-src 'none'; script-src 'self' {_hash(IMPORT_MAP)} {_hash(_ASKED_AHEAD)}; "
    "style-src 'self'; "
    "img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "Referrer-Policy": "no-referrer",
}


_WORKER_CODE = FILES[SERVICE_WORKER].plain.decode()
_SHELL = (_FOLDER / "index.html").read_text("utf-8")
RELEASE = sha256((_SHELL + _ASKED_AHEAD + IMPORT_MAP + _WORKER_CODE).encode()).hexdigest()[:16]


def _worker() -> Packed:
    """The service worker of this release: it brings the page, its modules, styles and words, and tells a newer one."""
    files = sorted(it for it in SERVED if not it.startswith(("words/", packing.INNER)))
    words = {it: NAMES[it] for it in NAMES if it.startswith("words/")}
    told = {"release": RELEASE, "files": files, "words": words, "rules": [f"/v1/rules/{it}" for it in _GAMES]}
    return pack("text/javascript", _WORKER_CODE.replace("worker.told", json.dumps(told)).encode())


_WORKER = _worker()


@blp.get("/")
def home() -> Response:
    """The page, with what its address says after the #."""
    return index()


def index(**opened_for: str) -> Response:
    """The page itself. It asks for what a table asks first, and names the module with which it begins.

    A mailed link opens it for a `game` in a `language`, and names the `plain` page that stands in for it without scripts,
    with the `words` of a link there; an invitation that was accepted, with a `token` for what is at an `address`.
    """
    html = render_template("index.html", names=NAMES, styles=STYLES, map=IMPORT_MAP, ahead=_ASKED_AHEAD, **opened_for)
    response = pack("text/html", html.encode()).answer()
    response.headers.update(_HEADERS | _POLICY | {"Sternenpost-Release": RELEASE})  # for the service worker
    response.make_conditional(request)
    return response


@blp.get("/page/<path:name>")
def file(name: str) -> Response:
    """A module, a style or a catalogue, packed for whoever can unpack it; by a name with the hash of what it holds, for good.

    A page of an earlier release that nobody kept the files of gets those of this one.
    """
    found = SERVED.get(name)
    response = (found or _by_plain_name(_HASHED.sub(r"\2", name))).answer()
    response.headers.update(_HEADERS | (_FOR_GOOD if found else {}))
    response.make_conditional(request)
    return response


def _by_plain_name(name: str) -> Packed:
    if name not in NAMES:
        abort(404)
    return SERVED[NAMES[name]]


@blp.get("/service-worker.js")
def service_worker() -> Response:
    """Keeps the page, and tables as they were last seen, for when nothing can be reached."""
    response = _WORKER.answer()
    response.headers.update(_HEADERS)
    response.make_conditional(request)
    return response


@blp.get("/manifest.webmanifest")
def manifest() -> Response:
    """What makes the page an app that can be installed (W3C Web Application Manifest)."""
    icons = [{"src": "/static/star.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}]
    icons += [
        {"src": f"/static/star-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for size in (192, 512)
        for purpose in ("any", "maskable")
    ]
    about = {"name": "Sternenpost", "short_name": "Sternenpost", "id": "/", "start_url": "/", "scope": "/"}
    look = {"display": "standalone", "background_color": "#0b0f21", "theme_color": "#101842"}
    response = Response(json.dumps(about | look | {"icons": icons}), mimetype="application/manifest+json")
    response.headers.update(_HEADERS)
    return response
