// How games, seats and times are named.
import { html } from "./html.js";
import { editionOf, GAMES } from "./games.js";
import { absolute, left } from "./times.js";
import { now } from "./connection.js";
import { link } from "./token.js";
import { knows, listed, t, whoPlays } from "./words.js";
/** @import { GameSummary, Options, Seat } from "./types" */

/** The levels of the bots. */
export const OPPONENTS = ["level-1", "level-2", "level-3", "level-4", "level-5", "level-6"];

/** @param {string} name */
export const title = (name) => name[0].toUpperCase() + name.slice(1);

/**
 * Return the name of an edition, or its id if it has none.
 * @param {string} id
 */
export const editionName = (id) => (knows(`edition.${id}`) ? t(`edition.${id}`) : id);

/**
 * Return the name of the game with its edition or scenario.
 * @param {Pick<GameSummary, "rules" | "options">} game
 */
export const gameName = (game) => [title(game.rules), variantName(game)].filter(Boolean).join(", ");

/** @param {Pick<GameSummary, "rules" | "options">} game */
function variantName({ rules, options }) {
  const id = editionOf(rules, options);
  return id && t(`${GAMES[rules].preset}.of`, { name: editionName(id) });
}

/**
 * Return the part of the game's name that its title doesn't say: the default title is the name of the rules.
 * @param {Pick<GameSummary, "rules" | "options" | "title">} game
 */
export const untold = (game) => (game.title === title(game.rules) ? variantName(game) : gameName(game));

/**
 * Describe when moves may be taken back. Games from before this option have no value.
 * @param {GameSummary} game
 */
export const takeBackInWords = ({ options }) => t(`take-back.${options.take_back ?? "consent"}`);

/**
 * Return a player's name, marked if the account belongs to a program.
 * @param {{name: string, program: boolean}} person
 */
export const personName = ({ name, program }) => (program ? t("program.name", { name }) : name);

/** @param {Pick<Seat, "name" | "program" | "kind">} seat */
export const seatName = ({ name, program, kind }) => (name === null ? t(`seat.${kind}`) : personName({ name, program }));

/**
 * Show the name at a seat, linked to the player's page.
 * @param {{game: string, seat: Pick<Seat, "name" | "program" | "kind" | "player">}} props
 */
export const SeatName = ({ game, seat }) => (seat.player
  ? html`<a class="person" href=${`${link ? "/" : ""}#/players/${seat.player}?game=${game}`}>${seatName(seat)}</a>`
  : seatName(seat));

/**
 * Return whether the game was closed before the start.
 * @param {GameSummary} game
 */
export const isClosed = (game) => game.status === "abandoned" && game.seats.some((it) => it.kind === "open");

/** @param {GameSummary} game */
export const goesOn = ({ status }) => status === "running" || status === "paused";

/**
 * Name the bots and the seats of an anonymous table, as emails do. Bots that have a level also get a `level`.
 * @template {GameSummary} G
 * @param {G} game
 * @returns {G}
 */
export function numbered(game) {
  const isBot = (/** @type {Seat} */ it) => it.kind === "bot" && !it.stand_in;
  const isHidden = (/** @type {Seat} */ it) =>
    game.options.nameless && it.name === null && (it.kind === "human" || it.stand_in);
  const seats = game.seats.map((seat) => {
    if (isHidden(seat)) return { ...seat, name: t("seat", { number: seat.seat + 1 }) };
    if (!isBot(seat) || !seat.name) return seat;
    return { ...seat, name: seat.display_name, level: OPPONENTS.find((it) => it === seat.name) };
  });
  return { ...game, seats };
}

/**
 * Return who won a game that is over. A player whose seat a bot played to the end didn't win themselves.
 * @param {GameSummary} game
 * @param {Seat[]} winners
 * @param {(seat: Seat) => string} nameOf
 * @param {string} key
 */
export const verdict = ({ you }, winners, nameOf, key = "won") => (winners.length === 1 && winners[0].seat === you?.seat && !winners[0].stand_in
  ? t(`${key}.you`) : t(key, { names: listed(winners.map((it) => whoPlays(nameOf(it), it.stand_in))) }));

const SOON = 3 * 3_600_000; // milliseconds

/** @param {string} at */
export const isSoon = (at) => new Date(at).getTime() - now() < SOON;

/**
 * Show the time left. The moment itself is a tooltip, which screen readers hear. With `isShort`, its units are abbreviated.
 * @param {{at: string, isShort?: boolean}} props
 */
export const Left = ({ at, isShort = false }) => html`<time datetime=${at} title=${absolute(at)} class=${isSoon(at) ? "due soon" : "due"}>${
  left(at, isShort ? "short" : "long")}<span class="unseen">${t("due.until", { absolute: absolute(at) })}</span></time>`;

/** @param {{at: string}} props */
export function Due({ at }) {
  const words = t("due", { absolute: absolute(at), left: left(at) });
  return html`<time datetime=${at} class=${isSoon(at) ? "due soon" : "due"}>${words}</time>`;
}
