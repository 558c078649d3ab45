// Advice from a search bot: hints on the player's turn, and a review of a finished game.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call, isTransient } from "../ui/api.js";
import { addressOf } from "../ui/files.js";
import { GAMES, ROOMS } from "../ui/games.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { t } from "../ui/words.js";
/** @import { Game, Hint as Hinted, HintedMove, Move, PlanForm, Review as Reviewed, ReviewedMove, RulesDescription,
 *   SeatedTable } from "../ui/types" */

const MUCH = 10; // points behind the best move
const AGAIN = 5_000; // milliseconds between polls of a review in progress
const FIRST = 5; // moves listed before "show all"

/**
 * Return a function that describes a move as the game's own module does, or as emails do if the game has none.
 * @param {Game} game
 * @param {RulesDescription} rules
 * @returns {(it: {move: Move, words: string}) => string}
 */
function useWritten(game, rules) {
  /** @returns {Promise<PlanForm | null>} */
  const load = async () => (ROOMS.includes(game.rules) ? import(addressOf(`${game.rules}/plan.js`)) : null);
  const [form] = useLoaded(load, [game.rules]);
  return ({ move, words }) => form?.written(move, rules) ?? words;
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
  const written = useWritten(game, rules);
  const place = useRef();
  useEffect(() => place.current.focus({ preventScroll: true }), []);
  const chosen = useRef(/** @type {Move | null} */ (null));
  const [busy, wrong, play] = useSubmit(async () => {
    await table.play(/** @type {number} */ (hint?.turn), /** @type {Move} */ (chosen.current));
    close();
  });
  const choose = (/** @type {Move} */ move) => {
    chosen.current = move;
    play();
  };
  return html`<section class="hint" tabindex="-1" ref=${place} aria-label=${t("hint")}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close()}>
    <div role="status">${!hint && !error && html`<p>${t("hint.thinking")}</p>`}</div>
    ${hint && html`<p>${t("hint.what")}</p>
      <ol>${hint.moves.map((/** @type {HintedMove} */ it, /** @type {number} */ i) => html`<li key=${i} class="row">
        <strong>${written(it)}</strong> <span class="faint">${i === 0 ? t("hint.best") : howGood(game, it.behind)}</span>
        <button class=${i === 0 ? "" : "plain"} disabled=${busy} onClick=${() => choose(it.move)}
          aria-label=${`${t("hint.play")}: ${written(it)}`}>${t("hint.play")}</button></li>`)}</ol>`}
    ${(error ?? wrong) && html`<${Sorry} error=${error ?? wrong} />`}
    <p><button class="plain" onClick=${close}>${t("hint.close")}</button></p>
  </section>`;
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
  const written = useWritten(game, rules);
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
