// A roving tabindex: one Tab stop per group. Arrow keys move along a line if one leads that way, otherwise to the
// nearest place.
import { useState } from "./html.js";
/** @import { Place } from "./types" */

/** @type {Record<string, [dx: number, dy: number]>} */
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const STRAIGHT = 1.2; // maximum sideways distance of a line's end, relative to the distance ahead
const ASIDE = 2; // weight of the sideways distance

/**
 * Return `tabIndex(id)`, and handlers for the element around all `data-at`. It must be an HTML element, since Chromium
 * makes an `svg` with a focus listener a Tab stop. `lines` join two `places`.
 * @param {Place[]} places
 * @param {[one: string, other: string][]} [lines]
 */
export function useRoving(places, lines = []) {
  const [current, setCurrent] = useState(/** @type {string | null} */ (null));
  const stop = places.some((it) => it.id === current) ? current : places[0]?.id;

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const way = WAYS[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    const from = places.find((it) => it.id === idAt(event));
    if (!from) return;
    event.preventDefault();
    const joined = new Set(lines.filter((it) => it.includes(from.id)).flat());
    const next = nearest(from, places.filter((it) => joined.has(it.id)), way, STRAIGHT) ?? nearest(from, places, way);
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
 * Return a handler of the keys that press a button.
 * @param {() => void} act
 */
export const onPress = (act) => (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
};

/**
 * @template {Place} T
 * @param {Place} from
 * @param {T[]} places
 * @param {number[]} way
 * @param {number} [most] maximum ratio of the distance sideways to the distance ahead
 */
function nearest(from, places, [dx, dy], most = Infinity) {
  const reach = (/** @type {Place} */ { x, y }) => {
    const ahead = (x - from.x) * dx + (y - from.y) * dy;
    const aside = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
    return ahead > 0 && aside <= most * ahead ? ahead + ASIDE * aside : Infinity;
  };
  return places.filter((it) => reach(it) < Infinity).sort((one, other) => reach(one) - reach(other))[0];
}

/**
 * Move the focus from the edge of a group to the nearest of these elements in the direction of the key. The group's own
 * handler has seen the event before.
 * @param {KeyboardEvent} event
 * @param {NodeListOf<HTMLElement>} others
 */
export function leave(event, others) {
  const way = WAYS[event.key];
  const from = /** @type {HTMLElement} */ (event.target);
  if (!way || from !== document.activeElement || !event.defaultPrevented) return; // moved, or not in a group
  const placeOf = (/** @type {HTMLElement} */ it) => {
    const { left, top, width, height } = it.getBoundingClientRect();
    return { id: "", it, x: left + width / 2, y: top + height / 2 };
  };
  const group = from.closest("[role=group]");
  const beyond = [...others].filter((it) => !group?.contains(it)).map(placeOf);
  nearest(placeOf(from), beyond, way)?.it.focus();
}

/**
 * Return the next or previous of these elements if the key is Page Down or Page Up.
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} all
 */
export function leap(event, all) {
  const way = { PageDown: 1, PageUp: -1 }[event.key];
  if (!way || !all.length) return undefined;
  event.preventDefault();
  const here = all.findIndex((it) => it.contains(/** @type {Node} */ (event.target)));
  return all.at(here < 0 ? Math.min(0, way) : (here + way) % all.length);
}

const idAt = (/** @type {Event} */ { target }) =>
  /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-at]"))?.dataset.at;
