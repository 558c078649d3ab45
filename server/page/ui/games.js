// The games that this server offers, in the order in which the page shows them.

/**
 * `seats`: from and to how many people play. `room`: whether the game draws its own table; others are shown as pictures.
 * `score` and `held`: the words for a score and for what a player holds.
 * @typedef {{seats: [number, number], room: boolean, score?: string, held?: string}} About
 */

const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=games]"));

/** @type {Record<string, About>} */
export const GAMES = JSON.parse(meta?.content ?? "{}");

/** The games with a room of their own. */
export const ROOMS = Object.keys(GAMES).filter((it) => GAMES[it].room);
