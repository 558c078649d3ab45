// Signing in and out, and the current session.
import { call, Problem } from "./api.js";
import { addressOf } from "./files.js";
import { forNow } from "./local-storage.js";
import { appAsking, go, here, lookAgain, whereNow } from "./routes.js";
import { store } from "./store.js";
import { forget, keepToken, KEY, link, me, replace, replaced, token } from "./token.js";
import { forgetLanguage, locale, speak } from "./words.js";
/** @import { Locale, Profile } from "./types" */

const AWAY = "sternenpost.signed-out"; // in a sandbox, prevents signing in again automatically

/** Whether a sandbox has just signed this browser in by itself. The page says so until the user goes on. */
export const wasSignedIn = store(false);

export const isSandbox = document.querySelector("meta[name=sandbox]") !== null;

/** Return a new player's settings, as far as the browser knows them. */
export function newcomer() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { locale: locale(), ...(zone && zone !== "Etc/Unknown" && { zone }) };
}

/**
 * Request a code by email, and return the id to pass to `signIn`.
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
 * @param {() => Promise<unknown>} [then] the action that needed the sign-in
 */
export async function signIn(asked, code, isForGood, then) {
  keepToken((await call("POST", "/v1/tokens", { sign_in: asked, code })).token, isForGood);
  await then?.().catch(() => {}); // the screen shows the alternatives
  await recognise();
}

/**
 * Sign in as one of the sandbox's players, who need no code.
 * @param {string} name
 */
export async function enterSandbox(name) {
  keepToken((await call("POST", "/sandbox/token", { name })).token, false);
  forNow.removeItem(AWAY);
  await recognise();
}

/** Revoke the token and unsubscribe this browser from push, since other people may use it. */
export async function signOut() {
  forNow.setItem(AWAY, "yes");
  await endPush();
  await call("DELETE", "/v1/tokens/current").catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
  forget();
  go("#/"); // the current screen may need an account
  await forgetLanguage();
  lookAgain();
}

/** Revoke all tokens of the account. */
export async function signOutEverywhere() {
  forNow.setItem(AWAY, "yes");
  await endPush();
  await call("DELETE", "/v1/tokens");
  forget();
  await forgetLanguage();
}

/** Forget an account that was deleted with its tokens. */
export function forgetAccount() {
  forNow.setItem(AWAY, "yes");
  forget();
  forgetLanguage();
}

/** Unsubscribe from push while the token is still valid. Signing out continues if this fails. */
async function endPush() {
  try {
    const { ownSubscription, unsubscribe } = await import(addressOf("ui/push-subscription.js"));
    const own = await ownSubscription();
    if (own) await unsubscribe(own);
  } catch {
    // the server drops dead subscriptions
  }
}

/**
 * Load the profile for the stored token, or forget the token if it is no longer valid.
 * @returns {Promise<void>}
 */
export async function recognise() {
  if (link) return;
  if (!token() && isSandbox && !forNow.getItem(AWAY) && !appAsking(whereNow().query)) {
    await enterSandbox("robin");
    wasSignedIn.set(true);
    here.watch(() => wasSignedIn.set(false));
    return;
  }
  if (!token()) return;
  try {
    /** @type {Profile} */
    const profile = await call("GET", "/v1/me");
    me.set(profile);
    await speak(profile.locale);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code !== "bad-token") throw error;
    if (!token()) forget();
  }
}

replaced.watch(() => recognise().catch(() => {}));
addEventListener("storage", ({ key }) => key === KEY && replace());

/**
 * Change the language of the page and of the player's emails.
 * @param {Locale} wanted
 */
export async function changeLanguage(wanted) {
  await speak(wanted);
  if (token() && !link) me.set(await call("PATCH", "/v1/me", { locale: wanted }));
}
