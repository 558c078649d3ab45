// The night sky behind a constellation or the Firmament.
import { html } from "./html.js";

/** Background stars. Equal stars share one path, since a table has hundreds of them. */
const DUST = [{ count: 20, width: 0.36, opacity: 0.4 }, { count: 18, width: 0.5, opacity: 0.6 },
  { count: 8, width: 0.9, opacity: 0.7 }];

/**
 * Draw faint stars, the same ones for the same seed.
 * @param {{seed: string}} props
 */
export function Backdrop({ seed }) {
  const next = randomly([...seed].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  return html`<g aria-hidden="true" class="backdrop">
    ${DUST.map(({ count, width, opacity }, i) => html`<path key=${i} stroke-width=${width} opacity=${opacity}
      d=${Array.from({ length: count }, () => `M${(100 * next()).toFixed(1)} ${(100 * next()).toFixed(1)}h0`).join("")} />`)}
  </g>`;
}

/**
 * Return a generator of numbers from 0 to 1 (the minimal standard generator of Park and Miller).
 * @param {number} seed
 */
export function randomly(seed) {
  let state = (seed % 2147483646) + 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
