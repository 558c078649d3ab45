// The suggested move that is marked on the board while the hint is open, and the one that the player chose.
import { useEffect } from "../ui/html.js";
import { store, useStore } from "../ui/store.js";
/** @import { Move } from "../ui/types" */

/** @typedef {{base: string, turn: number | null, move: Move}} Suggested */

export const hinted = store(/** @type {Suggested | null} */ (null));
export const prepared = store(/** @type {Suggested | null} */ (null));

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

/**
 * Call `prepare` with a suggested move that the player chose for this turn. They confirm it like a move of their own.
 * @param {string} base
 * @param {number | null} turn
 * @param {(move: any) => void} prepare
 */
export function usePrepared(base, turn, prepare) {
  const chosen = useStore(prepared);
  useEffect(() => {
    if (!chosen) return;
    prepared.set(null);
    if (chosen.base === base && chosen.turn === turn) prepare(chosen.move);
  }, [chosen]);
}
