"""The page: a client for people, which uses nothing but the API. Static files, and the headers they are sent with.

Each game keeps its part in its own folder `page/`, which is served as `/page/<game>/`; catalogues in its `words/` join
those of the page. Modules, styles and words have names with a hash of what they hold, so that browsers keep them for good; an import map, made
at start, leads from their plain names there. Modules that always come together are one: see `packing`.
"""

import json
import posixpath
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from server.accounts.notice_kinds import CHAT_KINDS, MAIL_KINDS, NOTICE_KINDS, PUSH_KINDS, WEBHOOK_KINDS
from server.compression import Packed, pack
from server.games import GAMES, Json
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


def _room_of(game: Any) -> Path | None:
    """Return the folder with a game's part of the page, or None for a game that the page shows as a picture."""
    module = getattr(game, "__file__", None)
    folder = Path(module).parent / "page" if module else None
    return folder if folder and folder.is_dir() else None


_ROOMS = {name: folder for name, game in GAMES.items() if (folder := _room_of(game))}


def _sources() -> dict[str, list[Path]]:
    """Return the files behind each name. Only catalogues have several: that of the page, and those of games."""
    found: dict[str, list[Path]] = {}
    for game, folder in ((None, _FOLDER), *_ROOMS.items()):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in {*_TYPES, ".ts"}:
                name = str(path.relative_to(folder))
                found.setdefault(name if game is None or name.startswith("words/") else f"{game}/{name}", []).append(
                    path
                )
    return found


SOURCES = _sources()


def _read(paths: list[Path]) -> Packed:
    """Return what is sent: modules without their doc comments but with the same line numbers, catalogues joined."""
    kind, plain = _TYPES[paths[0].suffix], paths[0].read_bytes()
    if paths[0].suffix == ".js":
        plain = _DOC.sub(lambda doc: b"\n" * doc[0].count(b"\n"), plain)
    if len(paths) > 1:
        words = {key: said for path in paths for key, said in json.loads(path.read_bytes()).items()}
        plain = json.dumps(words, ensure_ascii=False, indent=2).encode()
    return pack(kind, plain)


def _notice_kinds() -> str:
    """Return the module that tells the settings which notices a player may choose, and how."""
    lists = {
        "EMAIL_CHOICES": {kind: NOTICE_KINDS[kind].choices for kind in MAIL_KINDS},
        "PUSHED": PUSH_KINDS,
        "WEBHOOK_KINDS": WEBHOOK_KINDS,
        "CHAT_KINDS": CHAT_KINDS,
    }
    return "".join(f"export const {name} = {json.dumps(kinds)};\n" for name, kinds in lists.items())


GENERATED = {"settings/notice-kinds.js": _notice_kinds()}
FILES = {
    **{name: _read(paths) for name, paths in sorted(SOURCES.items()) if paths[0].suffix in _TYPES},
    **{name: pack(_TYPES[".js"], code.encode()) for name, code in GENERATED.items()},
}
_ALONE = {SERVICE_WORKER, AHEAD}  # scripts that are no modules
MODULES = {name: it.plain.decode() for name, it in FILES.items() if name.endswith(".js") and name not in _ALONE}
STYLES = ["page.css", "table/table.css"]  # of what is mostly looked at first
_TABLES = [f"{it}/{it}.js" for it in _ROOMS]


def _about(name: str) -> Json:
    """Return what the page must know of a game before its room is loaded (see `ui/games.js`)."""
    seats = GAMES[name].SEATS
    own = json.loads((_ROOMS[name] / "about.json").read_bytes()) if name in _ROOMS else {}
    return {"seats": [seats.start, seats.stop - 1], "room": name in _ROOMS, **own}


_ABOUT_GAMES = json.dumps({name: _about(name) for name in GAMES}, separators=(",", ":"))


def _together() -> dict[str, list[str]]:
    """By the module with which the page begins, or a room that comes later, those that come with it: of a room, what nothing
    else needs and what lies in its own folder; what the tables of all games share comes first."""
    first = packing.needed("main.js", MODULES)
    rooms = [*_ROOMS, *(room for code in MODULES.values() for room in _LAZY.findall(code))]
    begin = sorted({f"{room}/{room.split('/')[-1]}.js" for room in rooms})
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
RELEASE = sha256((_SHELL + _ABOUT_GAMES + _ASKED_AHEAD + IMPORT_MAP + _WORKER_CODE).encode()).hexdigest()[:16]


def _worker() -> Packed:
    """The service worker of this release: it brings the page, its modules, styles and words, and tells a newer one."""
    files = sorted(it for it in SERVED if not it.startswith(("words/", packing.INNER)))
    words = {it: NAMES[it] for it in NAMES if it.startswith("words/")}
    told = {"release": RELEASE, "files": files, "words": words, "rules": [f"/v1/rules/{it}" for it in _ROOMS]}
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
    made = {"names": NAMES, "styles": STYLES, "map": IMPORT_MAP, "ahead": _ASKED_AHEAD, "games": _ABOUT_GAMES}
    html = render_template("index.html", **made, **opened_for)
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
