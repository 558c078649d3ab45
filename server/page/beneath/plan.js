// The plan: moves that are left for one's next turns.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { locale, t } from "../ui/words.js";
import { moveOf, written } from "./notation.js";
/** @import { Input, Move, Plan as Left, PlannedMove, RulesDescription, SeatedTable, View } from "../ui/types" */
/** @typedef {NonNullable<PlannedMove["if"]>} Conditions */

/**
 * What the reader has left, whatever comes meanwhile, and a further move.
 * @param {{table: SeatedTable, rules: RulesDescription}} props
 */
export function Plan({ table, rules }) {
  const { base, game } = table;
  const path = `${base}/seats/me/plan`;
  /** @returns {Promise<Left>} */
  const look = () => call("GET", path);
  const [found, , again] = useFresh(look, [game.version, game.status]);
  const [own, tell] = useState(/** @type {{plan: Left, after: Left | null} | null} */ (null)); // by an answer
  const plan = own?.after === found ? own.plan : found;
  const [busy, error, submit] = useSubmit(() => wanted.current());
  /** @type {{current: () => Promise<void>}} */
  const wanted = useRef(async () => {});
  const leave = (/** @type {PlannedMove[]} */ moves) => {
    wanted.current = async () => {
      try {
        tell({ plan: await call("PUT", path, { revision: plan?.revision, moves }), after: found });
      } catch (wrong) {
        again(); // another window, or a worker, has changed it
        throw wrong;
      }
    };
    return submit();
  };
  if (!plan) return null;
  const view = /** @type {View} */ (game.view);
  return html`<details class="card plan"><summary>${t("plan")}${plan.moves.length > 0 && ` (${plan.moves.length})`}</summary>
    <p>${t("plan.what")}</p>
    ${plan.ended && html`<p role="status">${t("plan.ended", { move: written(plan.ended.move) })}
      ${t(`plan.because.${plan.ended.because}`)}</p>`}
    ${plan.moves.length > 0 && html`<ol>${plan.moves.map((it, i) => html`<li key=${i} class="row">
      <code>${written(it.move)}</code> ${(it.if ?? []).map((condition) => html`<span>${inWords(condition)}</span>`)}
      <button class="plain" disabled=${busy} aria-label=${`${t("plan.remove")}: ${written(it.move)}`}
        onClick=${() => leave(plan.moves.filter((other) => other !== it))}>${t("plan.remove")}</button></li>`)}</ol>`}
    <${Further} key=${plan.revision} view=${view} rules=${rules} busy=${busy}
      add=${(/** @type {PlannedMove} */ it) => leave([...plan.moves, it])} />
    ${error && html`<${Sorry} error=${error} />`}
  </details>`;
}

/** @param {Conditions[number]} condition */
const inWords = (condition) => ("only" in condition ? t("plan.if-only") : "is" in condition && condition.is === null
  ? t("plan.if-free") : "is" in condition && /\/board$/.test(condition.at) ? null : t("plan.if-other"));

/**
 * A form for one move more, by which its space must still be free and nothing but moves have happened, if so chosen.
 * @param {{view: View, rules: RulesDescription, busy: boolean, add: (it: PlannedMove) => void}} props
 */
function Further({ view, rules, busy, add }) {
  const form = useRef();
  const [isWrong, setWrong] = useState(false);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const data = new FormData(form.current);
    const move = moveOf(data);
    setWrong(!move);
    if (!move) return;
    /** @type {Conditions} */
    const conditions = data.has("free") ? isFree(move, view) : [];
    if (data.has("only")) conditions.push({ only: Object.keys(rules.events) });
    add({ move, if: conditions, after: "PT0S" });
  };
  return html`<form ref=${form} onSubmit=${submit}>
    ${view.boards ? html`<${StarAndSpace} view=${view} rules=${rules} />` : html`<label>${t("plan.step")}
      <input name="line" required maxlength="80" autocomplete="off" placeholder="1 lay punkt b1" /></label>`}
    <label class="check"><input type="checkbox" name="free" checked /> ${t("plan.if-free")}</label>
    <label class="check"><input type="checkbox" name="only" /> ${t("plan.if-only")}</label>
    ${isWrong && html`<p class="wrong" role="alert">${t("plan.not-a-step")}</p>`}
    <button disabled=${busy}>${t("plan.it")}</button>
  </form>`;
}

/** @param {{view: View, rules: RulesDescription}} props */
function StarAndSpace({ view, rules }) {
  const boards = /** @type {{id: string, name: Record<string, string>}[]} */ (rules.boards);
  const name = (/** @type {string} */ id) => boards.find((it) => it.id === id)?.name[locale()] ?? id;
  const stars = [...new Set(view.hand ?? [])];
  return html`<label>${t("plan.star")} <select name="star" aria-label=${t("plan.star")}>
      ${stars.map((it) => html`<option key=${it}>${it}</option>`)}</select></label>
    <label>${t("plan.space")} <select name="space" aria-label=${t("plan.space")}>
      ${view.boards?.map(({ board, spaces }) => html`<optgroup key=${board}
      label=${name(board)}>${Object.keys(spaces).filter((it) => !spaces[it]).map((it) => html`<option key=${it}
      value=${`${board} ${it}`}>${name(board)} ${it}</option>`)}</optgroup>`)}</select></label>`;
}

/**
 * What every spectator sees while the space of this move is free; nothing for one that takes no space.
 * @param {Move} move
 * @param {View} view
 * @returns {Conditions}
 */
function isFree(move, view) {
  if ("board" in move) {
    const at = `/boards/${view.boards?.findIndex((it) => it.board === move.board)}`;
    return [{ at: `${at}/board`, is: move.board }, { at: `${at}/spaces/${move.space}`, is: null }];
  }
  return move.steps.flatMap((it) => ("do" in it && (it.do === "lay" || it.do === "nova")
    ? [{ at: `/board/${it.field}`, is: null }] : []));
}
