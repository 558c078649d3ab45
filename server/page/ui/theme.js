// The colours of the page: as the device has them, light or dark.
import { forGood } from "./local-storage.js";
import { store } from "./store.js";

const KEY = "sternenpost.theme"; // `ahead.js` reads it before anything is painted
export const THEMES = ["system", "light", "dark"];

export const theme = store(forGood.getItem(KEY) ?? "system");

/** @param {string} wanted */
export function changeTheme(wanted) {
  forGood.setItem(KEY, wanted);
  document.documentElement.dataset.theme = wanted;
  theme.set(wanted);
}

/** Whether the page is light now. */
export const isLight = () => (theme.get() === "system" ? matchMedia("(prefers-color-scheme: light)").matches
  : theme.get() === "light");
