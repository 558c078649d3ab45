// Animations at a table: flying pieces, moving cards, coins. All respect `prefers-reduced-motion`.
import { useLayoutEffect, useRef } from "../ui/html.js";

const FLIGHT = 650; // milliseconds
export const PAUSE = 800; // before each bot move, which takes no time itself, and between moves that arrive together
const LONGEST = 6_000; // for a whole batch of moves
/** @import { Seat } from "../ui/types" */

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

let lastShown = 0; // when the last of these moves is shown, by `performance.now()`

/**
 * Return the delay before each move is shown. Moves that arrive meanwhile wait for those that aren't shown yet.
 * @param {{seat?: number | null}[]} moves
 * @param {Seat[]} seats
 */
export function pauses(moves, seats) {
  const isBots = (/** @type {number | null | undefined} */ seat) => seats[seat ?? -1]?.kind === "bot" || !!seats[seat ?? -1]?.stand_in;
  const now = performance.now();
  const wait = Math.min(Math.max(0, lastShown - now), LONGEST);
  const first = wait || isBots(moves[0]?.seat) ? 1 : 0;
  const each = Math.min(PAUSE, LONGEST / (moves.length + first));
  const delays = moves.map((_, i) => wait + each * (i + first));
  lastShown = now + (delays.at(-1) ?? wait);
  return delays;
}

/** @typedef {{left: number, top: number, width: number, height: number}} Box */

/**
 * Animate an element from the position of another.
 * @param {Element | null | undefined} it
 * @param {Box | null | undefined} from
 * @param {number} [delay]
 */
export function fly(it, from, delay = 0) {
  if (!it || !from || isStill()) return;
  const to = it.getBoundingClientRect();
  const unit = /** @type {any} */ (it).ownerSVGElement?.getScreenCTM().a ?? 1;
  const dx = (from.left + from.width / 2 - to.left - to.width / 2) / unit;
  const dy = (from.top + from.height / 2 - to.top - to.height / 2) / unit;
  it.animate([
    { translate: `${dx}px ${dy}px`, opacity: 0 },
    { translate: `${dx * 0.9}px ${dy * 0.9}px`, opacity: 1, offset: 0.1 },
    { translate: "0px 0px", opacity: 1 },
  ], { duration: FLIGHT, delay, fill: "backwards", easing: "cubic-bezier(.2, .7, .2, 1)" });
}

/**
 * Animate coins from one place to another, one by one.
 * @param {number} count
 * @param {Box | null | undefined} from
 * @param {Box | null | undefined} to
 * @param {number} [delay]
 */
export function pay(count, from, to, delay = 0) {
  if (!from || !to || isStill()) return;
  for (let i = 0; i < count; i++) {
    const coin = Object.assign(document.createElement("span"), { className: "coin paid", ariaHidden: "true" });
    Object.assign(coin.style, { left: `${to.left + to.width / 2}px`, top: `${to.top + to.height / 2}px` });
    document.body.append(coin);
    fly(coin, from, delay + 90 * i);
    setTimeout(() => coin.remove(), delay + 90 * i + FLIGHT);
  }
}

/**
 * Animate cards (by `data-copy`) from their previous position, unless the container's width changed.
 * @param {{current: any}} place
 */
export function useMoving(place) {
  const before = useRef(/** @type {Map<string, Box>} */ (new Map()));
  const wide = useRef(0);
  useLayoutEffect(() => {
    const around = place.current.getBoundingClientRect();
    const now = new Map();
    for (const it of place.current.querySelectorAll("[data-copy]")) {
      const { left, top, width, height } = it.getBoundingClientRect();
      if (width) now.set(it.dataset.copy, { it, left: left - around.left, top: top - around.top, width, height });
    }
    if (wide.current === around.width) {
      for (const [copy, { it, left, top }] of now) {
        const was = before.current.get(copy);
        if (was && Math.hypot(was.left - left, was.top - top) > 8) {
          fly(it, { ...was, left: was.left + around.left, top: was.top + around.top });
        }
      }
    }
    [before.current, wide.current] = [now, around.width];
  });
}
