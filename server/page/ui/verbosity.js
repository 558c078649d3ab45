// The user's choice between short and full descriptions for screen readers.
import { forGood } from "./local-storage.js";
import { store } from "./store.js";

const KEY = "sternenpost.terse";

export const isTerse = store(forGood.getItem(KEY) === "yes");

/** @param {boolean} wanted */
export function beTerse(wanted) {
  forGood.setItem(KEY, wanted ? "yes" : "");
  isTerse.set(wanted);
}
