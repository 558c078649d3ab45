// What the plan's form needs to know of a step.
import { html } from "../ui/html.js";
import { t } from "../ui/words.js";
/** @import { MoveOf } from "../ui/types" */
/** @typedef {MoveOf<"sternenglanz">} Move */
/** @typedef {Move["steps"][number]} Step */

/** A step as mails write it. */
export function Fields() {
  return html`<label>${t("plan.step")}
    <input name="line" required maxlength="80" autocomplete="off" placeholder="1 lay punkt b1" /></label>`;
}

/**
 * @param {FormData} data
 * @returns {Move | null}
 */
export function moveOf(data) {
  const step = stepOf(String(data.get("line")));
  return step && { steps: [step] };
}

/**
 * @param {string} line
 * @returns {Step | null}
 */
export function stepOf(line) {
  const words = line.trim().toLowerCase().split(/ +/);
  const card = (/** @type {string} */ word) => (word === "-" ? null : word);
  const [slot, verb, ...rest] = words;
  const action = /^[123]$/.test(slot) ? { cmd: "act", slot: Number(slot), do: verb } : null;
  /** @type {unknown} */
  let step = null;
  if (line.trim().toLowerCase() === "finish") step = { cmd: "finish" };
  else if (slot === "choose" && words.length === 3) step = { cmd: "choose", slot2: verb, slot3: rest[0] };
  else if (slot === "lay" && words.length === 3) {
    step = { cmd: "lay", dropNova: false, slot2: card(verb), slot1: card(rest[0]) };
  } else if (slot === "drop" && verb === "lay" && rest.length === 2) {
    step = { cmd: "lay", dropNova: true, slot2: card(rest[0]), slot1: card(rest[1]) };
  } else if (action && verb === "lay" && rest.length === 2) step = { ...action, class: rest[0], field: rest[1] };
  else if (action && verb === "move" && rest.length > 1) step = { ...action, path: rest };
  else if (action && (verb === "remove" || verb === "nova") && rest.length === 1) step = { ...action, field: rest[0] };
  else if (action && verb === "lapse" && rest.length === 0) step = action;
  return /** @type {Step | null} */ (step);
}

/** @param {Move} move */
export const written = (move) => move.steps.map(writtenStep).join("; ");

/** @param {Step} step */
function writtenStep(step) {
  if (step.cmd === "finish") return "finish";
  if (step.cmd === "choose") return `choose ${step.slot2} ${step.slot3}`;
  if (step.cmd === "lay") return `${step.dropNova ? "drop " : ""}lay ${step.slot2 ?? "-"} ${step.slot1 ?? "-"}`;
  const rest = step.path ?? [step.class, step.field];
  return [step.slot, step.do, ...rest].filter((word) => word !== undefined).join(" ");
}

/**
 * What every spectator sees while the field of this move is free; nothing for one that takes no field.
 * @param {Move} move
 */
export const isFree = (move) => move.steps.flatMap((it) => ("do" in it && (it.do === "lay" || it.do === "nova")
  ? [{ at: `/board/${it.field}`, is: null }] : []));
