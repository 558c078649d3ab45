// The games that this server offers, in display order.

/**
 * `seats`: minimum and maximum number of players. `room`: whether the page has a module that draws the table; otherwise
 * the server draws it. `score` and `held`: message keys for a score and for what a player holds.
 * @typedef {{seats: [number, number], room: boolean, score?: string, held?: string}} About
 */

const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=games]"));

/** @type {Record<string, About>} */
export const GAMES = JSON.parse(meta?.content ?? "{}");

/** The games with a module of their own. */
export const ROOMS = Object.keys(GAMES).filter((it) => GAMES[it].room);
