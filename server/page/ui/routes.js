// The route within the page: `#/games/<id>?invitation=token`. The fragment is never sent to the server.
import { store } from "./store.js";

const asked = /^\/sign-in\/([^/]+)$/.exec(location.pathname)?.[1]; // the link in a sign-in email
if (asked) history.replaceState(null, "", `/#/sign-in?asked=${asked}`);
const to = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=address]"))?.content;
if (to) history.replaceState(null, "", `/${to}`); // so that a reload doesn't resubmit the form

/** Return the current route. `here` is updated a moment later. */
export const whereNow = () => {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  return { parts: path.split("/").filter(Boolean), query: new URLSearchParams(query) };
};

export const here = store(whereNow());

/** Read the route again. A link to the current screen does so, since it changes no address. */
export const lookAgain = () => here.set(whereNow());

let before = ""; // the last screen that was no player's page
addEventListener("hashchange", ({ oldURL }) => {
  const { hash } = new URL(oldURL);
  if (!hash.startsWith("#/players/")) before = hash || "#/";
});
addEventListener("hashchange", lookAgain); // after `before` is known

/** Return the screen from which a player's page was opened, or "" if this is unknown. */
export const cameFrom = () => before;

export const go = (/** @type {string} */ hash) => (location.hash = hash);
export const toGame = (/** @type {string} */ id) => `#/games/${id}`;

export const WITH_FRIENDS = "#/open?with=friends"; // a new game whose other seats are reserved by email

/** Return the route that signs in and then opens another route, or else returns here. */
export const toSignIn = (then = location.hash) => `#/sign-in?then=${encodeURIComponent(then)}`;

/** Return the route that signs in. On that screen, it keeps the address to return to. */
export const signInRoute = () => (whereNow().parts[0] === "sign-in" ? location.hash : "#/sign-in");

const CONSENT = "/oauth/authorize?";

/**
 * Return the name of the app whose request needs the sign-in, or null.
 * @param {URLSearchParams} query
 */
export const appAsking = (query) => (query.get("then")?.startsWith(CONSENT) ? query.get("app")?.slice(0, 60) || null : null);

/**
 * Return the address to open after signing in: a route or the consent page. Any other address might be another site.
 * @param {URLSearchParams} query
 */
export function afterSignIn(query) {
  const then = query.get("then") ?? "";
  return then.startsWith("#/") || then.startsWith(CONSENT) ? then : "#/";
}
