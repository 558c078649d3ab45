"""Moves of Sternenglanz by taps on the page.

Tap targets have the same marks in every language: `data-slot` (1 to 3), `data-action` (a class of stars, `lapse`,
`finish`, `keep`, `drop`, `bare`), `data-field` and `data-card`. `.sternenglanz[data-begun]` counts complete steps.
"""

from collections.abc import Callable, Iterator, Sequence

from playwright.sync_api import Locator, Page, expect

from tests.support.live_server import Json

CLASSES = ("punkt", "leucht", "pracht")
Press = Callable[[Locator], None]


def tap_out(page: Page, steps: Sequence[Json], press: Press = Locator.click) -> None:
    """Tap these legal steps, without playing them until `play_it`. By finger: `press=Locator.tap`."""
    expect(page.locator(".sternenglanz .lit").first).to_be_attached()
    for number, step in enumerate(steps, start=1):
        for tapped in _taps(page, step):
            press(page.locator(f".sternenglanz {tapped}"))
        expect(page.locator(f".sternenglanz[data-begun='{number}']")).to_be_attached()


def play_it(page: Page, press: Press = Locator.click) -> None:
    press(page.locator(".sternenglanz .send"))


def _taps(page: Page, step: Json) -> Iterator[str]:
    match step["cmd"]:
        case "choose":
            yield from (f"[data-card='{step[slot]}']" for slot in ("slot2", "slot3"))
        case "finish":
            yield "[data-action=finish]"
        case "lay":
            yield from _cards(page, step)
        case _:
            yield f"[data-slot='{step['slot']}']"
            if (action := step.get("class", step["do"])) in (*CLASSES, "lapse"):
                yield f"[data-action={action}]"
            yield from (f"[data-field={field}]" for field in step.get("path", [step.get("field")]) if field)


def _cards(page: Page, step: Json) -> Iterator[str]:
    if page.locator(".sternenglanz [data-action=keep]").count():
        yield f"[data-action={'drop' if step['dropNova'] else 'keep'}]"
    yield from (f"[data-card='{step[slot]}']" for slot in ("slot2", "slot1") if step[slot])
    if step["slot1"] is None and page.locator(".sternenglanz [data-action=bare]").count():
        yield "[data-action=bare]"
