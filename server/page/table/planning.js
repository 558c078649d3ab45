// What the reader plans on the board, while it isn't his turn.
import { useEffect } from "../ui/html.js";
import { store, useStore } from "../ui/store.js";
/** @import { Planning } from "../ui/types" */

export const planning = store(/** @type {Planning | null} */ (null));

/**
 * The plan that is tapped at this table, if any. It is over when the reader's turn comes, or when he leaves.
 * @param {{base: string, game: {you?: {turn: number | null} | null}}} table
 * @param {number | null} at
 * @returns {Planning | null}
 */
export function usePlanning({ base, game }, at) {
  const planned = useStore(planning);
  const isIdle = at === null && game.you?.turn == null;
  const isHere = planned?.base === base && isIdle;
  useEffect(() => {
    if (planned && !isHere) planning.set(null);
  }, [planned, isHere]);
  useEffect(() => () => planning.set(null), []);
  return isHere ? planned : null;
}
