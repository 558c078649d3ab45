// Standings: coins or points after each move, as a chart and a table.
import { course } from "../ui/course.js";
import { GAMES } from "../ui/games.js";
import { html } from "../ui/html.js";
import { COLOURS, SeatShape } from "../ui/seat-shapes.js";
import { listed, t } from "../ui/words.js";
import { placeInWords, placeOf } from "../table/story.js";
/** @import { Game, GameEvent } from "../ui/types" */
/** @import { Row } from "../ui/course.js" */

const WIDE = 320;
const HIGH = 150;
const [LEFT, RIGHT, TOP, LOW] = [26, 24, 12, 12]; // margins of the chart
const DASHES = ["none", "7 3", "2 3", "10 3 2 3", "5 5"]; // so that lines differ by more than colour
const APART = 13; // minimum distance between line ends

/**
 * @param {{game: Game, story: GameEvent[], names: string[], at: number | null,
 *   showAt: (version: number) => void}} props
 */
export function Standings({ game, story, names, at, showAt }) {
  const { seats, version } = game;
  const unit = GAMES[game.rules]?.score ?? "points";
  const rows = course(story, seats);
  const shown = at ?? version;
  const { scores } = rows.findLast((it) => it.version <= shown) ?? rows[0];
  const told = seats.map((_, seat) => `${names[seat]} ${scores[seat]}`);
  const isByTurn = placeOf(story, version, version).turn !== null;
  const count = (/** @type {number} */ at) => {
    const { turn, part } = placeOf(story, at, version);
    return turn === null ? at : `${turn || t("history.start")}${part}`;
  };
  return html`<section class="card standings" aria-label=${t("standings")}>
    <h2>${t("standings")}</h2>
    <${Chart} rows=${rows} version=${version} shown=${shown} showAt=${showAt}
      label=${t("standings.chart", { at: placeInWords(story, shown, version), scores: listed(told) })} />
    <ul>${seats.map((_, seat) => html`<li key=${seat}><svg class="night" viewBox="0 0 44 16" width="44" height="16"
      aria-hidden="true"><path d="M2 8H28" ...${line(seat)} /><${End} seat=${seat} x=${35} y=${8} /></svg>
      ${names[seat]} <strong>${t(unit, { count: scores[seat] })}</strong></li>`)}</ul>
    <details><summary>${t("standings.table")}</summary>
      <div class="scrolls" tabindex="0" role="group" aria-label=${t("standings.table")}><table>
        <thead><tr><th scope="col">${t(isByTurn ? "standings.turn" : "standings.move")}</th>${names.map((name, seat) => html`<th key=${seat}
          scope="col">${name}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr key=${row.version} class=${row.scores === scores ? "shown" : ""}>
          <th scope="row"><button class="moment" aria-label=${t("standings.show", { at: placeInWords(story, row.version, version) })}
            onClick=${() => showAt(row.version)}>${count(row.version)}</button></th>
          ${row.scores.map((it, seat) => html`<td key=${seat}>${it}</td>`)}</tr>`)}</tbody>
      </table></div>
    </details>
  </section>`;
}

/**
 * Draw the scores as a step chart. A tap shows the table at that move.
 * @param {{rows: Row[], version: number, shown: number, showAt: (version: number) => void, label: string}} props
 */
function Chart({ rows, version, shown, showAt, label }) {
  const seats = rows[0].scores.map((_, seat) => seat);
  const most = Math.max(1, ...rows.flatMap((it) => it.scores));
  const across = (WIDE - LEFT - RIGHT) / Math.max(1, version - 1);
  const x = (/** @type {number} */ at) => LEFT + (at - 1) * across;
  /** @param {number} seat */
  const aside = (seat) => 1.5 * (seat - (seats.length - 1) / 2); // keeps overlapping lines apart
  /** @type {(score: number, seat: number) => number} */
  const y = (score, seat) => TOP + (HIGH - TOP - LOW) * (1 - score / most) + aside(seat);
  const way = (/** @type {number} */ seat) => rows.map(({ version: at, scores }, i) =>
    `${i ? `H${x(at).toFixed(1)}V` : `M${x(at)} `}${y(scores[seat], seat).toFixed(1)}`).join("") + `H${x(version)}`;
  const ends = spread(seats.map((seat) => ({ seat, y: y(rows[rows.length - 1].scores[seat], seat) })));
  const tap = (/** @type {MouseEvent & {currentTarget: Element}} */ event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    showAt(Math.round(1 + ((event.clientX - left) * (WIDE / width) - LEFT) / across));
  };
  return html`<svg class="night chart" viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" aria-label=${label} onClick=${tap}>
    ${[0, most].map((score) => html`<line key=${score} class="rule" x1=${LEFT} x2=${WIDE - RIGHT} y1=${y(score, -0.5)}
      y2=${y(score, -0.5)} /><text x=${LEFT - 6} y=${y(score, -0.5) + 4} text-anchor="end">${score}</text>`)}
    <line class="here" x1=${x(shown)} x2=${x(shown)} y1="4" y2=${HIGH - 4} />
    ${seats.map((seat) => html`<path key=${seat} d=${way(seat)} ...${line(seat)} />`)}
    ${ends.map((it) => html`<${End} key=${it.seat} seat=${it.seat} x=${WIDE - RIGHT + 12} y=${it.y} />`)}
  </svg>`;
}

const line = (/** @type {number} */ seat) => ({
  fill: "none", stroke: COLOURS[seat], "stroke-width": 2, "stroke-dasharray": DASHES[seat], "stroke-linejoin": "round",
});

/** @param {{seat: number, x: number, y: number}} props */
const End = ({ seat, x, y }) => html`<${SeatShape} seat=${seat} x=${x} y=${y} r=${5} fill=${COLOURS[seat]} />`;

/**
 * Spread the line ends vertically so that they do not overlap and stay within the chart.
 * @param {{seat: number, y: number}[]} ends
 */
function spread(ends) {
  const sorted = ends.sort((one, other) => one.y - other.y);
  sorted.forEach((it, i) => (it.y = Math.max(it.y, i ? sorted[i - 1].y + APART : 8)));
  let floor = HIGH - 8;
  for (const it of sorted.toReversed()) {
    it.y = Math.min(it.y, floor);
    floor = it.y - APART;
  }
  return sorted;
}
