"""The web page for players: static files and their headers. It is a client that uses only the API.

Each game has its part in its own folder `page/`, served as `/page/<game>/`. The catalogues in its `words/` are merged
with the catalogues of the page. The names of modules, styles and catalogues contain a hash, so browsers cache them
forever. An import map, built at start, maps plain names to hashed names. `packing` bundles modules that always load
together.
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

from server.accounts.notice_kinds import CHAT_KINDS, MAIL_KINDS, MAIL_PRESETS, NOTICE_KINDS, PUSH_KINDS, WEBHOOK_KINDS
from server.compression import Packed, pack
from server.games import GAMES, Json
from server.games.presentation import edition_options, score_unit
from server.page import packing

blp = Blueprint("page", __name__, template_folder=".")

_FOLDER = Path(__file__).parent
_TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".txt": "text/plain"}
_HEADERS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}  # a new release takes effect immediately
_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
_COMMENTS = {
    ".js": re.compile(rb"/\*\*\s(?:(?!\*/).)*(?:\*/ ?|\Z)|(?<! ) *(?<!\S)// [^\n]*", re.DOTALL),
    ".css": re.compile(rb"(?<! ) */\*(?:(?!\*/).)*(?:\*/|\Z)", re.DOTALL),
}
_LAZY = re.compile(r'\blater\("([\w/-]+)"')
_HASHED = re.compile(r"\.([0-9a-f]{10})(\.\w+)$")
SERVICE_WORKER, AHEAD = "service-worker.js", "ahead.js"


def _room_of(game: Any) -> Path | None:
    """Return the folder with a game's part of the page, or None if the page shows the game only as a picture."""
    module = getattr(game, "__file__", None)
    folder = Path(module).parent / "page" if module else None
    return folder if folder and folder.is_dir() else None


_ROOMS = {name: folder for name, game in GAMES.items() if (folder := _room_of(game))}


def _sources() -> dict[str, list[Path]]:
    """Return the source files of each served file. Only catalogues have several: the page's and those of the games."""
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
    """Return the content to serve, made from these files. Modules and styles lose their comments but keep their line
    numbers. Catalogues are merged."""
    kind, plain = _TYPES[paths[0].suffix], paths[0].read_bytes()
    if comments := _COMMENTS.get(paths[0].suffix):
        plain = comments.sub(lambda it: b"\n" * it[0].count(b"\n"), plain)
    if len(paths) > 1:
        words = {key: said for path in paths for key, said in json.loads(path.read_bytes()).items()}
        plain = json.dumps(words, ensure_ascii=False, indent=2).encode()
    return pack(kind, plain)


def _notice_kinds() -> str:
    """Return a module with the kinds of notices for which the settings page offers a choice."""
    lists = {
        "EMAIL_CHOICES": {kind: NOTICE_KINDS[kind].choices for kind in MAIL_KINDS},
        "EMAIL_PRESETS": MAIL_PRESETS,
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
_ALONE = {SERVICE_WORKER, AHEAD}  # scripts, not modules
MODULES = {name: it.plain.decode() for name, it in FILES.items() if name.endswith(".js") and name not in _ALONE}
STYLES = ["page.css", "table/table.css"]  # styles that the first view usually needs
_TABLES = [f"{it}/{it}.js" for it in _ROOMS]


def _about(name: str) -> Json:
    """Return what the page needs to know about a game before it loads the game's part (see `ui/games.js`)."""
    seats, preset = GAMES[name].SEATS, getattr(GAMES[name], "PRESET", "")
    own = json.loads((_ROOMS[name] / "about.json").read_bytes()) if name in _ROOMS else {}
    return {
        "seats": [seats.start, seats.stop - 1],
        "room": name in _ROOMS,
        "preset": preset,
        "editions": {edition: chosen[preset] for edition, chosen in edition_options(name).items()},
        "score": score_unit(name) or "points",
        "aside": sorted(getattr(GAMES[name], "ASIDE", ())),
        **own,
    }


_ABOUT_GAMES = json.dumps({name: _about(name) for name in GAMES}, separators=(",", ":"))


def _together() -> dict[str, list[str]]:
    """Return the modules of each bundle, by entry module: `main.js`, and each part that is loaded later.

    The first bundle includes what the tables of all games share. A later bundle contains the modules of its folder, and
    other modules that only this bundle needs.
    """
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
    """Return a pair: the served files by hashed name, and the hashed name of each plain name."""
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
    """Return the hash with which a Content-Security-Policy allows an inline script (CSP 3, 2.3.1)."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


IMPORT_MAP = _map()
_ASKED_AHEAD = FILES[AHEAD].plain.decode()
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
    """Return the service worker of this release, with the list of files that it caches."""
    files = sorted(it for it in SERVED if not it.startswith(("words/", packing.INNER)))
    words = {it: NAMES[it] for it in NAMES if it.startswith("words/")}
    told = {"release": RELEASE, "files": files, "words": words, "rules": [f"/v1/rules/{it}" for it in _ROOMS]}
    return pack("text/javascript", _WORKER_CODE.replace("worker.told", json.dumps(told)).encode())


_WORKER = _worker()


@blp.get("/")
def home() -> Response:
    return index()


def index(**opened_for: str) -> Response:
    """Return the page's HTML. It preloads what a table needs, and names the first module.

    A link in an email opens the page for a `game` in a `language`. `plain` is the address of the same page without
    scripts, and `words` the text of the link to that page. After an invitation was accepted, the page comes with a
    `token` for `address`.
    """
    made = {"names": NAMES, "styles": STYLES, "map": IMPORT_MAP, "ahead": _ASKED_AHEAD, "games": _ABOUT_GAMES}
    html = render_template("index.html", **made, **opened_for)
    response = pack("text/html", html.encode()).answer()
    response.headers.update(_HEADERS | _POLICY | {"Sternenpost-Release": RELEASE})  # read by the service worker
    response.make_conditional(request)
    return response


@blp.get("/page/<path:name>")
def file(name: str) -> Response:
    """Return a module, style sheet or catalogue. Its name contains a hash, so browsers cache it forever.

    A page of an earlier release gets the file of this release.
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
    """Return the service worker, which caches the page and the most recently seen tables for use offline."""
    response = _WORKER.answer()
    response.headers.update(_HEADERS)
    response.make_conditional(request)
    return response


@blp.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the web app manifest, which makes the page installable."""
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
