// The Firmament: fields connected by lines, with the pieces on them.
import { html, useRef } from "../ui/html.js";
import { t } from "../ui/words.js";
import { onPress, useRoving } from "../ui/roving-tabindex.js";
import { useSize } from "../ui/size.js";
import { useZoom } from "../ui/zoom.js";
import { Piece, Shine } from "./pieces.js";
/** @import { Field, Firmament as Map, Piece as Kind } from "./types" */

const FREE = 2.3; // radius of a free field
const EDGE = 2; // margin left and right, cropped from a square 100 wide

/**
 * Draw the Firmament. `name(field)` is the accessible name, `marks(id)` returns CSS classes. `ways` are paths to draw,
 * `gone` the removed pieces by field. `worth(id)` is what the present step scores on this field, or null if that depends on
 * the field alone. `act` is called with the id of a field, unless the Firmament is read-only.
 * @param {{firmament: Map, board: Record<string, Kind>, hasBonus: boolean, name: (field: Field) => string,
 *   marks: (id: string) => string, ways: {fields: string[], kind: string}[], gone: Record<string, Kind>,
 *   worth?: (id: string) => number | null, act?: false | ((id: string) => unknown)}} props
 */
export function Firmament({ firmament, board, hasBonus, worth, name, marks, ways, gone, act }) {
  const frame = useRef();
  const [scale, enlarge] = useZoom(frame);
  const isLarge = scale > 1;
  const [around, size] = useSize(); // nothing is drawn before the size is known, to avoid drawing twice
  const [across, down] = drawnOut(size);
  const places = firmament.fields.map(({ id, x, y }) => ({ id, x: x * across, y: y * down }));
  const at = Object.fromEntries(places.map((it) => [it.id, [100 * it.x, 100 * it.y]]));
  const roving = useRoving(places, firmament.lines);
  /** @param {string[]} ends */
  const line = ([one, other]) => html`<line key=${one + other} class="line" x1=${at[one][0]} y1=${at[one][1]}
    x2=${at[other][0]} y2=${at[other][1]} />`;
  return html`<div class="firmament" ref=${around}>
    <div class=${`frame ${isLarge ? "large" : ""}`} ref=${frame} tabindex=${!act && isLarge ? 0 : null}
      role=${!act && isLarge ? "group" : null} aria-label=${!act && isLarge ? t("firmament") : null}
      onFocusIn=${act && roving.onFocusIn} onKeyDown=${act && roving.onKeyDown}>
      ${size && html`<svg style=${{ width: `${100 * scale}%`, height: `${100 * scale}%` }} preserveAspectRatio="xMidYMax" viewBox=${`${EDGE} 0 ${100 * across - 2 * EDGE} ${2 + 100 * down}`} role="group" aria-label=${t("firmament")}
        aria-description=${act ? t("firmament.keys") : null}>
        <${Shine} />
        <g transform=${`scale(${across} ${down})`}><circle class="night" cx="50" cy="51" r="51" /></g>
        ${firmament.lines.map(line)}
        ${ways.map(({ fields, kind }, i) => html`<polyline key=${i} class=${`way ${kind}`}
          points=${fields.map((id) => at[id].join(",")).join(" ")} />`)}
        ${firmament.fields.map((field) => {
          const [x, y] = at[field.id];
          const kind = board[field.id];
          const bonus = hasBonus && field.bonus;
          const points = worth?.(field.id) ?? (bonus || 0);
          return html`<g key=${field.id} class=${`field ${bonus ? "special" : ""} ${marks(field.id)}`}
            data-at=${field.id} data-field=${field.id} role=${act ? "button" : "img"} aria-label=${name(field)}
            tabindex=${act ? roving.tabIndex(field.id) : null} transform=${`translate(${x} ${y})`}
            aria-disabled=${act && !marks(field.id).includes("open") ? "true" : null}
            onClick=${act && (() => act(field.id))}
            onKeyDown=${act && onPress(() => act(field.id))}>
            <circle class="touch" r="4.6" />
            <circle class="halo" r=${HALO[kind] ?? 3.7} />
            ${kind ? html`<${Piece} kind=${kind} glows />` : html`<circle class="ring" r=${FREE} />`}
            ${gone[field.id] && !kind && html`<g class="gone"><${Piece} kind=${gone[field.id]} size=".62" /><path
              d="M-2.1 -2.1L2.1 2.1M2.1 -2.1L-2.1 2.1" /></g>`}
            ${!kind && !gone[field.id] && html`<text class="name" y=".75">${field.id}</text>`}
            ${points > 0 && html`<text class="bonus" ...${outwards(x - 50 * across, y - 50 * down, kind ? 6.6 : 4.8)}>+${points}</text>`}
          </g>`;
        })}
      </svg>`}
    </div>
    <button class="plain zoom" onClick=${() => enlarge(isLarge ? 1 : 2)} title=${t(isLarge ? "firmament.whole" : "firmament.larger")}
      aria-label=${t(isLarge ? "firmament.whole" : "firmament.larger")}><svg viewBox="0 0 24 24" aria-hidden="true"><path
        d=${`M15 15l6 6M6 10h8${isLarge ? "" : "M10 6v8"}M17 10a7 7 0 1 1-14 0a7 7 0 1 1 14 0`} /></svg></button>
  </div>`;
}

const MOST = 1.25; // maximum aspect ratio

/**
 * Return the horizontal and vertical stretch that fills the available space.
 * @param {{width: number, height: number} | null} size
 */
function drawnOut(size) {
  const { width, height } = size ?? { width: 1, height: 1 };
  const longer = (/** @type {number} */ it) => Math.min(MOST, Math.max(1, it || 1));
  return [longer(width / height), longer(height / width)];
}

/**
 * Return the position of a bonus: away from the centre, where fields are less dense, but inwards at the edge. At the
 * centre, it is above.
 * @param {number} dx offset from the centre
 * @param {number} dy
 * @param {number} far
 */
export function outwards(dx, dy, far) {
  const from = Math.hypot(dx, dy);
  if (from === 0) return { x: 0, y: 1.05 - far };
  const way = (from > 40 ? -far : far) / from;
  return { x: 1.2 * dx * way, y: dy * way + 1.05 };
}

/** @type {Partial<Record<Kind, number>>} */
const HALO = { leucht: 5, pracht: 5.7, nova: 6.2 };
