// The colour theme: the device's, light or dark.
import { forGood } from "./local-storage.js";
import { store } from "./store.js";

const KEY = "sternenpost.theme"; // read by `ahead.js` before the first paint
export const THEMES = ["system", "light", "dark"];

export const theme = store(forGood.getItem(KEY) ?? "system");

/** @param {string} wanted */
export function changeTheme(wanted) {
  forGood.setItem(KEY, wanted);
  document.documentElement.dataset.theme = wanted;
  theme.set(wanted);
}

/** Return whether the page is light. */
export const isLight = () => (theme.get() === "system" ? matchMedia("(prefers-color-scheme: light)").matches
  : theme.get() === "light");
