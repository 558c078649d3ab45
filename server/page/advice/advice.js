// Advice from a search bot: hints on the player's turn, and a review of a finished game.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call, isTransient } from "../ui/api.js";
import { addressOf } from "../ui/files.js";
import { GAMES, ROOMS } from "../ui/games.js";
import { Sorry, useLoaded } from "../ui/parts.js";
import { t } from "../ui/words.js";
import { hinted, prepared } from "../table/hinted.js";
/** @import { Game, Hint as Hinted, HintedMove, Move, PlanForm, Review as Reviewed, ReviewedMove, RulesDescription,
 *   SeatedTable } from "../ui/types" */

const MUCH = 10; // points behind the best move
const AGAIN = 5_000; // milliseconds between polls of a review in progress
const FIRST = 5; // moves listed before "show all"
const EDGE = 8; // pixels around the hint

/**
 * Return a function that describes a move as the game's own module does, or as emails do if the game has none, and
 * whether that module has loaded.
 * @param {Game} game
 * @param {RulesDescription} rules
 * @returns {[written: (it: {move: Move, words: string}) => string, isReady: boolean]}
 */
function useWritten(game, rules) {
  /** @returns {Promise<PlanForm | null>} */
  const load = async () => (ROOMS.includes(game.rules) ? import(addressOf(`${game.rules}/plan.js`)) : null);
  const [form, error] = useLoaded(load, [game.rules]);
  return [({ move, words }) => form?.written(move, rules) ?? words, form !== null || !!error || !ROOMS.includes(game.rules)];
}

/**
 * @param {Game} game
 * @param {number} count
 */
const points = (game, count) => t(GAMES[game.rules]?.score ?? "points", { count });

/**
 * Show the best moves for the player's turn, in a panel over the table.
 * @param {{table: SeatedTable, rules: RulesDescription, close: () => void}} props
 */
