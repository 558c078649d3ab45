// Actions at a table at any stage: return to the seat, see the terms, leave.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { takeBackInWords } from "../ui/game-words.js";
import { clockInWords, length, timeoutSteps } from "../ui/durations.js";
import { isStandIn, mySeat } from "../ui/waiting-for-me.js";
import { botName, listed, t } from "../ui/words.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { toGame } from "../ui/routes.js";
import { link, me } from "../ui/token.js";
/** @import { GameBefore, GameSummary, Seat, SeenTable } from "../ui/types" */

/** @param {{game: GameSummary}} props */
export function Terms({ game }) {
  return html`<dl class="terms">
    <dt>${t("clock")}</dt><dd>${clockInWords(game.clock)}</dd>
    <dt>${t("timeout")}</dt><dd>${timeoutSteps(game.on_timeout).map((it) => html`<div>${it}</div>`)}</dd>
    <dt>${t("take-back")}</dt><dd>${takeBackInWords(game)}</dd>
    ${game.options.nameless && html`<dt>${t("nameless")}</dt><dd>${t("nameless.about")}</dd>`}
    ${game.status === "open" && game.min_reliability !== null && html`<dt>${t("reliable")}</dt><dd>${
      t("reliable.about", { share: game.min_reliability })}</dd>`}
    ${game.options.ready_check && html`<dt>${t("ready-check")}</dt><dd>${length(game.options.ready_check.within)}</dd>`}
  </dl>`;
}

/**
 * Let the player return to a seat that a bot is playing.
 * @param {{game: GameSummary, again: () => unknown, isResigned?: boolean}} props
 */
export function Back({ game, again, isResigned = false }) {
  const [busy, error, back] = useSubmit(async () => {
    await call("POST", `/v1/games/${game.id}/seats`, {});
    await again();
  });
  return html`<p>${t(isResigned ? "back.resigned" : "back.why", { bot: botName(mySeat(game)?.stand_in) })}</p>
    <button disabled=${busy} onClick=${back} aria-label=${`${t("back")}: ${game.title}`}>${t("back")}</button>
    ${isResigned && html`<a href="#/open">${t("nav.open")}</a>`}
    ${error && html`<${Sorry} error=${error} />`}`;
}

/**
 * Tell that a game is a rematch: of whom, which one, and of which game.
 * @param {{table: SeenTable}} props
 */
export function Rematch({ table: { game, base, word } }) {
  const look = async () => {
    if (link) return null; // a link's token allows only its turn
    /** @type {GameBefore} */
    const found = await call("GET", `${base}/before?${word}`);
    return found.game ? { ...found, seats: (await call("GET", `/v1/games/${found.game}`)).seats } : null;
  };
  const [before] = useLoaded(look, [base]);
  if (!before) return null;
  const others = before.seats.filter((/** @type {Seat} */ it) => !it.player || it.player !== me.get()?.id);
  const names = listed(others.map((/** @type {Seat} */ it) => (it.kind === "bot" ? it.display_name : it.name) ?? t(`seat.${it.kind}`)));
  return html`<p class="rematch">${t(before.number ? "rematch.number" : "rematch.of", { names, number: before.number })} <a href=${toGame(/** @type {string} */ (before.game))}>${
    t("rematch.before")}</a></p>`;
}

/** @param {{game: GameSummary}} props */
export const Mails = ({ game }) => html`<p><a href="#/settings/game/${game.id}">${t("actions.mails")}</a></p>`;

/** @param {{table: SeenTable}} props */
export function Leave({ table }) {
  const step = isStandIn(table.game) ? "stand-down" : table.game.status === "open" ? "leave" : "resign";
  const leave = async () => {
    await call("DELETE", `${table.base}/seats/me`);
    if (step === "stand-down") location.hash = "#/"; // the game may be private
    else await table.look();
  };
  return html`<${Sure} words=${t(step)} question=${t(`${step}.sure`)} act=${leave} />`;
}

/**
 * Show a button for what can't be undone. It asks first.
 * @param {{words: string, question: string, act: () => Promise<unknown>}} props
 */
export function Sure({ words, question, act }) {
  const [sure, setSure] = useState(false);
  const stay = useRef();
  useEffect(() => void (sure && stay.current.focus()), [sure]); // focus Cancel, the safe choice
  const [busy, error, submit] = useSubmit(async () => {
    await act();
    setSure(false);
  });
  if (!sure) return html`<p><button class="plain"
    onClick=${() => setSure(true)}>${words}</button></p>`;
  return html`<p class="row"><span>${question}</span>
    <button key="act" disabled=${busy} onClick=${submit}>${words}</button>
    <button key="stay" ref=${stay} class="plain" onClick=${() => setSure(false)}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}</p>`;
}
