// The plan: moves that are left for one's next turns.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Sorry, useFresh, useLoaded, useSubmit } from "../ui/parts.js";
import { t } from "../ui/words.js";
import { addressOf } from "../ui/files.js";
import { ROOMS } from "../ui/games.js";
/** @import { Input, Move, Plan as Left, PlannedMove, RulesDescription, SeatedTable, View } from "../ui/types" */
/** @typedef {NonNullable<PlannedMove["if"]>} Conditions */
/**
 * What a game brings to this form, in its `plan.js`: the inputs for a move, the move that they say (null if none), the move
 * in one line, and the conditions under which its space is free for every spectator.
 * @typedef {{
 *   Fields: (props: {view: View, rules: RulesDescription}) => any,
 *   moveOf: (data: FormData) => Move | null,
 *   written: (move: Move, rules: RulesDescription) => string,
 *   isFree: (move: Move, view: View) => Conditions,
 * }} Form
 */

/**
 * The reader's planned moves and a form for another one, in games that have such a form.
 * @param {{table: SeatedTable, rules: RulesDescription}} props
 */
export function Plan({ table, rules }) {
  return ROOMS.includes(table.game.rules) && html`<${Planned} table=${table} rules=${rules} />`;
}

/** @param {{table: SeatedTable, rules: RulesDescription}} props */
function Planned({ table, rules }) {
  const { base, game } = table;
  /** @returns {Promise<Form>} */
  const load = () => import(addressOf(`${game.rules}/plan.js`));
  const [form] = useLoaded(load, [game.rules]);
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
  if (!plan || !form) return null;
  const written = (/** @type {Move} */ move) => form.written(move, rules);
  const view = /** @type {View} */ (game.view);
  return html`<details class="card plan"><summary>${t("plan")}${plan.moves.length > 0 && ` (${plan.moves.length})`}</summary>
    <p>${t("plan.what")}</p>
    ${plan.ended && html`<p role="status">${t("plan.ended", { move: written(plan.ended.move) })}
      ${t(`plan.because.${plan.ended.because}`)}</p>`}
    ${plan.moves.length > 0 && html`<ol>${plan.moves.map((it, i) => html`<li key=${i} class="row">
      <strong>${written(it.move)}</strong> ${(it.if ?? []).map((condition) => html`<span>${inWords(condition)}</span>`)}
      <button class="plain" disabled=${busy} aria-label=${`${t("plan.remove")}: ${written(it.move)}`}
        onClick=${() => leave(plan.moves.filter((other) => other !== it))}>${t("plan.remove")}</button></li>`)}</ol>`}
    <${Further} key=${plan.revision} game=${form} view=${view} rules=${rules} busy=${busy}
      add=${(/** @type {PlannedMove} */ it) => leave([...plan.moves, it])} />
    ${error && html`<${Sorry} error=${error} />`}
  </details>`;
}

/** @param {Conditions[number]} condition */
const inWords = (condition) => ("only" in condition ? t("plan.if-only") : "is" in condition && condition.is === null
  ? t("plan.if-free") : "is" in condition && /\/board$/.test(condition.at) ? null : t("plan.if-other"));

/**
 * A form for one move more, by which its space must still be free and nothing but moves have happened, if so chosen.
 * @param {{game: Form, view: View, rules: RulesDescription, busy: boolean, add: (it: PlannedMove) => void}} props
 */
function Further({ game, view, rules, busy, add }) {
  const form = useRef();
  const [isWrong, setWrong] = useState(false);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const data = new FormData(form.current);
    const move = game.moveOf(data);
    setWrong(!move);
    if (!move) return;
    /** @type {Conditions} */
    const conditions = data.has("free") ? game.isFree(move, view) : [];
    if (data.has("only")) conditions.push({ only: Object.keys(rules.events) });
    add({ move, if: conditions, after: "PT0S" });
  };
  return html`<form ref=${form} onSubmit=${submit}>
    <${game.Fields} view=${view} rules=${rules} />
    <label class="check"><input type="checkbox" name="free" checked /> ${t("plan.if-free")}</label>
    <label class="check"><input type="checkbox" name="only" /> ${t("plan.if-only")}</label>
    ${isWrong && html`<p class="wrong" role="alert">${t("plan.not-a-step")}</p>`}
    <button disabled=${busy}>${t("plan.it")}</button>
  </form>`;
}
