// The plan that a player is building on the board while it isn't their turn.
import { call } from "../ui/api.js";
import { useEffect } from "../ui/html.js";
import { store, useStore } from "../ui/store.js";
/** @import { Move, Plan, PlannableMoves, Planning } from "../ui/types" */

export const planning = store(/** @type {Planning | null} */ (null));

/**
 * Return the moves that may follow these steps after the plan, and the effect of the steps.
 * @param {string} base
 * @param {Plan} plan
 * @param {Move[]} steps
 * @returns {Promise<PlannableMoves>}
 */
export const nextMoves = (base, plan, steps) =>
  call("POST", `${base}/legal-moves`, { planned: plan.moves.map((it) => it.move), begun: steps });

/**
 * Return the plan being built at this table, if any. It ends when the player's turn begins or they leave.
 * The possible moves are reloaded after other players' moves.
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
    nextMoves(base, planned.plan, []).then(renew, () => {}); // on failure, the plan can still be saved
  }, [game.version]);
  return isHere ? planned : null;
}
