// Games against bots that are started in one tap. The strength of the bots is kept in this browser.
import { html, useState } from "./html.js";
import { call } from "./api.js";
import { OPPONENTS, title } from "./game-words.js";
import { GAMES, ROOMS } from "./games.js";
import { forGood } from "./local-storage.js";
import { toGame } from "./routes.js";
import { newcomer, recognise } from "./session.js";
import { keepToken, token } from "./token.js";
import { knows, t } from "./words.js";
/** @import { Input } from "./types" */

const KEY = "sternenpost.opponents";
export const USUAL = "level-2"; // medium

export const opponents = () => OPPONENTS.find((it) => it === forGood.getItem(KEY)) ?? USUAL;

/** @param {string} kind */
export const chooseOpponents = (kind) => forGood.setItem(KEY, kind);

export function Opponents() {
  const [kind, set] = useState(opponents);
  const choose = (/** @type {Input} */ { target }) => {
    chooseOpponents(target.value);
    set(target.value);
  };
  return html`<div class="opponents"><label>${t("opponents")} <select name="opponents" value=${kind} onChange=${choose}>
    ${OPPONENTS.map((it) => html`<option value=${it}>${t(`opponents.${it}`)}</option>`)}</select></label>
    ${about(kind).map((it) => html`<small key=${it}>${it}</small>`)}</div>`;
}

/**
 * Say how bots of a level play: in one sentence, or in one for each game if they differ.
 * @param {string} kind
 */
function about(kind) {
  const told = ROOMS.map((it) => [title(it), t(`opponents.${kind}.${knows(`opponents.${kind}.${it}`) ? it : "about"}`)]);
  return new Set(told.map(([, words]) => words)).size > 1 ? told.map(([what, words]) => `${t("colon", { what })} ${words}`) : [told[0][1]];
}

/**
 * Start a game against bots, as a guest if signed out. Return the route to its table.
 * @param {string} rules
 */
export async function playNow(rules) {
  if (!token()) {
    keepToken((await call("POST", "/v1/guests", newcomer())).token, true);
    await recognise();
  }
  const bots = Array(GAMES[rules].seats[0] - 1).fill({ bot: opponents() });
  const wanted = { rules, seats: [{ player: "me" }, ...bots], private: true, on_timeout: [{ do: "abandon" }] };
  return toGame((await call("POST", "/v1/games", wanted)).id);
}
