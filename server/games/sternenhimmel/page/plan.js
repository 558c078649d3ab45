// The game's part of plans: descriptions of moves, and conditions.
import { t } from "../ui/words.js";
import { boardName, starName } from "./story.js";
/** @import { Move, Rules, View } from "./types" */

/**
 * @param {Move} move
 * @param {Rules} rules
 */
export const written = ({ star, board, space }, rules) =>
  t("plan.move", { star: starName(star), board: boardName(board, rules), space });

/**
 * Return the conditions, visible to any spectator, under which the space of this move is free.
 * @param {Move} move
 * @param {View} view
 */
export function isFree(move, view) {
  const at = `/boards/${view.boards.findIndex((it) => it.board === move.board)}`;
  return [{ at: `${at}/board`, is: move.board }, { at: `${at}/spaces/${move.space}`, is: null }];
}
