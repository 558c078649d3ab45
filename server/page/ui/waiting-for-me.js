// The games that wait for the player, most urgent first, for all screens.
import { useEffect } from "./html.js";
import { all } from "./api.js";
import { useReturn } from "./parts.js";
import { store, useStore } from "./store.js";
import { me } from "./token.js";
import { t } from "./words.js";
/** @import { GameSummary } from "./types" */

const SOON = 200; // milliseconds reserved for requests of the current screen
const EVERY = 120_000; // milliseconds between polls

export const waiting = store(/** @type {GameSummary[]} */ ([]));

/**
 * Return the player's own seat.
 * @param {GameSummary} game
 */
export const mySeat = (game) => (game.you ? game.seats[game.you.seat] : undefined);

/**
 * Return whether the player is only standing in for the owner of the seat.
 * @param {GameSummary} game
 */
export const isStandIn = (game) => !!me.get() && mySeat(game)?.stood_in_by?.player === me.get()?.id;

/**
 * Tell a player who isn't asked for a move to wait, or that a bot or a stand-in is playing.
 * @param {GameSummary} game
 */
export function waitInWords(game) {
  const seat = mySeat(game);
  return t(seat?.stand_in ? "ask.wait.bot" : seat?.stood_in_by && !isStandIn(game) ? "ask.wait.stand-in" : "ask.wait");
}

/**
 * Return whether the player sits in a game against bots only, which gives hints and has no chat.
 * @param {GameSummary} game
 */
export const isAmongBots = ({ you, seats }) => !!you
  && seats.every((it) => (it.seat === you.seat ? !it.stood_in_by : it.kind === "bot" && !it.stand_in));

/**
 * Compare games by due time. Games without one come last.
 * @param {GameSummary} one
 * @param {GameSummary} other
 */
export const byDue = (one, other) => due(one).localeCompare(due(other));

/** @param {GameSummary} game */
const due = (game) => mySeat(game)?.due_at ?? "9";

/** Refresh the waiting games. Errors are ignored, since it is polled. */
export async function lookForWaiting() {
  const player = me.get()?.id;
  const games = player ? await all("/v1/games?my_turn=true&limit=100").catch(() => null) : [];
  if (games && player === me.get()?.id) waiting.set(games.sort(byDue));
}

/**
 * Return the waiting games, refreshed when one of `reasons` changes, when the user returns to the window, and by
 * polling.
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
 * Return a window title that shows the number of waiting games.
 * @param {string} words
 * @param {GameSummary[]} games
 */
export const entitled = (words, games) => `${games.length ? `(${games.length}) ` : ""}${words} – Sternenpost`;
