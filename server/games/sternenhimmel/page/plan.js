// What the plan's form needs to know of a placement.
import { html } from "../ui/html.js";
import { locale, t } from "../ui/words.js";
/** @import { RulesDescription, ViewOf } from "../ui/types" */
/** @typedef {ViewOf<"sternenhimmel">} View */
/** @typedef {RulesDescription} Rules */
/** @typedef {{star: string, board: string, space: string}} Move */

/**
 * A star of the hand, and a free space.
 * @param {{view: View, rules: Rules}} props
 */
export function Fields({ view, rules }) {
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

/** @param {FormData} data */
export function moveOf(data) {
  const [board, space] = String(data.get("space")).split(" ");
  return { star: String(data.get("star")), board, space };
}

/** @param {Move} move */
export const written = (move) => `${move.star} ${move.board} ${move.space}`;

/**
 * What every spectator sees while the space of this move is free.
 * @param {Move} move
 * @param {View} view
 */
export function isFree(move, view) {
  const at = `/boards/${view.boards.findIndex((it) => it.board === move.board)}`;
  return [{ at: `${at}/board`, is: move.board }, { at: `${at}/spaces/${move.space}`, is: null }];
}
