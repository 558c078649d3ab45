// What the plan's form needs to know of a placement.
import { html } from "../ui/html.js";
import { t } from "../ui/words.js";
import { boardName, starName } from "./story.js";
/** @import { RulesDescription, ViewOf } from "../ui/types" */
/** @typedef {ViewOf<"sternenhimmel">} View */
/** @typedef {RulesDescription} Rules */
/** @typedef {{star: string, board: string, space: string}} Move */

/**
 * A star of the hand, and a free space.
 * @param {{view: View, rules: Rules}} props
 */
export function Fields({ view, rules }) {
  const name = (/** @type {string} */ id) => boardName(id, /** @type {any} */ (rules));
  const stars = [...new Set(view.hand ?? [])];
  return html`<label>${t("plan.star")} <select name="star" aria-label=${t("plan.star")}>
      ${stars.map((it) => html`<option key=${it} value=${it}>${starName(it)}</option>`)}</select></label>
    <label>${t("plan.space")} <select name="space" aria-label=${t("plan.space")}>
      ${view.boards?.map(({ board, spaces }) => html`<optgroup key=${board}
      label=${name(board)}>${Object.keys(spaces).filter((it) => !spaces[it]).map((it) => html`<option key=${it}
      value=${`${board} ${it}`}>${name(board)} ${it}</option>`)}</optgroup>`)}</select></label>`;
}

/** @param {FormData} data */
export function moveOf(data) {
  const [board, space] = String(data.get("space")).split(" ");
  return { star: String(data.get("star")), board, space };
}

/**
 * @param {Move} move
 * @param {Rules} rules
 */
export const written = ({ star, board, space }, rules) =>
  t("plan.move", { star: starName(star), board: boardName(board, /** @type {any} */ (rules)), space });

/**
 * What every spectator sees while the space of this move is free.
 * @param {Move} move
 * @param {View} view
 */
export function isFree(move, view) {
  const at = `/boards/${view.boards.findIndex((it) => it.board === move.board)}`;
  return [{ at: `${at}/board`, is: move.board }, { at: `${at}/spaces/${move.space}`, is: null }];
}
