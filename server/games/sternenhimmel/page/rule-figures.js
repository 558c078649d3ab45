// Figures for the rules of Sternenhimmel, and the numbers in their text.
import { html } from "../ui/html.js";
import { listed, locale, t } from "../ui/words.js";
import { Board } from "./board.js";
import { Piece } from "./pieces.js";
import { SeatMark, sparkle } from "../ui/seat-shapes.js";
import { boardName, boardOf, starName } from "./story.js";
/** @import { Example, Examples, Rules, Space, Star } from "./types" */

const NAMES = ["Ada", "Ben", "Cleo", "Dan"];
const RADIUS = { large: 8, small: 6.2 };

/**
 * Return the values for the placeholders in the text, from examples.json and the game's data.
 * @param {{rules: Rules, examples: Examples}} about
 */
export function valuesOf({ rules, examples }) {
  const { scored, doubles } = examples;
  const per = (/** @type {Star} */ star) => rules.stars.find((it) => it.star === star)?.per_seat;
  const board = boardOf(scored.board, rules);
  const spaces = rules.boards.reduce((sum, it) => sum + it.spaces.length, 0);
  const numbers = rules.stars.filter((it) => it.value > 0);
  const firsts = rules.boards.map((it) => it.prizes.first);
  const seconds = rules.boards.map((it) => it.prizes.second);
  const paid = (/** @type {"first" | "bank"} */ payer) =>
    Object.fromEntries(NAMES.map((name, i) => [`${name}_${payer}`, scored.payouts[payer][i]]));
  return {
    players: new Intl.ListFormat(locale(), { type: "disjunction" }).format(rules.seats.map(String)),
    set: rules.stars.reduce((sum, it) => sum + it.per_seat, 0),
    numbers: listed(numbers.map((it) => it.star)), holes: per("B"), doubles: per("D"),
    boards: rules.boards.length, turns: spaces,
    least_first: Math.min(...firsts), most_first: Math.max(...firsts),
    least_second: Math.min(...seconds), most_second: Math.max(...seconds),
    board: boardName(board.id, rules), first: board.prizes.first, second: board.prizes.second,
    one_double: doubles.values.a, two_doubles: doubles.values.d,
    ...Object.fromEntries(NAMES.map((name, i) => [`${name}_total`, scored.totals[i]])),
    ...Object.fromEntries(NAMES.map((name, i) => [`${name}_stars`, scored.stars[i]])),
    ...paid("first"), ...paid("bank"),
    compensation: scored.stars[2] + scored.stars[3],
  };
}

/**
 * Return functions that draw the figures, by name, given their alternative text.
 * @param {{rules: Rules, examples: Examples}} about
 * @returns {Record<string, (alt: string) => any>}
 */
export function figuresOf({ rules, examples }) {
  const { spaces, holes, doubles, tie, scored } = examples;
  return {
    set: (alt) => html`<${StarSet} stars=${rules.stars} alt=${alt} />`,
    spaces: (alt) => html`<${Piecewise} example=${spaces} own=${0} alt=${alt} />`,
    holes: (alt) => html`<${Piecewise} example=${holes} alt=${alt} />`,
    doubles: (alt) => html`<${Piecewise} example=${doubles} alt=${alt} />`,
    tie: (alt) => html`<${Piecewise} example=${tie} alt=${alt} />`,
    scored: () => html`<${Scored} rules=${rules} example=${scored} />`,
  };
}

/**
 * Draw the set of stars that each player has.
 * @param {{stars: Rules["stars"], alt: string}} props
 */
function StarSet({ stars, alt }) {
  const all = stars.flatMap((it) => Array(it.per_seat).fill(it.star));
  return html`<svg class="sky-part" viewBox=${`0 0 ${all.length * 20} 24`} role="img" aria-label=${alt}>
    ${all.map((star, i) => html`<${Piece} key=${i} seat=${0} star=${star} x=${10 + 20 * i} y=${12} r=${8} />`)}
  </svg>`;
}

/**
 * Draw some spaces of a constellation as the seat `own` sees them, with other players' stars face down.
 * @param {{example: Example, own?: number, alt: string}} props
 */
function Piecewise({ example, own, alt }) {
  const at = Object.fromEntries(example.spaces.map((it) => [it.id, [100 * it.x, 50 * it.y]]));
  return html`<svg class="sky-part" viewBox="0 3 100 41" role="img" aria-label=${alt}>
    ${example.lines.map(([one, other]) => html`<line key=${one + other} class="line" x1=${at[one][0]} y1=${at[one][1]}
      x2=${at[other][0]} y2=${at[other][1]} />`)}
    ${example.spaces.map(({ id, size }) => {
      const [x, y] = at[id];
      const [seat, star] = example.lying[id] ?? [];
      const r = RADIUS[size];
      const isGone = example.gone?.includes(id);
      const value = example.values?.[id];
      return html`<g key=${id} class=${isGone ? "space gone" : "space"}>
        <circle class="ring" cx=${x} cy=${y} r=${r} />
        ${size === "large" && html`<circle class="ring inner" cx=${x} cy=${y} r=${r - 1.5} />`}
        ${seat === undefined
          ? html`<path class="glow" d=${sparkle(x, y, 3)} />`
          : html`<${Piece} seat=${seat} star=${star} isDown=${own !== undefined && size === "large"} x=${x} y=${y}
            r=${r - 0.3} />`}
        ${value !== undefined && html`<text class="value" x=${x} y=${y + r + 5}>${value}</text>`}
      </g>${isGone && html`<path class="cross"
        d=${`M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`} />`}`;
    })}
  </svg>`;
}

/**
 * Draw a full constellation with the value of each star.
 * @param {{rules: Rules, example: Example}} props
 */
function Scored({ rules, example }) {
  const board = boardOf(example.board, rules);
  const gone = new Set(example.gone);
  const lying = Object.fromEntries(
    Object.entries(example.lying).map(([space, [seat, star]]) => [space, { seat, star }]),
  );
  const name = (/** @type {Space} */ { id }) => t(gone.has(id) ? "scored.gone" : "scored.counts", {
    space: id, name: NAMES[lying[id].seat], star: starName(lying[id].star), value: example.values[id],
  });
  return html`<${Board} board=${board} title=${boardName(board.id, rules)} lying=${lying} name=${name}
    marks=${(/** @type {string} */ id) => (gone.has(id) ? "gone" : "")} values=${example.values} />
    <table><thead><tr><th scope="col">${t("rules.player")}</th><th scope="col">${t("rules.total")}</th>
      <th scope="col">${t("rules.stars")}</th></tr></thead>
      <tbody>${NAMES.map((who, seat) => html`<tr key=${who}>
        <th scope="row"><${SeatMark} seat=${seat} /> ${who}</th>
        <td>${example.totals[seat]}</td><td>${example.stars[seat]}</td></tr>`)}</tbody></table>`;
}