export function Hint({ table, rules, close }) {
  const { game, base } = table;
  /** @returns {Promise<Hinted>} */
  const ask = () => call("GET", `${base}/hint`);
  const [hint, error] = useLoaded(ask, [game.you.turn]);
  const [written, isReady] = useWritten(game, rules);
  const all = isReady && hint ? /** @type {HintedMove[]} */ (hint.moves) : [];
  const moves = all.filter((it, i) => all.findIndex((one) => written(one) === written(it)) === i); // copies of a card
  const [marked, mark] = useState(0);
  const place = useRef();
  useEffect(() => place.current.focus({ preventScroll: true }), []);
  useEffect(() => {
    hinted.set(moves[marked] && hint ? { base, turn: hint.turn, move: moves[marked].move } : null);
    return () => hinted.set(null);
  }, [isReady, hint, marked]);
  const corner = useCorner(place, moves.length > 0);
  const choose = (/** @type {Move} */ move) => {
    close(); // before the board takes the focus
    prepared.set({ base, turn: game.you.turn, move });
  };
  return html`<section class="hint" tabindex="-1" ref=${place} aria-label=${t("hint")} style=${corner}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close()}>
    <div class="about"><p role="status">${t(moves.length || error ? "hint.what" : "hint.thinking")}</p>
      <button class="plain" onClick=${close}>${t("hint.close")}</button></div>
    ${moves.length > 0 && html`<ol>${moves.map((it, i) => html`<li key=${i} class=${i === marked ? "marked" : ""}
        onPointerEnter=${() => mark(i)} onFocusIn=${() => mark(i)}>
        <span><strong>${written(it)}</strong> <span class="faint">${i === 0 ? whyBest(game, moves[1]) : howGood(game, it.behind)}</span></span>
        <button class=${i === 0 ? "" : "plain"} onClick=${() => choose(it.move)}
          aria-label=${`${t("hint.choose")}: ${written(it)}`}>${t("hint.choose")}</button></li>`)}</ol>`}
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/**
 * Return the position of the panel that covers the fewest marks of the best move. It stays there, so that the panel
 * doesn't move under the finger.
 * @param {{current: any}} place
 * @param {boolean} isFull whether the panel shows the moves
 */
function useCorner(place, isFull) {
  const [corner, set] = useState({});
  useEffect(() => {
    if (!isFull) return;
    const frame = requestAnimationFrame(() => { // the board draws the marks first
      const panel = place.current.getBoundingClientRect();
      const around = place.current.parentElement.getBoundingClientRect();
      const drawn = place.current.parentElement.querySelector(".drawn");
      const tray = drawn?.querySelector(".tray")?.getBoundingClientRect();
      /** @type {DOMRect[]} */
      const marks = [...(drawn?.querySelectorAll(".hinted") ?? [])].map((it) => it.getBoundingClientRect());
      const tops = [panel.top, Math.max(panel.top, (tray?.top ?? panel.bottom) - panel.height - EDGE)];
      const lefts = [panel.left, around.left + EDGE];
      const covered = (/** @type {number} */ top, /** @type {number} */ left) => marks.filter((it) => it.left < left + panel.width
        && it.right > left && it.top < top + panel.height && it.bottom > top).length;
      const all = tops.flatMap((top) => lefts.map((left) => ({ top, left, count: covered(top, left) })));
      const best = all.reduce((one, other) => (other.count < one.count ? other : one));
      set({ top: `${best.top - around.top}px`, left: `${best.left - around.left}px`, right: "auto" });
    });
    return () => cancelAnimationFrame(frame);
  }, [isFull]);
  return corner;
}

/**
 * @param {Game} game
 * @param {HintedMove} [next] the second-best move
 */
function whyBest(game, next) {
  if (!next) return t("hint.best");
  const count = Math.round(next.behind);
  if (count >= MUCH) return t("hint.best.much");
  return count ? t("hint.best.by", { points: points(game, count) }) : t("hint.best.close");
}

/**
 * @param {Game} game
 * @param {number} behind points by which a move is worse than the best
 */
function howGood(game, behind) {
  const count = Math.round(behind);
  if (count >= MUCH) return t("hint.much-worse");
  return count ? t("hint.worse", { points: points(game, count) }) : t("hint.as-good");
}

/**
 * Show how good the player's moves were. The review loads when the section is opened.
 * @param {{table: SeatedTable, rules: RulesDescription, showAt: (version: number) => void}} props
 */
export function Review({ table, rules, showAt }) {
  const [isWanted, want] = useState(false);
  return html`<details class="card review" onToggle=${(/** @type {{target: HTMLDetailsElement}} */ { target }) => target.open && want(true)}>
    <summary>${t("review")}</summary>
    ${isWanted && html`<${Moves} table=${table} rules=${rules} showAt=${showAt} />`}
  </details>`;
}

/** @param {{table: SeatedTable, rules: RulesDescription, showAt: (version: number) => void}} props */
function Moves({ table, rules, showAt }) {
  const { game, base } = table;
  const [round, again] = useState(0);
  /** @returns {Promise<Reviewed>} */
  const ask = () => call("GET", `${base}/review`);
  const [review, error] = useLoaded(ask, [round]);
  const [written] = useWritten(game, rules);
  const [all, showAll] = useState(false);
  const isComing = review && review.result === null;
  useEffect(() => {
    if (!isComing) return;
    const timer = setTimeout(() => again(round + 1), AGAIN);
    return () => clearTimeout(timer);
  }, [review]);
  if (error && (!review || !isTransient(error))) return html`<${Sorry} error=${error} />`;
  if (!review) return html`<p>${t("loading")}</p>`;
  if (isComing) {
    return html`<p role="status">${t("review.coming", { done: review.done, total: review.total })}</p>
      <progress max=${review.total} value=${review.done} aria-label=${t("review")} />`;
  }
  const clear = review.moves.filter((/** @type {ReviewedMove} */ it) => it.better && it.better.gain > Math.max(.5, it.better.margin))
    .sort((/** @type {any} */ one, /** @type {any} */ other) => other.better.gain - one.better.gain);
  return html`<dl class="parts">
      <dt>${t("review.result")}</dt><dd>${signed(review.result)}</dd>
      <dt>${t("review.choices")}</dt><dd>${signed(review.choices)}</dd>
      <dt>${t("review.luck")}</dt><dd>${signed(Math.round(review.result ?? 0) - Math.round(review.choices ?? 0))}</dd>
    </dl>
    <p class="faint">${t("review.what", { margin: Math.round(review.margin ?? 0) })}</p>
    ${clear.length === 0 && html`<p>${t("review.none")}</p>`}
    ${clear.length > 0 && html`<p>${t("review.better")}</p>
      <ol>${clear.slice(0, all ? clear.length : FIRST).map((/** @type {any} */ it, /** @type {number} */ i) => html`<li key=${i}>
        ${t("review.move", { move: written(it), better: written(it.better), points: points(game, Math.max(1, Math.round(it.better.gain))) })}
        ${" "}<button class="plain" onClick=${() => showAt(it.version)}
          aria-label=${`${t("review.look")}: ${written(it)}`}>${t("review.look")}</button></li>`)}</ol>`}
    ${clear.length > FIRST && !all && html`<p><button class="plain" onClick=${() => showAll(true)}>${t("review.all")}</button></p>`}`;
}

/**
 * Format points with an explicit sign.
 * @param {number | null} number
 */
function signed(number) {
  const points = Math.round(number ?? 0);
  return points > 0 ? `+${points}` : `${points}`.replace("-", "−");
}
