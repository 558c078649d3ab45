"""Keyboard-only control: Tab and arrows move the focus, Enter presses."""

from random import Random

from playwright.sync_api import Locator

ARROWS = ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp")
RNG = Random(0)  # picks a detour when the nearest way runs in a circle
MOST = 150  # keys to an element
WAY = """wanted => {
  const here = document.activeElement;
  if (here === wanted) return "here";
  const group = (it) => it.dataset.at && it.closest("[role=group]");
  if (!group(wanted) || group(here) !== group(wanted)) {
    const isAhead = here === document.body || here.compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_FOLLOWING;
    return isAhead ? "Tab" : "Shift+Tab";
  }
  const [one, other] = [here, wanted].map((it) => it.getBoundingClientRect());
  const [dx, dy] = [other.x - one.x, other.y - one.y];
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? "ArrowRight" : "ArrowLeft";
  return dy > 0 ? "ArrowDown" : "ArrowUp";
}"""


def by_keys(wanted: Locator) -> None:
    """Move the focus to the element and press Enter."""
    page, seen = wanted.page, set()
    element = wanted.element_handle()
    for _ in range(MOST):
        key = page.evaluate(WAY, element)
        if key == "here":
            return page.keyboard.press("Enter")
        at = page.evaluate("document.activeElement.dataset.at")
        page.keyboard.press(RNG.choice(ARROWS) if (at, key) in seen and key in ARROWS else key)
        seen.add((at, key))
    raise AssertionError(f"No key leads to {wanted}.")
