// The plan: moves prepared for the player's next turns, chosen on the board, with optional conditions.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Sorry, useFresh, useLoaded, useSubmit } from "../ui/parts.js";
import { store, useStore } from "../ui/store.js";
import { link, me } from "../ui/token.js";
import { mySeat } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
import { addressOf } from "../ui/files.js";
import { ROOMS } from "../ui/games.js";
import { nextMoves, planning } from "../table/planning.js";
/** @import { Move, Plan as Left, PlannedMove, PlanForm, RulesDescription, SeatedTable, SeenTable, View } from "../ui/types" */
/** @typedef {NonNullable<PlannedMove["if"]>} Conditions */

/** The plan from the latest write. It may be newer than the plan last fetched. */
const answered = store(/** @type {{path: string, plan: Left} | null} */ (null));
let begun = 0; // number of plans started; each gets its own negative turn

/** @param {string} base */
const pathOf = (base) => `${base}/seats/me/plan`;

/**
 * @param {string} rules
 * @returns {Promise<PlanForm>}
 */
export const formOf = (rules) => import(addressOf(`${rules}/plan.js`));

/**
 * Return whether the user may plan here: only the player in charge of the seat can.
 * @param {SeenTable} table
 */
function mayPlan({ game }) {
  const seat = mySeat(game);
  const isStoodIn = !!seat?.stood_in_by && seat.stood_in_by.player !== me.get()?.id;
  return !!game.you && !link && ROOMS.includes(game.rules) && !seat?.stand_in && !isStoodIn
    && (game.status === "running" || game.status === "paused");
}

/**
 * List the player's planned moves, with a button to plan another.
 * @param {{table: SeatedTable, rules: RulesDescription}} props
 */
export function Plan({ table, rules }) {
  return mayPlan(table) && html`<${Planned} table=${table} rules=${rules} />`;
}

/** @param {{table: SeatedTable, rules: RulesDescription}} props */
function Planned({ table, rules }) {
  const { base, game } = table;
  const [form] = useLoaded(() => formOf(game.rules), [game.rules]);
  const path = pathOf(base);
  /** @returns {Promise<Left>} */
  const look = () => call("GET", path);
  const [found, , again] = useFresh(look, [game.version, game.status]);
  const own = useStore(answered);
  const plan = own?.path === path && own.plan.revision > (found?.revision ?? -1) ? own.plan : found;
  const removed = useRef(/** @type {PlannedMove | null} */ (null));
  const [busy, error, submit] = useSubmit(async () => {
    const moves = plan?.moves.filter((/** @type {PlannedMove} */ it) => it !== removed.current);
    try {
      answered.set({ path, plan: await call("PUT", path, { revision: plan?.revision, moves }) });
    } catch (wrong) {
      again(); // it was changed in another window, or by the server
      throw wrong;
    }
  });
  const remove = (/** @type {PlannedMove} */ it) => {
    removed.current = it;
    submit();
  };
  if (!plan || !form) return null;
  const written = (/** @type {Move} */ move) => form.written(move, rules);
  return html`<details class="card plan"><summary>${t("plan")}${plan.moves.length > 0 && ` (${plan.moves.length})`}</summary>
    <p>${t("plan.what")}</p>
    ${plan.ended && html`<p role="status">${t("plan.ended", { move: written(plan.ended.move) })}
      ${t(`plan.because.${plan.ended.because}`)}</p>`}
    ${plan.moves.length > 0 && html`<ol>${plan.moves.map((/** @type {PlannedMove} */ it, /** @type {number} */ i) => html`<li key=${i} class="row">
      <strong>${written(it.move)}</strong> ${inWords(it.if ?? []).map((words) => html`<span>${words}</span>`)}
      <button class="plain" disabled=${busy} aria-label=${`${t("plan.remove")}: ${written(it.move)}`}
        onClick=${() => remove(it)}>${t("plan.remove")}</button></li>`)}</ol>`}
    <${Planner} table=${table} rules=${rules} draft=${[]} />
    ${error && html`<${Sorry} error=${error} />`}
  </details>`;
}

/**
 * Describe the conditions, without duplicates.
 * @param {Conditions} conditions
 */
const inWords = (conditions) => [...new Set(conditions.flatMap((it) => ("only" in it ? t("plan.if-only")
  : "is" in it && it.is === null ? t("plan.if-free") : "is" in it && /\/board$/.test(it.at) ? [] : t("plan.if-other"))))];

