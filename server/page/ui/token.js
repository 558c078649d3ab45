// The token that every call bears, kept for good or until the window closes, and the profile of whom it belongs to.
import { forGood, forNow } from "./local-storage.js";
import { store } from "./store.js";
/** @import { Problem } from "./api" */
/** @import { Profile, Store } from "./types" */

const KEY = "sternenpost.token";
export const SEEN = "sternenpost seen"; // a cache of what this device saw, which the service worker keeps, too

export const me = store(/** @type {Profile | null} */ (null));

/**
 * Who has yet to choose the name that others see.
 * @param {Profile | null} player
 */
export const isUnnamed = (player) => player && !player.named && !player.guest;

/** The word of the mailed link that opened this page. It is the token here: for one seat, one turn, and kept nowhere. */
export const link = /^\/t\/([^/]+)$/.exec(location.pathname)?.[1];
export const ended = store(false); // whether somebody is signed out who did not ask for that
/** @type {Store<Problem | null>} */
export const over = store(null); // what the server says when the turn of the link is over

let current = link ?? (forNow.getItem(KEY) || forGood.getItem(KEY));

export const token = () => current;

/** Whether this device may keep what its reader sees: not for a link, nor until a window closes. */
export const mayKeep = () => current === null || current === forGood.getItem(KEY);

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

/** Of whoever came by an invitation: for good, unless somebody else is signed in here for good, whom it leaves alone. */
const given = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=token]"))?.content;
if (given) keepToken(given, !forGood.getItem(KEY));

/**
 * The token is worthless; `problem` says why.
 * @param {Problem} [problem]
 */
export function forget(problem) {
  if (link) return over.set(problem ?? null);
  globalThis.caches?.delete(SEEN).catch(() => {});
  for (const kept of [forGood, forNow]) {
    if (kept.getItem(KEY) === current) kept.removeItem(KEY); // another window may have signed in since
  }
  current = null;
  ended.set(!!problem);
  me.set(null);
}
