// The night behind a constellation, or behind the Firmament.
import { html } from "./html.js";

const DUST = 46; // stars far behind

/**
 * Faint stars, always the same behind the same constellation.
 * @param {{seed: string}} props
 */
export function Backdrop({ seed }) {
  const next = randomly([...seed].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  return html`<g aria-hidden="true" class="backdrop">
    ${Array.from({ length: DUST }, (_, i) => html`<circle key=${i} cx=${(100 * next()).toFixed(1)}
      cy=${(100 * next()).toFixed(1)} r=${(0.16 + 0.42 * next() ** 3).toFixed(2)}
      opacity=${(0.25 + 0.6 * next()).toFixed(2)} />`)}
  </g>`;
}

/**
 * Numbers from 0 to 1 (the minimal standard generator of Park and Miller).
 * @param {number} seed
 */
function randomly(seed) {
  let state = (seed % 2147483646) + 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
