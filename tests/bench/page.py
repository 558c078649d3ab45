"""The first view of a game on the page, beside a blank page of the same size: `python -m tests.bench.page`.

Each view begins with an empty cache, in real Chromium over the loopback, and ends when the table can be played on and is
followed. The blank page is the limit: as many bytes in one script, from the same HTTP server. Views take turns.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from tests.bench import stage
from tests.support.browser import CHROMIUM

GAMES = {"sternenhimmel": ".hand .star.open", "sternenglanz": ".held.open, .slot.open"}  # what is there to be played on
BLANK = "tests.bench.page:blank"
MOST_KIB, MOST_MS = 100, 1000
READY = """selector => {
  const look = () => {
    if (document.querySelector(selector)) window.ready = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


class View(NamedTuple):
    """Milliseconds until the table could be played on, and what came over the line."""

    ms: float
    size: float
    requests: int


def blank(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
    """A page and its only script, of so many bytes together as its query says."""
    size = int(environ["QUERY_STRING"] or 0)
    if environ["PATH_INFO"] == "/":
        kind, body = "text/html", f'<!doctype html><title>-</title><body><script src="/rest?{size}"></script>'
    else:
        kind, body = "text/javascript", "document.body.append(document.createElement('hr'));//".ljust(size, "-")
    start_response("200 OK", [("Content-Type", kind), ("Content-Length", str(len(body)))])
    yield body.encode()


def view(browser: Browser, address: str, selector: str, followed: str, token: str = "") -> View:
    with browser.new_context(viewport={"width": 1200, "height": 850}, locale="en-GB") as context:
        context.add_init_script(f'localStorage.setItem("sternenpost.token", "{token}"); ({READY})("{selector}")')
        page = context.new_page()
        line = context.new_cdp_session(page)
        sizes: list[float] = []
        asked: list[str] = []
        line.on("Network.loadingFinished", lambda it: sizes.append(it["encodedDataLength"]))
        line.on("Network.requestWillBeSent", lambda it: asked.append(it["request"]["url"]))
        line.send("Network.enable")
        page.goto(address)
        page.wait_for_selector(followed)
        return View(page.wait_for_function("() => window.ready").json_value(), sum(sizes), len(asked))


def report(name: str, views: Sequence[View]) -> None:
    size, requests = median(it.size for it in views) / 1024, median(it.requests for it in views)
    times = sorted(it.ms for it in views)
    took = f"{median(times):5.0f} ms ({times[0]:.0f} to {times[-1]:.0f})"
    print(f"{name:<14} {size:6.1f} KiB  {requests:3.0f} requests  {took}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=9, help="of each kind")
    wanted = parser.parse_args()
    with stage.postgres() as postgres, sync_playwright() as playwright:
        with stage.in_process(postgres.url):
            games = {name: stage.rehearse(name, 3)[-1] for name in GAMES}  # the last has the most seats
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        with (
            stage.serving(stage.OURS, "gunicorn", postgres.url) as ours,
            stage.serving(BLANK, "gunicorn", postgres.url) as limit,
        ):
            for name, selector in GAMES.items():
                address = f"http://127.0.0.1:{ours.port}/#/games/{games[name].game_id}"
                views, blanks = [], []
                for _ in range(wanted.views + 1):
                    views.append(view(browser, address, selector, ".news.live", games[name].lines[0].token))
                    size = round(views[-1].size)
                    blanks.append(view(browser, f"http://127.0.0.1:{limit.port}/?{size}", "hr", "hr"))
                report(name, views[1:])  # the first warms up
                report("  blank", blanks[1:])
                more = sorted(mine.ms / least.ms for mine, least in zip(views[1:], blanks[1:], strict=True))
                print(f"  times the limit: {median(more):.1f} ({more[0]:.1f} to {more[-1]:.1f})")
        browser.close()
    print(f"targets: under {MOST_KIB} KiB and under {MOST_MS} ms")


if __name__ == "__main__":
    main()
