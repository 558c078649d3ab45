"""Screen layout: the skies' share of the window, and layout shift while the screen loads."""

from weakref import WeakKeyDictionary

from playwright.sync_api import Locator, Page, Request

from tests.support.live_server import Json

SIZES: dict[str, Json] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "desk": {"viewport": {"width": 1280, "height": 800}},
    "wide": {"viewport": {"width": 1920, "height": 1080}},
}
# Share of the window during a turn. On a phone, the Firmament is as wide as the window, and previews need the room below.
LEAST = {"phone": 0.58, "desk": 0.55, "wide": 0.60}
MOST_SHIFT = 0.05  # cumulative layout shift of a screen
SLOWER, LATENCY = 4, 150  # times, milliseconds
_LOOKS, _PAUSE = 5, 100  # checks without a request, milliseconds between them

_SKIES = ".boards, .firmament"
_SHARE = """skies => {
  const seen = (from, to, most) => Math.max(0, Math.min(to, most) - Math.max(from, 0));
  const areas = [...document.querySelectorAll(skies)].map((it) => it.getBoundingClientRect())
    .map((it) => seen(it.left, it.right, innerWidth) * seen(it.top, it.bottom, innerHeight));
  return areas.reduce((sum, it) => sum + it, 0) / (innerWidth * innerHeight);
}"""
_COVERED = """skies => [...document.querySelectorAll(`:is(${skies}) :is(.space, .field)`)].flatMap((it) => {
  const { left, right, top, bottom } = it.querySelector(".touch").getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const found = document.elementFromPoint(x, y);
  return it.contains(found) ? [] : [`${it.dataset.at} at ${Math.round(x)},${Math.round(y)}: ${found?.className}`];
})"""
_DRAWN = """document.fonts.ready.then(() => new Promise((drawn) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => drawn(window.shifted))))))"""
_WATCH = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) if (!it.hadRecentInput) window.shifted += it.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
MOST_PUSHED = 0.02  # layout shift of a turn or a scoring, whether or not a tap caused it
WATCH_PUSHES = """
  window.pushed = 0;
  window.pushes = [];
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) {
      window.pushed += it.value;
      window.pushes.push(...it.sources.map(({ node, previousRect: a, currentRect: b }) =>
        `${node?.className?.baseVal ?? node?.className ?? node?.nodeName} ${a.x},${a.y} ${a.width}x${a.height} > ${b.x},${b.y} ${b.width}x${b.height}`));
    }
  }).observe({ type: "layout-shift" });
"""
SETTLED = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn, 50))))"
PLACES = "all => all.map((it) => { const { x, y, width, height } = it.getBoundingClientRect(); return [x, y, width, height]; })"


def share_of_skies(page: Page) -> float:
    """Return the skies' share of the window before any scrolling."""
    return float(page.evaluate(_SHARE, _SKIES))


def out_of_reach(page: Page) -> list[str]:
    """Return the spaces and fields that are covered or outside the window."""
    return list(page.evaluate(_COVERED, _SKIES))


def apart(one: Locator, other: Locator) -> bool:
    """Return whether two elements don't overlap."""
    here, there = one.bounding_box(), other.bounding_box()
    assert here and there
    return any(
        first[at] + first[size] <= second[at]
        for first, second in ((here, there), (there, here))
        for at, size in (("x", "width"), ("y", "height"))
    )


def watched(page: Page) -> Page:
    """Record layout shifts of the page."""
    page.add_init_script(_WATCH)
    _requests[page] = _Requests(page)
    return page


class _Requests:
    def __init__(self, page: Page) -> None:
        self.open, self.sent = set[Request](), 0
        page.on("request", self._begins)
        page.on("requestfinished", lambda it: self.open.discard(it))
        page.on("requestfailed", lambda it: self.open.discard(it))

    def _begins(self, request: Request) -> None:
        if not request.url.partition("?")[0].endswith("/stream"):
            self.sent += 1
            self.open.add(request)


_requests = WeakKeyDictionary[Page, _Requests]()


def slow_down(page: Page) -> Page:
    """Slow the machine down four times, add 150 ms to each request, and record layout shifts."""
    watched(page)
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    slow = {"offline": False, "latency": LATENCY, "downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", slow)
    return page


def shift(page: Page) -> float:
    """Return the layout shift since the page loaded, once all requests are answered and drawn."""
    looks_in_a_row = 0
    while looks_in_a_row < _LOOKS:
        before = _requests[page].sent
        page.wait_for_timeout(_PAUSE)
        is_quiet = not _requests[page].open and _requests[page].sent == before
        looks_in_a_row = looks_in_a_row + 1 if is_quiet else 0
    return float(page.evaluate(_DRAWN))


def start_counting(page: Page) -> None:
    """Count the layout shifts from here on, on a page with `WATCH_PUSHES`."""
    page.evaluate(SETTLED)
    page.evaluate("[window.pushed, window.pushes] = [0, []]")


def pushed(page: Page) -> tuple[float, list[str]]:
    """Return the layout shift since `start_counting`, and what moved."""
    page.evaluate(SETTLED)
    return page.evaluate("window.pushed"), page.evaluate("window.pushes")
