// The constellation being scored, enlarged. CSS classes mark the current step, and the stylesheet animates it.
import { html } from "../../ui/html.js";
import { t } from "../../ui/words.js";
import { Backdrop } from "../../ui/night-sky.js";
import { Face, Piece } from "../pieces.js";
import { COLOURS, SeatShape } from "../../ui/seat-shapes.js";
import { starName } from "../story.js";
/** @import { Board, BoardScored, Space, Step, StepKind } from "../types" */
/** @typedef {[x: number, y: number]} Point */

const RADIUS = { large: 6.4, small: 4.9 };
const BULGE = 0.28; // height of an arc relative to its length
const EDGE = 13.5; // margin around the constellation, for the values of stars

/**
 * Draw the constellation. `reached` has the kinds of the steps shown so far, the current one last.
 * @param {{item: BoardScored, board: Board, title: string, names: string[], steps: Step[], reached: StepKind[]}} props
 */
export function Constellation({ item, board, title, names, steps, reached }) {
  /** @type {Record<string, Point>} */
  const at = Object.fromEntries(board.spaces.map((it) => [it.id, [100 * it.x, 100 * it.y]]));
  const lying = Object.fromEntries(item.placements.map((it) => [it.space, it]));
  const step = (/** @type {StepKind} */ kind) =>
    /** @type {Partial<Step>} */ (steps.find((it) => it.kind === kind) ?? {});
  const { arcs = [] } = step("vanish");
  const { pulls = [] } = step("swallow");
  const { doubled = [] } = step("double");
  const has = (/** @type {StepKind} */ kind) => reached.includes(kind);
  const isGone = (/** @type {string} */ id) =>
    (has("vanish") && item.annihilated.includes(id)) || (has("swallow") && item.swallowed.includes(id));
  const name = (/** @type {Space} */ { id, size }) => {
    const { star, seat } = lying[id];
    const isDown = size === "large" && !has("reveal");
    const key = isGone(id) ? "scoring.gone" : has("worth") ? "scoring.counts" : "scoring.lies";
    return t(key, { space: id, star: starName(isDown ? null : star), name: names[seat], value: item.values[id] });
  };
  const marks = (/** @type {string} */ id) => [
    item.annihilated.includes(id) && "annihilated",
    item.swallowed.includes(id) && "swallowed",
    pulls.some((it) => it.hole === id) && "hole",
    doubled.some((it) => it.by.includes(id)) && "doubler",
    item.values[id] === 0 && "nought",
  ].filter(Boolean).join(" ");
  return html`<svg class=${["heaven", ...reached.map((it) => `has-${it}`), `at-${reached.at(-1)}`].join(" ")}
    viewBox=${around(Object.values(at))} role="group" aria-label=${title}>
    <${Backdrop} seed=${board.id} />
    ${board.lines.map(([one, other]) => html`<line key=${one + other} class="line" x1=${at[one][0]} y1=${at[one][1]}
      x2=${at[other][0]} y2=${at[other][1]} />`)}
    ${doubled.flatMap(({ space, by }) => by.map((from) => html`<line key=${from + space} class="beam" pathLength="1"
      x1=${at[from][0]} y1=${at[from][1]} x2=${at[space][0]} y2=${at[space][1]} />`))}
    ${pulls.map(({ space, hole }) => html`<path key=${space} class="pull" pathLength="1"
      d=${arc(at[space], at[hole], BULGE)} />`)}
    ${board.spaces.map((space, i) => {
      const [x, y] = at[space.id];
      const r = RADIUS[space.size];
      const { seat, star } = lying[space.id];
      const hole = pulls.find((it) => it.space === space.id)?.hole;
      const way = hole ? at[hole].map((it, axis) => `${(it - [x, y][axis]).toFixed(2)}px`) : ["0px", "0px"];
      return html`<g key=${space.id} class=${`lying ${space.size} ${marks(space.id)}`} data-space=${space.id}
        transform=${`translate(${x} ${y})`} role="img" aria-label=${name(space)}>
        <g class="ghost"><${SeatShape} seat=${seat} r=${r * 0.8} fill="#0b1133" stroke=${COLOURS[seat]}
          stroke-width=".5" stroke-dasharray="1 .9" /><${Face} star=${star} r=${r * 0.75} colour=${COLOURS[seat]} /></g>
        <circle class="aura" r=${r + 2.4} />
        <g class="body" style=${{ "--x": way[0], "--y": way[1], "--i": i }}>
          <g class="front"><${Piece} seat=${seat} star=${star} r=${r - 0.3} /></g>
          ${space.size === "large" && html`<g class="rear"><${Piece} seat=${seat} star=${null} isDown
            r=${r - 0.3} /></g>`}
        </g>
        <text class="letter" x=${-r * 0.8 - 1.6} y=${-r * 0.8}>${space.id}</text>
      </g>`;
    })}
    ${board.spaces.map((space, i) => {
      const r = RADIUS[space.size];
      const times = doubled.find((it) => it.space === space.id)?.times;
      return html`<g key=${space.id} class=${marks(space.id)} transform=${`translate(${at[space.id].join(" ")})`}
        data-worth=${space.id} aria-hidden="true">
        ${times && html`<g class="times" transform=${`translate(${r + 1.6} ${-r * 0.75})`}><g class="pop"><rect x="-3.6"
          y="-2.9" width="7.2" height="5.4" rx="2.7" /><text y="1.1">×${times}</text></g></g>`}
        ${item.values[space.id] !== undefined && html`<g class="worth" style=${{ "--i": i }}><text
          y=${r + 5.4}>${item.values[space.id]}</text></g>`}
      </g>`;
    })}
    ${arcs.flatMap(([one, other]) => [BULGE, -BULGE].map((bulge) => html`<path key=${one + other + bulge} class="arc"
      pathLength="1" d=${arc(at[one], at[other], bulge)} />`))}
  </svg>`;
}

/**
 * Return the view box around these points.
 * @param {Point[]} points
 */
function around(points) {
  const axes = [0, 1].map((axis) => points.map((it) => it[axis]));
  const [[x, width], [y, height]] = axes.map((it) => [Math.min(...it), Math.max(...it) - Math.min(...it)]);
  return [x - EDGE, y - EDGE, width + 2 * EDGE, height + 2 * EDGE].map((it) => it.toFixed(1)).join(" ");
}

/**
 * Return the path of an arc between two points.
 * @param {Point} from
 * @param {Point} to
 * @param {number} bulge
 */
function arc([x, y], [toX, toY], bulge) {
  const [dx, dy] = [toX - x, toY - y];
  return `M${x} ${y}Q${(x + dx / 2 - dy * bulge).toFixed(2)} ${(y + dy / 2 + dx * bulge).toFixed(2)} ${toX} ${toY}`;
}
