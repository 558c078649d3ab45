// The games that this server offers, in display order.

/**
 * `seats`: minimum and maximum number of players. `room`: whether the page has a module that draws the table; otherwise
 * the server draws it. `preset`: the option that chooses an edition, or ""; `editions`: its value by edition.
 * `score`: the message key for a score, and the field of a view with all scores. `held`: the message key for what a
 * player holds. Types of events: `moves` are a player's own, `chief` matter most in a summary, `aside` least, and
 * `early` precede the first turn that the game numbers.
 * @typedef {{seats: [number, number], room: boolean, preset: string, editions: Record<string, unknown>,
 *   score: string, held?: string, moves?: string[], chief?: string[], aside?: string[],
 *   early?: string[]}} About
 */

const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=games]"));

/** @type {Record<string, About>} */
export const GAMES = JSON.parse(meta?.content ?? "{}");

/**
 * Return the event types of all games that are listed under this name. No two games share a type.
 * @param {"moves" | "chief" | "aside" | "early"} name
 */
export const eventTypes = (name) => new Set(Object.values(GAMES).flatMap((it) => it[name] ?? []));

/** The games with a module of their own. */
export const ROOMS = Object.keys(GAMES).filter((it) => GAMES[it].room);

/**
 * Return the scores of all seats, or undefined if the game has none before its end.
 * @param {{rules: string, outcome?: {scores: number[]} | null}} game
 * @param {Record<string, any> | null | undefined} view
 * @returns {number[] | undefined}
 */
export const scoresOf = (game, view) => game.outcome?.scores ?? view?.[GAMES[game.rules]?.score];

/**
 * Return the id of the edition that options choose, or "" if there is none.
 * @param {string} rules
 * @param {Record<string, any>} options
 */
export function editionOf(rules, options) {
  const { preset, editions = {} } = GAMES[rules] ?? {};
  return (preset && Object.keys(editions).find((id) => editions[id] === options[preset])) || "";
}
