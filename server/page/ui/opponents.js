// The strength of the bots in a game that is started in one tap. The choice is kept in this browser.
import { html, useState } from "./html.js";
import { forGood } from "./local-storage.js";
import { t } from "./words.js";
/** @import { Input } from "./types" */

const KEY = "sternenpost.opponents";
export const OPPONENTS = ["level-1", "level-2", "level-3", "level-4", "level-5", "level-6"];
export const USUAL = "level-2"; // about as strong as the bot Greedy

export const opponents = () => OPPONENTS.find((it) => it === forGood.getItem(KEY)) ?? USUAL;

/** @param {string} kind */
export const chooseOpponents = (kind) => forGood.setItem(KEY, kind);

export function Opponents() {
  const [kind, set] = useState(opponents);
  const choose = (/** @type {Input} */ { target }) => {
    chooseOpponents(target.value);
    set(target.value);
  };
  return html`<label class="opponents">${t("opponents")} <select name="opponents" value=${kind} onChange=${choose}>
    ${OPPONENTS.map((it) => html`<option value=${it}>${t(`opponents.${it}`)}</option>`)}</select></label>`;
}
