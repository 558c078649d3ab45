// The game's part of plans: moves from taps, descriptions and conditions.
import { inShort, moveName } from "./story.js";
/** @import { Move, Rules, View } from "./types" */

/**
 * Return the planned moves for these steps. Any step may complete a secret Sternbild, so then each one is a move.
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
 * Return what these moves of a turn do, in short.
 * @param {Move[]} moves
 * @param {Rules} rules
 */
export const told = (moves, { cards }) => inShort(moves.flatMap((it) => it.steps), cards);

/**
 * Return the conditions, visible to any spectator, under which the fields of this move are free.
 * @param {Move} move
 * @param {View} view
 */
export const isFree = (move, view) => move.steps.flatMap((it) => {
  const field = !("do" in it) ? null : it.do === "lay" || it.do === "nova" ? it.field : it.do === "move" ? it.path?.at(-1) : null;
  return field && !view.board[field] ? [{ at: `/board/${field}`, is: null }] : [];
});
