// What the reader plans on the board, while it isn't his turn.
import { call } from "../ui/api.js";
import { useEffect } from "../ui/html.js";
import { store, useStore } from "../ui/store.js";
/** @import { Move, Plan, PlannableMoves, Planning } from "../ui/types" */

export const planning = store(/** @type {Planning | null} */ (null));

/**
 * What may follow these steps after the moves of the plan, and what they would do.
 * @param {string} base
 * @param {Plan} plan
 * @param {Move[]} steps
 * @returns {Promise<PlannableMoves>}
 */
export const nextMoves = (base, plan, steps) =>
  call("POST", `${base}/legal-moves`, { planned: plan.moves.map((it) => it.move), begun: steps });

/**
 * The plan that is tapped at this table, if any. It is over when the reader's turn comes, or when he leaves. What may be
 * planned is asked again when others have moved.
 * @param {{base: string, game: {version: number, you?: {turn: number | null} | null}}} table
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
  useEffect(() => {
    if (!planned || !isHere) return;
    const renew = (/** @type {PlannableMoves} */ next) => planning.get() === planned && planning.set({ ...planned, next });
    nextMoves(base, planned.plan, []).then(renew, () => {}); // what was planned on the table before can still be saved
  }, [game.version]);
  return isHere ? planned : null;
}
