"""The page's files: size, policy, colours and texts."""

import base64
import hashlib
import json
import posixpath
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from server import page as served
from server.games import GAMES
from server.page import packing
from tests.page.windows import BOT, FIRST_VIEW, ME, Windows, first_view, game_of
from tests.support.live_server import Client, House, Json, sign_in


def test_a_games_first_view_loads_little_data(house: House, windows: Windows) -> None:
    client = sign_in(house, "jana@example.org")
    game_id = game_of(client, ME, BOT, BOT, BOT, BOT)  # the largest table
    page = windows.open(client)
    assert 10 * 1024 < first_view(page, f"/#/games/{game_id}") < FIRST_VIEW
    expect(page.locator(".hand .star.open")).to_have_count(9)


def test_a_tables_first_requests_are_sent_once_before_its_modules_load(house: House, windows: Windows) -> None:
    client = sign_in(house, "kim@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_be_visible()
    asked = [it.removeprefix(house.url) for it in windows.asked]
    first_of_the_modules = next(i for i, it in enumerate(asked) if "/words/" in it)
    for path in (f"/v1/games/{game_id}?", f"/v1/games/{game_id}/events?after=0&", "/v1/me"):
        assert asked.count(path) == 1
        assert asked.index(path) < first_of_the_modules


IMPORTED = re.compile(r"""^(?:im|ex)port \{([^}]*)\} from "(\..*?)";""", re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|const|class|let) (\w+)|^export \{([^}]*)\}", re.MULTILINE)


def test_every_imported_name_exists() -> None:
    modules = {name: it.plain.decode() for name, it in served.FILES.items() if re.fullmatch(r"(?!vendor).*\.js", name)}
    told = {
        name: {it for one, more in EXPORTED.findall(text) for it in names(one or more)}
        for name, text in modules.items()
    }
    for name, text in modules.items():
        for wanted, address in IMPORTED.findall(text):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
            assert other.startswith("vendor/") or names(wanted) <= told[other], (name, other)


def names(listed: str) -> set[str]:
    return {it.split(" as ")[0].strip() for it in listed.split(",") if it.strip()}


def test_files_are_served_without_comments_and_with_unchanged_line_numbers() -> None:
    in_comment = re.compile(r"/\*|(^|\s)//\s|^ +[*\w]")  # a line that may be part of a comment
    left_out = 0
    for name in served.FILES.keys() - served.GENERATED.keys():
        it = served.FILES[name]
        if len(served.SOURCES[name]) > 1:
            continue
        lines, sent = served.SOURCES[name][0].read_text("utf-8").split("\n"), it.plain.decode().split("\n")
        assert len(sent) == len(lines), name
        gone = [line for line, other in zip(lines, sent, strict=True) if line != other]
        assert all(in_comment.search(line) for line in gone), name
        assert not gone or name.endswith((".js", ".css")), name
        assert not re.search(r"/\*|^\s*// ", it.plain.decode(), re.MULTILINE) or "/vendor/" in f"/{name}", name
        left_out += len(gone)
    assert left_out


def test_the_page_has_a_strict_policy_and_only_its_files_are_served(house: House) -> None:
    client = Client(house)
    policy = client.ask("GET", "/").headers["content-security-policy"]
    html = client.ask("GET", "/").text
    inline = re.findall(r'<script(?: type="importmap")?>(.*?)</script>', html, re.DOTALL)
    [named, ahead] = (base64.b64encode(hashlib.sha256(it.encode()).digest()).decode() for it in inline)
    scripts = f"script-src 'self' 'sha256-{named}' 'sha256-{ahead}'"
    assert policy.startswith(f"default-src 'none'; {scripts}; style-src 'self'; ")
    assert "unsafe" not in policy
    assert "<style" not in html
    assert not re.search(r"<script(?!>| type=\"(module\" async fetchpriority=\"high\" src=|importmap\">))", html)
    assert client.ask("GET", "/page/__init__.py").status_code == 404
    assert client.ask("GET", "/page/../app.py").status_code == 404


def test_hashed_files_are_cached_forever_and_others_revalidated(house: House) -> None:
    client = Client(house)
    imports = json.loads(re.findall(r'<script type="importmap">(.*?)</script>', client.ask("GET", "/").text)[0])[
        "imports"
    ]
    for name in imports.values():
        answer = client.ask("GET", name)
        assert "immutable" in answer.headers["cache-control"], name
    earlier = re.sub(r"\.[0-9a-f]{10}\.", ".0123456789.", imports["/page/lobby/lobby.js"])
    assert client.ask("GET", earlier).headers["cache-control"] == "no-cache"  # of another release, as well as can be
    assert client.ask("GET", "/").headers["cache-control"] == "no-cache"
    assert client.ask("GET", "/service-worker.js").headers["cache-control"] == "no-cache"


