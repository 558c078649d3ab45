"""What the page is made of: how much of it comes first, its policy, its colours and its words."""

import json
import posixpath
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from server import page as served
from tests.page.windows import BOT, FIRST_VIEW, ME, Windows, first_view, game_of
from tests.support.live_server import Client, House, Json, sign_in


def test_the_first_view_of_a_game_is_small(house: House, windows: Windows) -> None:
    client = sign_in(house, "jana@example.org")
    game_id = game_of(client, ME, BOT, BOT, BOT, BOT)  # the largest table
    page = windows.open(client)
    assert 10 * 1024 < first_view(page, f"/#/games/{game_id}") < FIRST_VIEW
    expect(page.locator(".hand .star.open")).to_have_count(9)


IMPORTED = re.compile(r"""^(?:im|ex)port \{([^}]*)\} from "(\..*?)";""", re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|const|class|let) (\w+)|^export \{([^}]*)\}", re.MULTILINE)


def test_what_a_module_wants_of_another_is_there() -> None:
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


def test_a_module_is_sent_without_its_doc_comments_and_with_every_other_line_in_its_place() -> None:
    folder = Path(served.__file__).parent
    left_out = 0
    for name, it in served.FILES.items():
        lines, sent = (folder / name).read_text("utf-8").split("\n"), it.plain.decode().split("\n")
        assert len(sent) == len(lines), name
        gone = [line for line, other in zip(lines, sent, strict=True) if line != other]
        assert all(re.match(r" *(/\*\*|\*)", line) for line in gone), name
        assert not gone or name.endswith(".js"), name
        left_out += len(gone)
    assert left_out


def test_the_page_has_a_strict_policy_and_nothing_but_its_files_is_served(house: House) -> None:
    client = Client(house)
    policy = client.ask("GET", "/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert "<style" not in client.ask("GET", "/").text
    assert not re.search(r"<script(?! type=\"module\" src=)", client.ask("GET", "/").text)
    assert client.ask("GET", "/page/__init__.py").status_code == 404
    assert client.ask("GET", "/page/../app.py").status_code == 404


def test_text_can_be_read_by_day_and_by_night() -> None:
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


ROOMS = sorted(found[1] for name in served.FILES if (found := re.match(r"words/en/(\w+)\.json", name)))


def catalogue(room: str, language: str = "en") -> Json:
    words: Json = json.loads(served.FILES[f"words/{language}/{room}.json"].plain)
    return words


@pytest.mark.parametrize("language", ["de", "fr", "it"])
@pytest.mark.parametrize("room", ROOMS)
def test_all_catalogues_say_the_same(room: str, language: str) -> None:
    english, other = catalogue(room), catalogue(room, language)
    assert list(other) == list(english)
    for key, words in english.items():
        assert blanks(other[key]) == blanks(words), key


def blanks(words: Any) -> set[str]:
    """What is filled in."""
    return set(re.findall(r"\{\w+\}", json.dumps(words)))


def test_every_word_that_the_page_says_is_in_a_catalogue() -> None:
    known = {key for room in ROOMS for key in catalogue(room)}
    for name, file in served.FILES.items():
        said = re.findall(r'\bt\("([^"]+)"', file.plain.decode()) if name.endswith(".js") else []
        here = catalogue("page") if name in served.FIRST else known
        assert [key for key in said if key not in here] == [], name
