// The games that wait for the reader, the most urgent first, wherever on the page he is.
import { useEffect } from "./html.js";
import { all } from "./api.js";
import { useReturn } from "./parts.js";
import { store, useStore } from "./store.js";
import { me } from "./token.js";
/** @import { GameSummary } from "./types" */

const SOON = 200; // milliseconds in which what is looked at is asked for first
const EVERY = 120_000; // milliseconds until a page that stays open looks again

export const waiting = store(/** @type {GameSummary[]} */ ([]));

/**
 * Where the reader sits.
 * @param {GameSummary} game
 */
export const mySeat = (game) => (game.you ? game.seats[game.you.seat] : undefined);

/**
 * The order of due times; what has none comes last.
 * @param {GameSummary} one
 * @param {GameSummary} other
 */
export const byDue = (one, other) => due(one).localeCompare(due(other));

/** @param {GameSummary} game */
const due = (game) => mySeat(game)?.due_at ?? "9";

/** Look again; what cannot be asked just now is asked later. */
export async function lookForWaiting() {
  const player = me.get()?.id;
  const games = player ? await all("/v1/games?my_turn=true&limit=100").catch(() => null) : [];
  if (games && player === me.get()?.id) waiting.set(games.sort(byDue));
}

/**
 * They are looked for when one of `reasons` changes, when the window is seen again, and now and then.
 * @param {unknown[]} reasons
 */
export function useWaiting(...reasons) {
  useEffect(() => {
    const timer = setTimeout(lookForWaiting, SOON);
    return () => clearTimeout(timer);
  }, reasons);
  useEffect(() => {
    const timer = setInterval(lookForWaiting, EVERY);
    return () => clearInterval(timer);
  }, []);
  useReturn(lookForWaiting);
  return useStore(waiting);
}

/**
 * The title of a window, which tells in a row of tabs how many games wait.
 * @param {string} words
 * @param {GameSummary[]} games
 */
export const entitled = (words, games) => `${games.length ? `(${games.length}) ` : ""}${words} – Sternenpost`;
