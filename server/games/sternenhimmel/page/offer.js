// The offer to watch the scoring of a constellation.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { seen } from "../ui/local-storage.js";
import { store, useStore } from "../ui/store.js";
import { knows, listed, t } from "../ui/words.js";
import { later } from "../ui/lazy-loading.js";
import { me } from "../ui/token.js";
import { seatName } from "../ui/game-words.js";
import { boardName, prizesOf, signed } from "./story.js";
/** @import { BoardScored, Rules, Table } from "./types" */

const Scoring = later("sternenhimmel/scoring", "Scoring");
/** @type {BoardScored[]} */
const NONE = [];
const watched = store(NONE); // the scoring being shown, then those queued
const finished = store(0); // the `seq` of a scoring that was watched to its end

/**
 * The button beside a scoring's sentence in the story.
 * @param {{item: BoardScored, rules: Rules}} props
 */
export const Watch = ({ item, rules }) => html`<button class="plain watch" aria-haspopup="dialog"
  aria-label=${t("watch.of", { board: boardName(item.board, rules) })}
  onClick=${() => watched.set([item])}>${t("watch")}</button>`;

/**
 * Show the scoring being watched, if any.
 * @param {{names: string[], rules: Rules}} props
 */
export function Theatre({ names, rules }) {
  const [item, ...more] = useStore(watched);
  const close = (isSeen = false) => {
    watched.set(NONE);
    if (!isSeen) return;
    if (document.activeElement?.closest(".offer")) document.getElementById("main")?.focus({ preventScroll: true }); // it goes
    finished.set(item.seq);
  };
  useEffect(() => () => watched.set(NONE), []);
  return item && html`<${Scoring} key=${item.seq} item=${item} names=${names} rules=${rules} close=${close}
    next=${more.length > 0 && (() => watched.set(more))} />`;
}

/**
 * Summarise the payouts of these scorings, highest first, with the player as "you".
 * @param {BoardScored[]} found
 * @param {Table} table
 * @param {Rules} rules
 */
function paid(found, { game }, rules) {
  const sums = game.seats.map((_, seat) => found.reduce((sum, it) => sum + it.payouts[seat], 0));
  const less = (/** @type {number} */ seat) => { // a winner who pays the others keeps less than the prize
    const { prize, paid } = prizesOf(found[0], seat);
    return paid && found.length === 1 ? ` (${prize} − ${paid})` : "";
  };
  const gains = game.seats.filter(({ seat }) => sums[seat]).sort((one, other) => sums[other.seat] - sums[one.seat])
    .map((it) => `${it.seat === game.you?.seat ? t("you") : seatName(it)} ${signed(sums[it.seat])}${less(it.seat)}`);
  const tied = found.flatMap((it) => (knows(`outcome.${it.outcome}`) ? [t(`outcome.${it.outcome}`)] : []));
  const boards = listed(found.map((it) => boardName(it.board, rules)));
  if (!gains.length) return t("offer", { count: found.length, boards });
  return [t("offer.paid", { count: found.length, boards, gains: gains.join(", ") }), ...new Set(tied)].join(" ");
}

/**
 * Offer the scorings since the player's last move, including those that it caused. Offer a spectator those since the
 * page was opened. At an earlier version, offer those of that move.
 * @param {{table: Table, rules: Rules, at: number | null}} props
 */
export function Offer({ table, rules, at }) {
  const { game, story } = table;
  const kept = seen("scored", me.get()?.id);
  const begun = useRef(game.version);
  const [declined, decline] = useState(() => kept.of(game.id));
  const done = Math.max(declined, useStore(finished));
  useEffect(() => () => finished.set(0), []);
  const own = story.findLast((it) => it.type === "star-placed" && it.seat === game.you?.seat)?.version ?? 0;
  const from = game.you ? own : begun.current;
  const scored = story.filter((it) => it.type === "board-scored");
  const found = scored.filter((it) => (at === null ? it.version >= from && it.seq > done : it.version === at));
  if (!found.length) return null;
  const names = found.map((it) => boardName(it.board, rules));
  const { seq } = found[found.length - 1];
  const watch = () => {
    watched.set(found);
    kept.upTo(game.id, Math.max(seq, kept.of(game.id))); // the button keeps its place until the next move or the end
  };
  const refuse = () => {
    kept.upTo(game.id, seq);
    decline(seq);
  };
  return html`<section class="strip offer" aria-label=${t("watch")}>
    <p><strong>${paid(found, table, rules)}</strong></p>
    <button aria-haspopup="dialog" aria-label=${t("watch.of", { board: listed(names) })}
      onClick=${watch}>${t("watch")}</button>
    ${at === null && html`<button class="plain" onClick=${refuse}>${t("offer.decline")}</button>`}
  </section>`;
}
