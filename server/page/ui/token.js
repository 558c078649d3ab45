// The token sent with every call, stored permanently or until the window closes, and the profile of its account.
import { forGood, forNow } from "./local-storage.js";
import { store } from "./store.js";
/** @import { Problem } from "./api" */
/** @import { Profile, Store } from "./types" */

export const KEY = "sternenpost.token";
export const SEEN = "sternenpost seen"; // a cache shared with the service worker

export const me = store(/** @type {Profile | null} */ (null));

/**
 * Return whether the player has yet to choose a display name.
 * @param {Profile | null} player
 */
export const isUnnamed = (player) => player && !player.named && !player.guest;

/** The link token of the email that opened this page. It works for one seat and one turn, and is never stored. */
export const link = /^\/t\/([^/]+)$/.exec(location.pathname)?.[1];
export const ended = store(false); // whether the session was ended by the server
/** @type {Store<Problem | null>} */
export const over = store(null); // the server's response once the link's turn is over

const stored = () => forNow.getItem(KEY) || forGood.getItem(KEY);

let current = link ?? stored();

export const token = () => current;

/** Return whether this device may cache game data: not for links, nor for sessions that end with the window. */
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

/** The number of times that this window took over a token that another window stored. */
export const replaced = store(0);

/** Use the token that another window has stored, and return whether there is one. */
export function replace() {
  const next = stored();
  if (link || !next || next === current) return false;
  current = next;
  ended.set(false);
  replaced.set(replaced.get() + 1);
  return true;
}

/** The token from an invitation link. It is stored permanently unless that would replace another account's token. */
const given = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=token]"))?.content;
if (given) keepToken(given, !forGood.getItem(KEY));

/**
 * Forget the token, which is no longer valid. `problem` says why.
 * @param {Problem} [problem]
 */
export function forget(problem) {
  if (link) return over.set(problem ?? null);
  globalThis.caches?.delete(SEEN).catch(() => {});
  for (const kept of [forGood, forNow]) {
    if (kept.getItem(KEY) === current) kept.removeItem(KEY); // another window may have stored a new one
  }
  current = null;
  ended.set(!!problem);
  me.set(null);
}
