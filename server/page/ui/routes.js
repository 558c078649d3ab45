// The address within the page: `#/games/<id>?invitation=word`. The part behind # never leaves the browser.
import { store } from "./store.js";

const asked = /^\/sign-in\/([^/]+)$/.exec(location.pathname)?.[1]; // the link of a mail with a code
if (asked) history.replaceState(null, "", `/#/sign-in?asked=${asked}`);
const to = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=address]"))?.content;
if (to) history.replaceState(null, "", `/${to}`); // whoever reloads sends no form again

/** What the address says now; `here` hears of it a moment later. */
export const whereNow = () => {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  return { parts: path.split("/").filter(Boolean), query: new URLSearchParams(query) };
};

export const here = store(whereNow());

addEventListener("hashchange", () => here.set(whereNow()));

export const go = (/** @type {string} */ hash) => (location.hash = hash);
export const toGame = (/** @type {string} */ id) => `#/games/${id}`;

/** To the sign-in, and back here afterwards. */
export const toSignIn = () => `#/sign-in?then=${encodeURIComponent(location.hash)}`;
