// The suggested move that is marked on the board while the hint is open, the one that the player chose, and what the
// player has prepared of the turn.
import { useEffect, useRef } from "../ui/html.js";
import { store, useStore } from "../ui/store.js";
/** @import { Move, SeenTable } from "../ui/types" */

/** @typedef {{base: string, turn: number | null, moves: Move[]}} Suggested several steps of a turn, or one move */

export const hinted = store(/** @type {Suggested | null} */ (null));
export const prepared = store(/** @type {Suggested | null} */ (null));

/** The steps that the player has begun the turn with, as JSON. */
export const begun = store("[]");

/** Whether the player has chosen parts of the next step. A suggestion replaces them. */
export const isPartial = store(false);

/** Whether no step can follow those that the player has prepared. */
export const isWhole = store(false);

/** @typedef {{played: Move[], better: Move[]}} Compared */

/** @type {Compared} */
const NOTHING = { played: [], better: [] };

/** The moves of a review at an earlier version of a table, to mark on the board. */
export const compared = store(/** @type {Compared & {base: string, at: number | null}} */ ({ base: "", at: null, ...NOTHING }));

/**
 * Return the moves that a review compares at this version.
 * @param {string} base
 * @param {number | null} at
 * @returns {{played: any[], better: any[]}}
 */
export function useCompared(base, at) {
  const found = useStore(compared);
  return at !== null && found.base === base && found.at === at ? found : NOTHING;
}

/**
 * Return the suggested moves for this turn, if any.
 * @param {string} base
 * @param {number | null} turn
 * @returns {any[]}
 */
export function useHinted(base, turn) {
  const hint = useStore(hinted);
  return hint?.base === base && hint.turn === turn ? hint.moves : [];
}

/**
 * Tell the hint what the player has prepared: whole steps, in games whose turns have several, and parts of the next one.
 * @param {Move[]} steps
 * @param {{partial: boolean, whole: boolean}} about
 */
export function useBegun(steps, { partial, whole }) {
  const words = JSON.stringify(steps);
  const tell = (/** @type {string} */ steps, /** @type {boolean} */ partial, /** @type {boolean} */ whole) => {
    begun.set(steps);
    isPartial.set(partial);
    isWhole.set(whole);
  };
  useEffect(() => tell(words, partial, whole), [words, partial, whole]);
  useEffect(() => () => tell("[]", false, false), []);
}

/**
 * Call `prepare` with suggested moves that the player chose for this turn. They confirm them like moves of their own.
 * @param {string} base
 * @param {number | null} turn
 * @param {(moves: any[]) => void} prepare
 */
export function usePrepared(base, turn, prepare) {
  const chosen = useStore(prepared);
  useEffect(() => {
    if (!chosen) return;
    prepared.set(null);
    if (chosen.base === base && chosen.turn === turn) prepare(chosen.moves);
  }, [chosen]);
}

/**
 * Call `again` on the player's turn if a take-back of another player's move ended their turn `kept`, in which they had
 * prepared something.
 * @param {Pick<SeenTable, "game" | "story">} table
 * @param {number | null} kept
 * @param {number | null} turn negative for a plan
 * @param {() => void} again
 */
export function useInterrupted({ game, story }, kept, turn, again) {
  const at = useRef(0);
  if (turn !== null && kept === turn) at.current = game.version;
  useEffect(() => {
    const isOther = kept !== null && turn !== null && kept !== turn && kept >= 0 && turn >= 0;
    if (isOther && story.some((it) => it.type === "move-taken-back" && it.version > at.current)) again();
  }, [turn]);
}
