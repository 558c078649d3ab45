// What a plan needs to know of a placement.
import { t } from "../ui/words.js";
import { boardName, starName } from "./story.js";
/** @import { Move, Rules, View } from "./types" */

/**
 * The placements that may be planned: each star left in hand, on each space that is free and not yet planned.
 * @param {View} view
 * @param {Move[]} planned
 * @returns {Move[]}
 */
export function offers(view, planned) {
  const stars = [...(view.hand ?? [])];
  for (const { star } of planned) if (stars.includes(star)) stars.splice(stars.indexOf(star), 1);
  const free = view.boards.flatMap(({ board, spaces }) => Object.keys(spaces)
    .filter((space) => !spaces[space] && !planned.some((it) => it.board === board && it.space === space))
    .map((space) => ({ board, space })));
  return [...new Set(stars)].flatMap((star) => free.map((it) => ({ star, ...it })));
}

/**
 * @param {Move} move
 * @param {Rules} rules
 */
export const written = ({ star, board, space }, rules) =>
  t("plan.move", { star: starName(star), board: boardName(board, rules), space });

/**
 * What every spectator sees while the space of this move is free.
 * @param {Move} move
 * @param {View} view
 */
export function isFree(move, view) {
  const at = `/boards/${view.boards.findIndex((it) => it.board === move.board)}`;
  return [{ at: `${at}/board`, is: move.board }, { at: `${at}/spaces/${move.space}`, is: null }];
}
