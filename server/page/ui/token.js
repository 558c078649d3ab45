// The token that every call bears, kept for good or until the window closes, and the profile of whom it belongs to.
import { forGood, forNow } from "./local-storage.js";
import { store } from "./store.js";
/** @import { Problem } from "./api" */
/** @import { Profile, Store } from "./types" */

const KEY = "sternenpost.token";

export const me = store(/** @type {Profile | null} */ (null));

/** The word of the mailed link that opened this page. It is the token here: for one seat, one turn, and kept nowhere. */
export const link = /^\/t\/([^/]+)$/.exec(location.pathname)?.[1];
export const ended = store(false); // whether somebody is signed out who did not ask for that
/** @type {Store<Problem | null>} */
export const over = store(null); // what the server says when the turn of the link is over

let current = link ?? (forNow.getItem(KEY) || forGood.getItem(KEY));

export const token = () => current;

/**
 * @param {string} value
 * @param {boolean} isForGood
 */
export function keepToken(value, isForGood) {
  current = value;
  ended.set(false);
  forNow.removeItem(KEY);
  (isForGood ? forGood : forNow).setItem(KEY, value);
}

/**
 * The token is worthless; `problem` says why.
 * @param {Problem} [problem]
 */
export function forget(problem) {
  if (link) return over.set(problem ?? null);
  for (const kept of [forGood, forNow]) {
    if (kept.getItem(KEY) === current) kept.removeItem(KEY); // another window may have signed in since
  }
  current = null;
  ended.set(!!problem);
  me.set(null);
}
