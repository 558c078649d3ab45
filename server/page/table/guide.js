// A guide to a player's first move, in three steps, shown once per game type.
import { html, useState } from "../ui/html.js";
import { seen } from "../ui/local-storage.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";

const STEPS = 3;

/** The ending of a prompt's key: a mouse points, and a finger holds. */
export const byMouse = matchMedia("(hover: hover)").matches ? ".mouse" : "";

/**
 * Return whether to show the guide, and a function to call once the player no longer needs it.
 * @param {string} rules
 * @returns {[isGuided: boolean, learned: () => void]}
 */
export function useGuide(rules) {
  const kept = seen("guided", me.get()?.id);
  const [isGuided, set] = useState(() => !kept.of(rules));
  const learned = () => {
    if (isGuided) kept.upTo(rules, 1);
    set(false);
  };
  return [isGuided, learned];
}

/** @param {{step: number, words: string, learned: () => void}} props */
export const Guide = ({ step, words, learned }) => html`<p class="guide"><span class="step">${t("guide.step", {
  step, of: STEPS })}</span> ${words} ${step === 1 && html`<button class="plain" onClick=${learned}>${t("guide.close")}</button>`}</p>`;
