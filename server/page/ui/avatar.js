// A player's avatar: a small constellation generated from their id.
import { html } from "./html.js";
import { randomly } from "./night-sky.js";
import { sparkle } from "./seat-shapes.js";

const TRIES = 8; // candidates for each star; the one farthest from the others is used
const REACH = 34; // maximum distance of a star from the centre

/**
 * Draw the avatar of an id: round for a person, square for a program.
 * @param {{id: string, program?: boolean, size: number}} props
 */
export function Avatar({ id, program = false, size }) {
  const next = randomly(seedOf(id));
  const hue = Math.floor(360 * next());
  const stars = scattered(5 + Math.floor(3 * next()), next);
  const [first, ...others] = stars;
  const lines = tree(stars).map(([one, other]) => `M${at(one)}L${at(other)}`).join("");
  return html`<svg class="avatar" viewBox="0 0 100 100" width=${size} height=${size} aria-hidden="true">
    <rect x="1" y="1" width="98" height="98" rx=${program ? 16 : 49} fill=${`hsl(${hue} 45% 24%)`}
      stroke=${`hsl(${hue} 50% 62%)`} stroke-width="2" />
    <path d=${lines} fill="none" stroke=${`hsl(${hue} 70% 80%)`} stroke-width="3" stroke-linecap="round" />
    ${others.map((it, i) => html`<circle key=${i} cx=${it.x} cy=${it.y} r=${3.6 + 2.6 * it.light} fill="#fff" />`)}
    <path d=${sparkle(first.x, first.y, 15)} fill="#ffd76a" />
  </svg>`;
}

/**
 * Hash the id to a number.
 * @param {string} id
 */
const seedOf = (id) => [...id].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);

/** @typedef {{x: number, y: number, light: number}} Star */

const at = (/** @type {Star} */ { x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
const apart = (/** @type {Star} */ one, /** @type {Star} */ other) => Math.hypot(one.x - other.x, one.y - other.y);

/**
 * Return random stars with some distance between them.
 * @param {number} count
 * @param {() => number} next
 */
function scattered(count, next) {
  /** @type {Star[]} */
  const stars = [];
  while (stars.length < count) {
    const found = Array.from({ length: TRIES }, () => {
      const [angle, radius] = [2 * Math.PI * next(), REACH * Math.sqrt(next())];
      return { x: 50 + radius * Math.cos(angle), y: 50 + radius * Math.sin(angle), light: next() };
    });
    const room = (/** @type {Star} */ it) => Math.min(...stars.map((other) => apart(it, other)));
    stars.push(found.reduce((best, it) => (room(it) > room(best) ? it : best)));
  }
  return stars;
}

/**
 * Return the edges of the minimum spanning tree, which never cross.
 * @param {Star[]} stars
 */
function tree([first, ...others]) {
  const reached = [first];
  /** @type {[Star, Star][]} */
  const lines = [];
  while (others.length) {
    const pairs = others.flatMap((it) => reached.map((other) => /** @type {[Star, Star]} */ ([other, it])));
    const nearest = pairs.reduce((best, it) => (apart(...it) < apart(...best) ? it : best));
    lines.push(nearest);
    reached.push(nearest[1]);
    others = others.filter((it) => it !== nearest[1]);
  }
  return lines;
}
