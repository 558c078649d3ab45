// Advice by a bot that searches: a hint for the reader's turn.
import { html, useEffect, useRef } from "../ui/html.js";
import { call } from "../ui/api.js";
import { addressOf } from "../ui/files.js";
import { GAMES, ROOMS } from "../ui/games.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { t } from "../ui/words.js";
/** @import { Game, Hint as Hinted, HintedMove, Move, PlanForm, RulesDescription, SeatedTable } from "../ui/types" */

const MUCH = 10; // points

/**
 * A move as the table of its game names it. Without a table, it is as emails write it.
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
 * The best moves for the reader's turn, over the table.
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
