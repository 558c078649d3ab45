// A game in a list.
import { html } from "./html.js";
import { editionOf, GAMES } from "./games.js";
import { absolute, clockInWords, left, timeoutsInWords } from "./times.js";
import { now } from "./connection.js";
import { toGame } from "./routes.js";
import { Thumbnail } from "./thumbnail.js";
import { SeatMark } from "./seat-shapes.js";
import { link } from "./token.js";
import { mySeat } from "./waiting-for-me.js";
import { OPPONENTS } from "./opponents.js";
import { botName, knows, listed, t, whoPlays } from "./words.js";
/** @import { GameSummary, Options, Seat } from "./types" */

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

/** @param {GameSummary} game */
const isDealt = (game) => game.status !== "open" && !isClosed(game);

/**
 * Return the terms of a game, each with its name and description.
 * @param {GameSummary} game
 * @returns {[name: string, words: string][]}
 */
export const termsOf = (game) => [
  [t("clock"), clockInWords(game.clock)],
  [t("timeout"), timeoutsInWords(game.on_timeout)],
  [t("take-back"), takeBackInWords(game)],
];

/** @param {{terms: [name: string, words: string][]}} props */
export const Terms = ({ terms }) => html`${terms.map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}`;

/**
 * Show a game in a list. Terms in `usual` are left out, except the time per turn.
 * @param {{game: GameSummary, usual?: [name: string, words: string][], children?: any}} props
 */
export function GameCard({ game: plain, usual, children }) {
  const game = numbered(plain);
  const isUsual = (/** @type {string} */ words) => usual?.some((it) => it[1] === words);
  return html`<li class="card game">
    ${isDealt(game) && html`<${Thumbnail} game=${game} />`}
    <div class="about-it">
    <h3><a href=${toGame(game.id)}>${game.title}</a></h3>
    <p class="faint">${[untold(game), game.private && t("private")].filter(Boolean).join(" · ")}</p>
    <ul class="sitting">${game.seats.map((it) => html`<li class=${it.kind}><${SeatMark} seat=${it.seat} />
      <span><${SeatName} game=${game.id} seat=${it} />${it.stand_in && !game.outcome
        && html` <small class="faint">(${t("stand-in", { bot: botName(it.stand_in) })})</small>`}</span>${game.outcome && html` <b>${game.outcome.scores[it.seat]}</b>`}</li>`)}</ul>
    <${Waiting} game=${game} />
    ${game.latest && html`<p class="latest faint">${game.latest}</p>`}
    ${usual && html`<dl class="terms">
      <${Terms} terms=${termsOf(game).filter(([, words], i) => i === 0 || !isUsual(words))} />
      ${game.options.nameless && html`<dt>${t("nameless")}</dt><dd>${t("nameless.about")}</dd>`}
      ${game.min_reliability !== null && html`<dt>${t("reliable")}</dt><dd>${
        t("reliable.about", { share: game.min_reliability })}</dd>`}
      ${game.programs === !!game.options.nameless && html`<dt>${t("programs")}</dt><dd>${
        t(`programs.${game.programs ? "hidden" : "none"}`)}</dd>`}
    </dl>`}
    ${children}
    </div>
  </li>`;
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

/**
 * Show whose turn it is and until when, or the result.
 * @param {{game: GameSummary}} props
 */
function Waiting({ game }) {
  const winners = game.seats.filter((it) => game.outcome?.places[it.seat] === 1);
  if (winners.length) return html`<p class="status">${verdict(game, winners, seatName)}</p>`;
  if (game.status === "open") return null; // shown in the list of seats
  if (isClosed(game)) return html`<p class="status">${t("status.closed")}</p>`;
  if (game.status !== "running") return html`<p class="status">${t(`status.${game.status}`)}</p>`;
  const asked = game.seats.filter((it) => it.to_act);
  const isMine = game.you?.turn != null;
  const due = (isMine ? mySeat(game) : asked.find((it) => it.due_at))?.due_at;
  return html`<p class="status">
    ${isMine
      ? html`<strong>${t("your-turn")}</strong>`
      : t("waits-for", { names: listed(asked.map(seatName)) })}
    ${due && html` · <${Left} at=${due} />`}
  </p>`;
}

const SOON = 3 * 3_600_000; // milliseconds

/** @param {string} at */
export const isSoon = (at) => new Date(at).getTime() - now() < SOON;

/**
 * Show the time left. The moment itself is a tooltip, which screen readers hear.
 * @param {{at: string}} props
 */
export const Left = ({ at }) => html`<time datetime=${at} title=${absolute(at)} class=${isSoon(at) ? "due soon" : "due"}>${
  left(at)}<span class="unseen">${t("due.until", { absolute: absolute(at) })}</span></time>`;

/** @param {{at: string}} props */
export function Due({ at }) {
  const words = t("due", { absolute: absolute(at), left: left(at) });
  return html`<time datetime=${at} class=${isSoon(at) ? "due soon" : "due"}>${words}</time>`;
}