/**
 * Show the buttons that start, cancel and save a plan. `draft` holds the moves chosen so far.
 * @param {{table: SeenTable, rules: RulesDescription, draft: Move[]}} props
 */
export function Planner({ table, rules, draft }) {
  const { base, game } = table;
  const planned = useStore(planning);
  const [isAsking, ask] = useState(false);
  const [isDone, setDone] = useState(false); // the player has no turn left to plan
  useEffect(() => setDone(false), [game.version]);
  const [busy, error, begin] = useSubmit(async () => {
    const [form, plan] = await Promise.all([formOf(game.rules), call("GET", pathOf(base))]);
    const next = await nextMoves(base, plan, []);
    if (!next.moves.length) return setDone(true);
    begun += 1;
    planning.set({ base, turn: -begun, form, plan, next });
    requestAnimationFrame(() => { // the button may be far from the board
      const open = /** @type {HTMLElement | null} */ (document.querySelector(".drawn .tray :is(.slot, .star, .held).open"));
      open?.scrollIntoView({ block: "nearest" });
      open?.focus({ preventScroll: true });
    });
  });
  if (!mayPlan(table) || game.you?.turn != null) return null;
  if (isDone) return html`<span role="status">${t("plan.none")}</span>`;
  if (planned?.base !== base) {
    return html`<button class="plain" disabled=${busy} onClick=${begin}>${t("plan.begin")}</button>
      ${error && html`<${Sorry} error=${error} />`}`;
  }
  return html`<button class="plain" onClick=${() => planning.set(null)}>${t("plan.stop")}</button>
    ${draft.length > 0 && html`<button class="send" onClick=${() => ask(true)}>${t("plan.it")}</button>`}
    ${isAsking && html`<${Conditioned} planned=${planned} table=${table} rules=${rules} draft=${draft}
      close=${() => ask(false)} />`}`;
}

/**
 * Ask for the conditions of the drafted moves in a dialog, then add them to the plan.
 * @param {{planned: NonNullable<ReturnType<typeof planning.get>>, table: SeenTable, rules: RulesDescription, draft: Move[],
 *   close: () => void}} props
 */
function Conditioned({ planned, table, rules, draft, close }) {
  const { form, plan } = planned;
  const dialog = useRef();
  const path = pathOf(table.base);
  const view = /** @type {View} */ (table.game.view);
  const free = draft.map((move) => form.isFree(move, view));
  const [isFree, setFree] = useState(true);
  const [isOnly, setOnly] = useState(false);
  useEffect(() => dialog.current.showModal(), []);
  const [busy, error, save] = useSubmit(async () => {
    const added = draft.map((move, i) => ({ move, after: "PT0S",
      if: [...(isFree ? free[i] : []), ...(isOnly ? [{ only: Object.keys(rules.events) }] : [])] }));
    try {
      const left = await call("PUT", path, { revision: plan.revision, moves: [...plan.moves, ...added] });
      answered.set({ path, plan: left });
      planning.set(null);
    } catch (wrong) {
      const left = await call("GET", path); // it may have been changed in another window, or by the server
      planning.set({ ...planned, plan: left, next: await nextMoves(table.base, left, []) });
      throw wrong;
    }
  });
  return html`<dialog class="conditions" ref=${dialog} onClose=${close} aria-label=${t("plan.it")}>
    <form onSubmit=${save}>
      <p><strong>${draft.map((move) => form.written(move, rules)).join("; ")}</strong></p>
      <fieldset><legend>${t("plan.only-if")}</legend>
        ${free.some((it) => it.length) && html`<label class="check"><input type="checkbox" name="free" checked=${isFree}
          onChange=${() => setFree(!isFree)} /> ${t("plan.only-if.free")}</label>`}
        <label class="check"><input type="checkbox" name="only" checked=${isOnly}
          onChange=${() => setOnly(!isOnly)} /> ${t("plan.only-if.only")}</label>
      </fieldset>
      ${error && html`<${Sorry} error=${error} />`}
      <div class="row"><button disabled=${busy}>${t("plan.save")}</button>
        <button type="button" class="plain" onClick=${() => dialog.current.close()}>${t("plan.back")}</button></div>
    </form>
  </dialog>`;
}
