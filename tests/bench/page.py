"""The first view of a game on the page, beside a blank page of the same size: `python -m tests.bench.page`.

Each view begins with an empty cache, in real Chromium over the loopback, and ends when the table is live and accepts
moves. Then the same over a slow line with a slow processor, from an empty and from a warm cache. The blank page is the
limit: as many bytes in one script, from the same HTTP server. Views take turns.
"""

import argparse
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

from flask import Flask, Response, request
from playwright.sync_api import Browser, sync_playwright

from tests.bench.http import spread
from tests.page.layout import LEAST, MOST_SHIFT, SIZES, share_of_skies, shift, slow_down
from tests.support import stage
from tests.support.browser import CHROMIUM
from tests.support.slow_line import SlowLine

GAMES = {"sternenhimmel": ".hand .star.open", "sternenglanz": ".held.open, .slot.open"}  # selectors of open moves
BLANK = "tests.bench.page:blank"
MOST_KIB, MOST_MS = 90, 1000
DELAY, SLOWER = 0.150, 4  # seconds of a round trip on the slow line, and the factor by which the processor is slower
FIRST, WARM = (8, 1500), (3, 600)  # round trips in a row, and milliseconds
READY = """selector => {
  const look = () => {
    if (document.querySelector(selector)) window.ready = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


class View(NamedTuple):
    """Milliseconds until the table accepts moves, and the traffic."""

    ms: float
    size: float
    requests: int
    in_a_row: int = 0  # round trips that each wait for the previous one
    asked_in_a_row: int = 0  # without connections


blank = Flask("blank", static_folder=None)


@blank.get("/")
def _blank() -> Response:
    """Return a page with one script. The query gives their total bytes."""
    return Response(
        f'<!doctype html><title>-</title><body><script src="/rest?{request.query_string.decode()}"></script>'
    )


@blank.get("/rest")
def _rest() -> Response:
    size = int(request.query_string or 0)
    return Response(
        "document.body.append(document.createElement('hr'));//".ljust(size, "-"), mimetype="text/javascript"
    )


def view(
    browser: Browser,
    address: str,
    selector: str,
    followed: str,
    token: str = "",
    line: SlowLine | None = None,
    warm: bool = False,
) -> View:
    workers: Any = "allow" if line else "block"
    with browser.new_context(
        viewport={"width": 1200, "height": 850}, locale="en-GB", service_workers=workers
    ) as context:
        context.add_init_script(f'localStorage.setItem("sternenpost.token", "{token}"); ({READY})("{selector}")')
        page = context.new_page()
        if warm:
            page.goto(address)
            page.wait_for_selector(followed)
            page.wait_for_function("() => navigator.serviceWorker.controller")
            page.goto("about:blank")
            page.wait_for_timeout(1500)  # until all requests have ended
        session = context.new_cdp_session(page)
        sizes: list[float] = []
        asked: list[str] = []
        session.on("Network.loadingFinished", lambda it: sizes.append(it["encodedDataLength"]))
        session.on("Network.requestWillBeSent", lambda it: asked.append(it["request"]["url"]))
        session.send("Network.enable")
        if line:
            session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            line.forget()
        page.goto(address)
        page.wait_for_selector(followed)
        ms = page.wait_for_function("() => window.ready").json_value()
        return View(
            ms,
            line.received if line else sum(sizes),
            len(asked),
            *((line.in_a_row(), line.in_a_row(connections=False)) if line else ()),
        )


def lay_out(browser: Browser, address: str, followed: str, token: str) -> None:
    """Print the skies' share of each window, and the layout shift while the page loads slowly."""
    for size, manners in SIZES.items():
        with browser.new_context(locale="en-GB", **manners) as context:
            context.add_init_script(f'localStorage.setItem("sternenpost.token", "{token}")')
            page = slow_down(context.new_page())
            page.goto(address)
            page.wait_for_selector(followed)
            moved, share = shift(page), share_of_skies(page)
            most = f"(at least {LEAST[size]:.0%}), CLS {moved:.3f} (below {MOST_SHIFT})"
            print(f"  skies on a {size}: {share:.0%} of the window {most}", flush=True)


def report(name: str, views: Sequence[View]) -> None:
    size, requests = median(it.size for it in views) / 1024, median(it.requests for it in views)
    times = sorted(it.ms for it in views)
    took = f"{median(times):5.0f} ms ({times[0]:.0f} to {times[-1]:.0f})"
    rounds = ""
    if views[0].in_a_row:
        asked = median(it.asked_in_a_row for it in views)
        rounds = f"  {median(it.in_a_row for it in views):.0f} round trips in a row, {asked:.0f} of them requests"
    print(f"{name:<14} {size:6.1f} KiB  {requests:3.0f} requests  {took}{rounds}", flush=True)


def above(views: Sequence[View], blanks: Sequence[View]) -> None:
    """Print the cost beyond the blank page of the same moment, and the share of the line."""
    more = median(mine.ms - least.ms for mine, least in zip(views, blanks, strict=True))
    ratio = median(mine.ms / least.ms for mine, least in zip(views, blanks, strict=True))
    waits = [1000 * DELAY * median(it.in_a_row for it in those) for those in (views, blanks)]
    print(
        f"  {ratio:.1f} times the blank page, {more:.0f} ms more; the line takes up to {waits[0]:.0f} and {waits[1]:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=9, help="of each kind")
    wanted = parser.parse_args()
    with stage.postgres() as postgres, sync_playwright() as playwright:
        with stage.in_process(postgres.url):
            games = {name: stage.rehearse(name, 3)[-1] for name in GAMES}  # the last has the most seats
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        with stage.serving(stage.OURS, postgres.url) as ours, stage.serving(BLANK, postgres.url) as limit:
            for name, selector in GAMES.items():
                address = f"http://127.0.0.1:{ours.port}/#/games/{games[name].game_id}"
                views, blanks = [], []
                for _ in range(wanted.views + 1):
                    views.append(view(browser, address, selector, ".news.live", games[name].lines[0].token))
                    size = round(views[-1].size)
                    blanks.append(view(browser, f"http://127.0.0.1:{limit.port}/?{size}", "hr", "hr"))
                report(name, views[1:])  # the first warms up
                report("  blank", blanks[1:])
                times = [mine.ms / least.ms for mine, least in zip(views[1:], blanks[1:], strict=True)]
                print(f"  times the limit: {spread(times)}")
                lay_out(browser, address, ".news.live", games[name].lines[0].token)
            print(
                f"At {1000 * DELAY:.0f} ms, and a processor {SLOWER} times slower, with a TCP connection as a round trip:"
            )
            with SlowLine(ours.port, DELAY) as line, SlowLine(limit.port, DELAY) as blank_line:
                for name, selector in GAMES.items():
                    token = games[name].lines[0].token
                    address = f"http://127.0.0.1:{line.port}/#/games/{games[name].game_id}"
                    for kind, is_warm in (("first", False), ("warm", True)):
                        views, blanks = [], []
                        for _ in range(wanted.views):
                            views.append(view(browser, address, selector, ".news.live", token, line, is_warm))
                            blank_at = f"http://127.0.0.1:{blank_line.port}/?{round(views[-1].size)}"
                            blanks.append(view(browser, blank_at, "hr", "hr", line=blank_line))
                        report(f"{name[7:]} {kind}", views)
                        report("  blank", blanks)
                        above(views, blanks)
        browser.close()
    print(f"targets of a first and a warm view, round trips in a row and ms: {FIRST}, {WARM}")
    print(f"targets: under {MOST_KIB} KiB and under {MOST_MS} ms")


if __name__ == "__main__":
    main()
