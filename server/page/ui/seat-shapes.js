// The colours and shapes of seats in all games. The colours suit colour-blind players (Okabe and Ito), and shapes work
// without colour.
import { html } from "./html.js";

export const COLOURS = ["#e69f00", "#56b4e9", "#2fbf95", "#f0e442", "#d98fb5"];
const SHAPES = ["circle", "square", "triangle", "diamond", "hexagon"];
/** @type {Record<string, [corners: number, turn: number, size: number]>} */
const CORNERS = { triangle: [3, -Math.PI / 2, 1.42], diamond: [4, 0, 1.25], hexagon: [6, 0, 1.08] };

/**
 * Draw the shape of a seat around a point. All shapes have about the same area.
 * @param {{seat: number, x?: number, y?: number, r: number} & Record<string, unknown>} props
 */
export function SeatShape({ seat, x = 0, y = 0, r, ...style }) {
  const shape = SHAPES[seat];
  if (shape === "circle") return html`<circle cx=${x} cy=${y} r=${r} ...${style} />`;
  if (shape === "square") return html`<rect x=${x - r * 0.89} y=${y - r * 0.89} width=${r * 1.78} height=${r * 1.78}
    rx=${r * 0.18} ...${style} />`;
  const [corners, turn, size] = CORNERS[shape];
  const drop = shape === "triangle" ? r * 0.22 : 0;
  const points = Array.from({ length: corners }, (_, i) => turn + (2 * Math.PI * i) / corners)
    .map((angle) => [x + size * r * Math.cos(angle), y + drop + size * r * Math.sin(angle)])
    .map((corner) => corner.map((it) => it.toFixed(2)).join(","));
  return html`<polygon points=${points.join(" ")} stroke-linejoin="round" ...${style} />`;
}

/**
 * Return the path of a star with four rays.
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function sparkle(x, y, r) {
  const waist = r * 0.24;
  const upper = `${x + waist} ${y - waist} ${x + r} ${y} ${x + waist} ${y + waist}`;
  return `M${x} ${y - r}L${upper} ${x} ${y + r} ${x - waist} ${y + waist} ${x - r} ${y} ${x - waist} ${y - waist}z`;
}

/**
 * Draw the mark beside a seat's name.
 * @param {{seat: number}} props
 */
export const SeatMark = ({ seat }) => html`<svg class="mark" viewBox="-12 -12 24 24" width="24" height="24"
  aria-hidden="true">
  <${SeatShape} seat=${seat} r="8.5" fill=${COLOURS[seat]} stroke="currentColor" stroke-width="1.2" /></svg>`;
