// The suggested move that is marked on the board while the hint is open.
import { store, useStore } from "../ui/store.js";
/** @import { Move } from "../ui/types" */

export const hinted = store(/** @type {{base: string, turn: number | null, move: Move} | null} */ (null));

/**
 * Return the suggested move for this turn, if any.
 * @param {string} base
 * @param {number | null} turn
 * @returns {any}
 */
export function useHinted(base, turn) {
  const hint = useStore(hinted);
  return hint?.base === base && hint.turn === turn ? hint.move : null;
}
