// A constellation on its part of the night sky.
import { html } from "../ui/html.js";
import { t } from "../ui/words.js";
import { Piece } from "./pieces.js";
import { onPress, useRoving } from "../ui/roving-tabindex.js";
import { sparkle } from "../ui/seat-shapes.js";
import { drawnOut } from "./fit.js";
/** @import { Board as Constellation, Lying, Space } from "./types" */

const RADIUS = { large: 6.4, small: 4.9 };
const TOUCH = 7.6; // radius of the touch target; spaces are at least twice this apart

/**
 * Draw a constellation. `lying` has the stars by space, `name(space)` is the accessible name, `marks(id)` returns CSS
 * classes.
 * @param {{board: Constellation, title: string, lying: Record<string, Lying | undefined>,
 *   name: (space: Space) => string,
 *   marks?: (id: string) => string, act?: ((id: string) => unknown) | null, values?: Record<string, number>,
 *   fit?: import("./fit").Fit | null}} props
 */
export function Board({ board, title, lying, name, marks = (_) => "", act, values = {}, fit = null }) {
  const [across, down] = drawnOut(fit?.room);
  const places = board.spaces.map(({ id, x, y }) => ({ id, x: x * across, y: y * down }));
  const roving = useRoving(places, board.lines);
  const at = Object.fromEntries(places.map((it) => [it.id, [100 * it.x, 100 * it.y]]));
  return html`<section class=${fit?.isWide ? "board wide" : "board"} aria-label=${title} data-board=${board.id}
    onKeyDown=${act && roving.onKeyDown} onFocusIn=${act && roving.onFocusIn}>
    <header><h3>${title} <i lang="la">${board.latin === title ? "" : board.latin}</i></h3>
      <p class="prizes" role="img" data-tip="prizes" aria-label=${t("prizes", board.prizes)}><span
        class="coin first">${board.prizes.first}</span><span class="coin">${board.prizes.second}</span></p></header>
    <svg viewBox=${`-3 -3 ${6 + 100 * across} ${6 + 100 * down}`} role="group" aria-label=${title}>
      ${board.lines.map(([one, other]) => html`<line key=${one + other}
        class="line" x1=${at[one][0]} y1=${at[one][1]} x2=${at[other][0]} y2=${at[other][1]} />`)}
      ${board.spaces.map((space, i) => {
        const [x, y] = at[space.id];
        const r = RADIUS[space.size];
        const here = lying[space.id];
        return html`<g key=${space.id} class="space ${space.size} ${marks(space.id)}" data-at=${space.id}
          role=${act ? "button" : "img"} tabindex=${act ? roving.tabIndex(space.id) : null} aria-label=${name(space)}
          aria-disabled=${act && !marks(space.id).includes("open") ? "true" : null}
          onClick=${act && (() => act(space.id))}
          onKeyDown=${act && onPress(() => act(space.id))}>
          <circle class="touch" cx=${x} cy=${y} r=${TOUCH} />
          <circle class="halo" cx=${x} cy=${y} r=${r + 1.5} />
          ${here
            ? html`<g class="lying"><${Piece} seat=${here.seat} star=${here.star} isDown=${here.isDown} x=${x} y=${y}
              r=${r - 0.3} /></g>`
            : html`<circle class="ring" cx=${x} cy=${y} r=${r} />
              ${space.size === "large" && html`<circle class="ring inner" cx=${x} cy=${y} r=${r - 1.3} />`}
              <path class="glow" d=${sparkle(x, y, 3.6 - 0.24 * i)} /><text class="letter" x=${x + r * 0.75}
                y=${y - r * 0.75}>${space.id}</text>`}
          ${values[space.id] !== undefined && html`<text class="value" x=${x}
            y=${y + r + 4.6}>${values[space.id]}</text>`}
        </g>`;
      })}
    </svg>
  </section>`;
}
