"""Objections of axe-core to a page: WCAG 2.2 A and AA, and best practices.

It runs through the browser's developer tools, so the page's policy stays unchanged.
"""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """async (tags) => {
  const runOnly = {type: "tag", values: tags};
  const wanted = {resultTypes: ["violations"], runOnly, rules: {"target-size": {enabled: true}}};
  const {violations} = await axe.run(document, wanted);
  return violations.flatMap((it) => it.nodes.map((node) => `${it.id}: ${node.html.slice(0, 300)} ${node.failureSummary}`));
}"""


def objections(page: Page) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_RUN, _TAGS)
    return found
