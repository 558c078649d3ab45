"""What axe-core objects to on a page: WCAG 2.2 A and AA, and what is good practice besides. It runs by the browser's own
tools, so that the page's policy stays as it is."""

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
    """To what is shown just now; none if all is well."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_RUN, _TAGS)
    return found
