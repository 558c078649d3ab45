// A roving tabindex: one stop for the Tab key in a group; arrows go on from there to what lies nearest.
import { useState } from "./html.js";
/** @import { Place } from "./types" */

/** @type {Record<string, [dx: number, dy: number]>} */
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const ASIDE = 2; // how much farther off something seems that does not lie straight ahead

/**
 * `places`: `{id, x, y}`, y down. Gives `tabIndex(id)`, and handlers for the element around all `data-at`.
 * @param {Place[]} places
 */
export function useRoving(places) {
  const [current, setCurrent] = useState(/** @type {string | null} */ (null));
  const stop = places.some((it) => it.id === current) ? current : places[0]?.id;

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const way = WAYS[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    const from = places.find((it) => it.id === idAt(event));
    if (!from) return;
    event.preventDefault();
    const next = nearest(from, places, way);
    if (!next) return;
    setCurrent(next.id);
    const group = /** @type {Element} */ (event.currentTarget);
    /** @type {HTMLElement} */ (group.querySelector(`[data-at="${CSS.escape(next.id)}"]`)).focus();
  }

  return {
    tabIndex: (/** @type {string} */ id) => (id === stop ? 0 : -1),
    onKeyDown,
    onFocusIn: (/** @type {Event} */ event) => setCurrent(idAt(event) ?? current),
  };
}

/**
 * @param {Place} from
 * @param {Place[]} places
 * @param {number[]} way
 */
function nearest(from, places, [dx, dy]) {
  const reach = (/** @type {Place} */ { x, y }) => {
    const ahead = (x - from.x) * dx + (y - from.y) * dy;
    const aside = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
    return ahead > 0 ? ahead + ASIDE * aside : Infinity;
  };
  return places.filter((it) => reach(it) < Infinity).sort((one, other) => reach(one) - reach(other))[0];
}

const idAt = (/** @type {Event} */ { target }) =>
  /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-at]"))?.dataset.at;