def test_two_packed_modules_cannot_export_the_same_name() -> None:
    code = {"a.js": "export const one = 1;", "b.js": 'import { one } from "./a.js";\nexport const two = one + 1;'}
    assert packing.needed("b.js", code) == ["a.js", "b.js"]
    assert "export const { two } = m1;" in packing.packed(["a.js", "b.js"], code)
    with pytest.raises(ValueError, match="both export one"):
        packing.packed(["a.js", "b.js"], {"a.js": code["a.js"], "b.js": code["a.js"]})


@pytest.mark.parametrize(
    "line",
    [
        'import one from "./a.js";',
        'import "./a.js";',
        'import * as a from "./a.js";',
        "import { one } from './a.js';",
        'export { one } from "./a.js";',
        'export * from "./a.js";',
        "export default 1;",
        "export let one = 1;",
        "export const { one } = it;",
    ],
)
def test_a_module_in_an_unsupported_form_is_rejected(line: str) -> None:
    with pytest.raises(ValueError, match="cannot be packed"):
        packing.packed(["b.js"], {"b.js": f"const it = 1;\n{line}\n"})


def test_room_styles_do_not_affect_other_rooms() -> None:
    """Styles of rooms stay when one leaves them: what two of them call alike needs the name of its room, too."""
    styles = {name: it.plain.decode() for name, it in served.FILES.items() if name.endswith(".css")}
    dressed = [
        (name, found) for name, css in styles.items() for found in set(re.findall(r"^(\.[\w-]+) \{", css, re.MULTILINE))
    ]
    assert [it for it in dressed if any(it[1] == other and it[0] != name for name, other in dressed)] == []


def test_a_games_styles_apply_only_within_its_own_table() -> None:
    """Styles of a game stay when one leaves it: the other game's table must not wear them."""
    for game in GAMES:
        for name, file in served.FILES.items():
            if not name.startswith(f"{game}/") or not name.endswith(".css"):
                continue
            css = re.sub(r"/\*.*?\*/", "", file.plain.decode(), flags=re.DOTALL)
            outermost = [it for it in selectors(css) if not it.startswith("@keyframes")]
            assert outermost, name
            assert [it for it in outermost if f"[data-game={game}]" not in it] == [], name


def selectors(css: str) -> list[str]:
    """Return the selectors and at-rules that are not nested."""
    depth, begun, found = 0, 0, list[str]()
    for i, it in enumerate(css):
        if it == "{":
            found += [css[begun:i].strip()] if depth == 0 else []
            depth += 1
        elif it == "}":
            depth -= 1
            begun = i + 1
    return [each.strip() for it in found for each in re.split(r",\s*(?![^(]*\))", it)]


def test_text_has_enough_contrast_by_day_and_by_night() -> None:
    css = served.FILES["page.css"].plain.decode()
    day, night = (dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in css.split("prefers-color-scheme: dark"))
    for colours in (day, day | night):
        for ground in ("ground", "card"):
            for ink in ("ink", "faint", "accent", "wrong", "gold"):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
            assert contrast(colours["line"], colours[ground]) >= 3
        assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
        assert contrast(colours["ink"], colours["notice"]) >= 4.5
        for ink in ("sky-ink", "sky-faint", "lit"):
            assert contrast(colours[ink], colours["sky-low"]) >= 4.5, ink


def contrast(one: str, other: str) -> float:
    """Of two colours (WCAG 2.2)."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


ROOMS = sorted(found[1] for name in served.FILES if (found := re.match(r"words/en/([\w-]+)\.json", name)))


def catalogue(room: str, language: str = "en") -> Json:
    words: Json = json.loads(served.FILES[f"words/{language}/{room}.json"].plain)
    return words


@pytest.mark.parametrize("language", ["de", "fr", "it"])
@pytest.mark.parametrize("room", ROOMS)
def test_all_catalogues_have_the_same_keys(room: str, language: str) -> None:
    english, other = catalogue(room), catalogue(room, language)
    assert list(other) == list(english)
    for key, words in english.items():
        assert blanks(other[key]) == blanks(words), key


def test_every_catalogue_is_loaded_by_a_room() -> None:
    modules = {name: it.plain.decode() for name, it in served.FILES.items() if name.endswith(".js")}
    rooms = {part for name in modules for part in name.split("/")[:-1]}
    for room in ROOMS:
        by_name = any(f'"{room}"' in it or (room.startswith("rules-") and "`rules-$" in it) for it in modules.values())
        assert room in rooms or by_name, room


def blanks(words: Any) -> set[str]:
    """Return the blanks of a text."""
    return set(re.findall(r"\{\w+\}", json.dumps(words)))


def test_every_page_text_is_in_a_catalogue() -> None:
    known = {key for room in ROOMS for key in catalogue(room)}
    for name, file in served.FILES.items():
        said = re.findall(r'\bt\("([^"]+)"', file.plain.decode()) if name.endswith(".js") else []
        here = catalogue("page") if name in served.FIRST else known
        assert [key for key in said if key not in here] == [], name
