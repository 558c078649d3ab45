// The course of a game: the scores after each move that changed them.
/** @import { GameEvent, Seat } from "./types" */
/** @typedef {{version: number, scores: number[]}} Row */

/**
 * Return what each seat gained by an item, or null.
 * @param {GameEvent} item
 * @param {Seat[]} seats
 * @returns {number[] | null}
 */
function gains({ payouts, points, seat }, seats) {
  if (payouts) return payouts;
  if (Array.isArray(points)) return points;
  return points ? seats.map((it) => (it.seat === seat ? points : 0)) : null;
}

/**
 * Return the scores after each version that changed them, starting with version 1.
 * @param {GameEvent[]} story
 * @param {Seat[]} seats
 * @returns {Row[]}
 */
export function course(story, seats) {
  let last = { version: 1, scores: seats.map(() => 0) };
  const rows = [last];
  for (const item of story) {
    const more = gains(item, seats);
    const before = item.type === "move-taken-back" && rows.findLast((it) => it.version <= item.to);
    const scores = before ? before.scores : last.scores.map((it, seat) => it + (more?.[seat] ?? 0));
    if (scores.every((it, seat) => it === last.scores[seat])) continue;
    if (last.version === item.version) rows.pop(); // one move may score twice
    last = { version: item.version, scores };
    rows.push(last);
  }
  return rows;
}
