// What a plan needs to know of a turn.
import { moveName } from "./story.js";
/** @import { Move, Rules, View } from "./types" */

/**
 * The moves that a plan has of these steps. A secret Sternbild may be completed by any of them, so each is a move then.
 * @param {Move[]} steps
 * @param {View} view
 * @param {Rules} rules
 */
export const draft = (steps, view, { cards }) =>
  (cards.scenarios.find((it) => it.id === view.scenario)?.sternbild === "own-secret" || !steps.length ? steps
    : [{ steps: steps.flatMap((it) => it.steps) }]);

/**
 * @param {Move} move
 * @param {Rules} rules
 */
export const written = (move, { cards }) => moveName(move, cards);

/**
 * What every spectator sees while the fields of this move are free; nothing for one that takes no field.
 * @param {Move} move
 * @param {View} view
 */
export const isFree = (move, view) => move.steps.flatMap((it) => {
  const field = !("do" in it) ? null : it.do === "lay" || it.do === "nova" ? it.field : it.do === "move" ? it.path?.at(-1) : null;
  return field && !view.board[field] ? [{ at: `/board/${field}`, is: null }] : [];
});
