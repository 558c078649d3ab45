// The pieces of Sternenglanz, drawn as in emailed pictures. Each class has its own shape, so that it can be recognised
// without colour or glow. Sizes are those on the Firmament, whose square is 100 wide.
import { html } from "../ui/html.js";
import { sparkle } from "../ui/seat-shapes.js";
/** @import { Piece as Kind } from "./types" */

export const CLASSES = ["punkt", "leucht", "pracht"];

const RAYS = { leucht: [6, 3.9, 2.3], pracht: [8, 4.7, 3], nova: [14, 4.4, 2.9] }; // number, outer and inner radius
/** @type {Record<string, number>} */
const HALO = { punkt: 4.2, leucht: 6.6, pracht: 8.2, nova: 7.4 };

const SHAPES = Object.fromEntries(Object.entries(RAYS).map(([kind, [rays, outer, inner]]) => {
  const corners = Array.from({ length: 2 * rays }, (_, i) => [i % 2 ? inner : outer, (Math.PI * i) / rays]);
  const points = corners.map(([r, angle]) => [r * Math.sin(angle), -r * Math.cos(angle)]);
  return [kind, points.map((point) => point.map((it) => it.toFixed(2)).join(",")).join(" ")];
}));

/**
 * Draw a star, a Supernova, or the gap of a Sternbild (`gap`).
 * @param {{kind: Kind | "gap", x?: number, y?: number, size?: number, glows?: boolean}} props
 */
export function Piece({ kind, x = 0, y = 0, size = 1, glows = false }) {
  return html`<g class=${`piece ${kind}`} transform=${`translate(${x} ${y}) scale(${size})`}>
    ${glows && html`<circle class="shine" r=${HALO[kind]} fill=${`url(#shine-${kind})`} />`}
    ${SHAPES[kind]
      ? html`<polygon class="body" points=${SHAPES[kind]} stroke-linejoin="round" />`
      : html`<circle class="body" r="2.5" />`}
    ${kind === "pracht" && html`<circle class="core" r="1.7" /><path class="heart" d=${sparkle(0, 0, 1.5)} />`}
    ${kind === "nova" && html`<circle class="core" r="1.2" /><circle class="shell" r="5.7" />`}
  </g>`;
}

/** The gradients of the pieces, needed once per page. */
export const Shine = () => html`<defs>
  ${Object.keys(HALO).map((kind) => html`<radialGradient key=${kind} id=${`shine-${kind}`} class=${`shine-${kind}`}>
    <stop offset=".25" stop-color="currentColor" stop-opacity=".65" />
    <stop offset="1" stop-color="currentColor" stop-opacity="0" />
  </radialGradient>`)}
</defs>`;

/**
 * Draw a piece inline with text.
 * @param {{kind: Kind}} props
 */
export const Mark = ({ kind }) => html`<svg class="kind" viewBox="-5.5 -5.5 11 11" width="22" height="22"
  aria-hidden="true"><${Piece} kind=${kind} /></svg>`;
