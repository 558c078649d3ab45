// A game in a list.
import { html } from "./html.js";
import { clockInWords, timeoutsInWords } from "./durations.js";
import { toGame } from "./routes.js";
import { Thumbnail } from "./thumbnail.js";
import { SeatMark } from "./seat-shapes.js";
import { mySeat } from "./waiting-for-me.js";
import { isClosed, Left, numbered, SeatName, seatName, takeBackInWords, untold, verdict } from "./game-words.js";
import { botName, listed, t } from "./words.js";
/** @import { GameSummary } from "./types" */

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
export const Terms = ({ terms }) => html`${terms.map(([name, words]) => html`<dt class=${name === t("clock") ? "unseen" : ""}>${name}</dt><dd>${words}</dd>`)}`; // "1 day per turn" says its name

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
