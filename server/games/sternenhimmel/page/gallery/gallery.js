// The gallery of a finished game: each constellation as it was scored, its winners, and the tale of the game.
import { html } from "../../ui/html.js";
import { useMedia } from "../../ui/size.js";
import { SeatMark } from "../../ui/seat-shapes.js";
import { listed, t, tell, whoPlays } from "../../ui/words.js";
import { Board } from "../board.js";
import { Watch } from "../offer.js";
import { boardName, boardOf, starName } from "../story.js";
/** @import { BoardScored, Rules, Space } from "../types" */
/** @import { Seat } from "../../ui/types" */

/** @param {{scored: BoardScored[], names: string[], rules: Rules, seats: Seat[], seat?: number}} props */
export function Gallery({ scored, names, rules, seats, seat }) {
  const players = seats.map((it) => whoPlays(names[it.seat], it.stand_in));
  const own = seats.some((it) => it.seat === seat && it.stand_in) ? undefined : seat; // else it was the bot's game
  const isNarrow = useMedia("(max-width: 48rem)"); // where the gallery is many screens high
  return html`<section class="gallery" aria-label=${t("gallery")}>
    <h3>${t("gallery")}</h3>
    <p class="tale">${tale(scored, players, rules, own).join(" ")}</p>
    <details open=${!isNarrow}><summary>${t("gallery.all", { count: scored.length })}</summary><ul class="boards">${scored.map((it) => html`<li key=${it.seq}><${Scored} item=${it} names=${names}
      rules=${rules} /></li>`)}</ul></details>
  </section>`;
}

/** @param {{item: BoardScored, names: string[], rules: Rules}} props */
function Scored({ item, names, rules }) {
  const gone = new Set([...item.annihilated, ...item.swallowed]);
  const lying = Object.fromEntries(item.placements.map(({ space, seat, star }) => [space, { seat, star }]));
  const name = (/** @type {Space} */ { id }) => t(gone.has(id) ? "scored.gone" : "scored.counts", {
    space: id, name: names[lying[id].seat], star: starName(lying[id].star), value: item.values[id],
  });
  const title = boardName(item.board, rules);
  return html`<${Board} board=${boardOf(item.board, rules)} title=${title} lying=${lying} name=${name}
      marks=${(/** @type {string} */ id) => (gone.has(id) ? "gone" : "")} />
    <p class="owners">${owners(item).map((seat) => html`<span key=${seat}><${SeatMark} seat=${seat} />
      ${t("gallery.owner", { name: names[seat], coins: t("coins", { count: item.payouts[seat] }) })}</span>`)}
      ${owners(item).length === 0 && t("gallery.nobody")}</p>
    <${Watch} item=${item} rules=${rules} />`;
}

/**
 * Return the seats that were paid, highest first.
 * @param {BoardScored} item
 */
const owners = ({ payouts }) => payouts.map((_, seat) => seat).filter((seat) => payouts[seat] > 0)
  .sort((one, other) => payouts[other] - payouts[one]);

/**
 * Return the game in a few sentences: the start, changes of the lead, the best scoring, and the end. The seat `own` is
 * the reader's.
 * @param {BoardScored[]} scored
 * @param {string[]} names
 * @param {Rules} rules
 * @param {number} [own]
 */
export function tale(scored, names, rules, own) {
  const coins = names.map(() => 0);
  let ahead = -1;
  const told = scored.flatMap((item, i) => {
    item.payouts.forEach((it, seat) => (coins[seat] += it));
    const most = Math.max(...coins);
    const first = coins.filter((it) => it === most).length === 1 ? coins.indexOf(most) : ahead;
    if (first === ahead || (i > 0 && first < 0)) return [];
    ahead = first;
    return [tell(i ? "tale.ahead" : "tale.first", first === own, { board: boardName(item.board, rules), name: names[first],
      coins: t("coins", { count: most }) })];
  });
  const best = scored.map((it) => ({ board: it.board, count: Math.max(...it.payouts), seat: owners(it)[0] }))
    .sort((one, other) => other.count - one.count)[0];
  const order = [...coins].sort((one, other) => other - one);
  const winners = names.map((_, seat) => seat).filter((seat) => coins[seat] === order[0]);
  return [...told,
    best?.count > 0 && tell("tale.best", best.seat === own, { name: names[best.seat], board: boardName(best.board, rules),
      coins: t("coins", { count: best.count }) }),
    tell("tale.end", winners.join() === String(own), { names: listed(winners.map((it) => names[it])), coins: t("coins", { count: order[0] }) }),
  ].filter(Boolean);
}
