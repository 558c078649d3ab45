// A guide to a player's first turns, step by step, shown once per game type.
import { html, useState } from "../ui/html.js";
import { seen } from "../ui/local-storage.js";
import { store } from "../ui/store.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";

const TURNS = 3; // until the player knows the steps

const POINTER = matchMedia("(hover: hover)").matches ? ".mouse" : "";

/** The ending of a prompt's key, by the last input: a mouse points, a finger holds, and keys move the focus. */
export const input = store(POINTER);
addEventListener("keydown", ({ key }) => /^(Tab|Arrow|Home|Page)/.test(key) && input.set(".keys"));
addEventListener("pointerdown", () => input.set(POINTER));

/** The section at which the rules of the open table are shown, or null. */
export const shownRules = store(/** @type {{section?: string} | null} */ (null));

/**
 * Return whether to show the guide, and functions to call after each turn and to hide the guide for good.
 * @param {string} rules
 * @returns {[isGuided: boolean, played: () => void, hide: () => void]}
 */
export function useGuide(rules) {
  const kept = seen("guided", me.get()?.id);
  const turns = seen("guided-turns", me.get()?.id);
  const [isGuided, set] = useState(() => !kept.of(rules));
  const hide = () => {
    kept.upTo(rules, 1);
    set(false);
  };
  const played = () => {
    if (!isGuided) return;
    turns.upTo(rules, turns.of(rules) + 1);
    if (turns.of(rules) >= TURNS) hide();
  };
  return [isGuided, played, hide];
}

/**
 * Show a step. Before a player's first move, it offers the rules (`isNew`).
 * @param {{step?: number, of?: number, words: string, isNew: boolean, hide: false | (() => void)}} props
 */
export const Guide = ({ step, of = 3, words, isNew, hide }) => html`<p class="guide">${step && html`<span class="step">${t("guide.step", {
  step, of })}</span> `}${words} ${isNew && html`<button class="plain" onClick=${() => shownRules.set({})}>${t("guide.rules")}</button> `}${hide && html`<button class="plain" onClick=${hide}>${t("guide.close")}</button>`}</p>`;
