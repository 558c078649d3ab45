// Signing in and out, and whoever is signed in.
import { call, Problem } from "./api.js";
import { addressOf } from "./files.js";
import { GAMES } from "./games.js";
import { forNow } from "./local-storage.js";
import { toGame } from "./routes.js";
import { forget, keepToken, link, me, token } from "./token.js";
import { locale, speak } from "./words.js";
/** @import { Locale, Profile } from "./types" */

const AWAY = "sternenpost.signed-out"; // in a sandbox, somebody who left is not taken in again

export const isSandbox = document.querySelector("meta[name=sandbox]") !== null;

/** Settings of a new player that the browser knows. */
function newcomer() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { locale: locale(), ...(zone && zone !== "Etc/Unknown" && { zone }) };
}

/**
 * Ask for a code by mail; what it is for goes into `signIn`.
 * @param {string} email
 * @returns {Promise<string>}
 */
export async function askForCode(email) {
  return (await call("POST", "/v1/sign-ins", { email, ...newcomer() })).sign_in;
}

/**
 * @param {string} asked
 * @param {string} code
 * @param {boolean} isForGood
 * @param {() => Promise<unknown>} [then] what the player signs in for
 */
export async function signIn(asked, code, isForGood, then) {
  keepToken((await call("POST", "/v1/tokens", { sign_in: asked, code })).token, isForGood);
  await then?.().catch(() => {}); // the screen shows what can be done instead
  await recognise();
}

/**
 * A game against bots, at once; whoever is nobody yet plays it as a guest. The address of its table.
 * @param {string} rules
 */
export async function playNow(rules) {
  if (!token()) {
    keepToken((await call("POST", "/v1/guests", newcomer())).token, true);
    await recognise();
  }
  const bots = Array(GAMES[rules].seats[0] - 1).fill({ bot: "greedy" });
  const wanted = { rules, seats: [{ player: "me" }, ...bots], private: true, on_timeout: [{ do: "abandon" }] };
  return toGame((await call("POST", "/v1/games", wanted)).id);
}

/**
 * As one of the people of the sandbox, who need no code.
 * @param {string} name
 */
export async function enterSandbox(name) {
  keepToken((await call("POST", "/sandbox/token", { name })).token, false);
  forNow.removeItem(AWAY);
  await recognise();
}

/** The token is worthless at once, also where it was copied to; and this browser, which others may use, is told no more. */
export async function signOut() {
  forNow.setItem(AWAY, "yes");
  await endPush();
  await call("DELETE", "/v1/tokens/current").catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
  forget();
}

/** All tokens of whoever is signed in are worthless at once. */
export async function signOutEverywhere() {
  forNow.setItem(AWAY, "yes");
  await endPush();
  await call("DELETE", "/v1/tokens");
  forget();
}

/** The account is gone, and its tokens are. */
export function forgetAccount() {
  forNow.setItem(AWAY, "yes");
  forget();
}

/** Before the token ends, which it needs; whoever signs out does so even if this fails. */
async function endPush() {
  try {
    const { ownSubscription, unsubscribe } = await import(addressOf("ui/push-subscription.js"));
    const own = await ownSubscription();
    if (own) await unsubscribe(own);
  } catch {
    // the server forgets a browser that is gone
  }
}

/**
 * Whoever the kept token is of; nobody if it is worthless by now.
 * @returns {Promise<void>}
 */
export async function recognise() {
  if (link) return;
  if (!token() && isSandbox && !forNow.getItem(AWAY)) return enterSandbox("robin");
  if (!token()) return;
  try {
    /** @type {Profile} */
    const profile = await call("GET", "/v1/me");
    me.set(profile);
    await speak(profile.locale);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status !== 401) throw error;
    forget();
  }
}

/**
 * Another language: of the page, and of the letters to whoever is signed in.
 * @param {Locale} wanted
 */
export async function changeLanguage(wanted) {
  await speak(wanted);
  if (token() && !link) me.set(await call("PATCH", "/v1/me", { locale: wanted }));
}
