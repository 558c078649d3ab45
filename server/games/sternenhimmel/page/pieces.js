// The stars of Sternenhimmel.
import { html } from "../ui/html.js";
import { COLOURS, SeatShape, sparkle } from "../ui/seat-shapes.js";
/** @import { Star } from "./types" */

const DARK = "#10131f";

/**
 * Draw the face of a star: a number, a black hole or a double star. A hidden star shows a sparkle.
 * @param {{star: Star | null, x?: number, y?: number, r: number, colour?: string}} props
 */
export function Face({ star, x = 0, y = 0, r, colour = DARK }) {
  if (star === null) return html`<path d=${sparkle(x, y, r * 0.55)} fill="none" stroke=${colour}
    stroke-width=${r * 0.1} />`;
  if (star === "B") return html`<circle cx=${x} cy=${y} r=${r * 0.46} fill="#05060c" stroke=${colour}
    stroke-width=${r * 0.12} />
    <ellipse cx=${x} cy=${y} rx=${r * 0.78} ry=${r * 0.2} fill="none" stroke=${colour} stroke-width=${r * 0.11}
      transform=${`rotate(-24 ${x} ${y})`} />`;
  if (star === "D") return html`<path d=${sparkle(x - r * 0.27, y - r * 0.14, r * 0.5)} fill=${colour} /><path
    d=${sparkle(x + r * 0.33, y + r * 0.22, r * 0.42)} fill=${colour} />`;
  return html`<text x=${x} y=${y + r * 0.37} font-size=${r * (star.length > 1 ? 0.95 : 1.1)} font-weight="700"
    text-anchor="middle" fill=${colour}>${star}</text>`;
}

/**
 * Draw a seat's star. Its owner sees the face even if it is face down.
 * @param {{seat: number, star: Star | null, isDown?: boolean, x?: number, y?: number, r: number}} props
 */
export function Piece({ seat, star, isDown, x = 0, y = 0, r }) {
  return html`<${SeatShape} seat=${seat} x=${x} y=${y} r=${r} fill=${COLOURS[seat]} stroke="#fff"
    stroke-width=${r * 0.1} />
    ${isDown && html`<${SeatShape} seat=${seat} x=${x} y=${y} r=${r * 0.78} fill=${star === null ? "#10131f" : "none"}
      fill-opacity="0.22" stroke=${DARK} stroke-width=${r * 0.08} stroke-dasharray=${`${r * 0.2} ${r * 0.16}`} />`}
    <${Face} star=${star} x=${x} y=${y} r=${isDown ? r * 0.86 : r} />`;
}
