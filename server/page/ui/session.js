// Who is signed in: a token, kept for good or until the window closes, and the profile it belongs to.
import { call, Problem } from "./api.js";
import { forGood, forNow } from "./local-storage.js";
import { store } from "./store.js";
import { locale, speak } from "./words.js";

const KEY = "sternenpost.token";
const AWAY = "sternenpost.signed-out"; // in a sandbox, somebody who left is not taken in again

export const me = store(null);
export const isSandbox = document.querySelector("meta[name=sandbox]") !== null;

/** The word of the mailed link that opened this page. It is the token here: for one seat, one turn, and kept nowhere. */
export const link = /^\/t\/([^/]+)$/.exec(location.pathname)?.[1];
export const ended = store(false); // whether somebody is signed out who did not ask for that
export const over = store(null); // what the server says when the turn of the link is over

let current = link ?? (forNow.getItem(KEY) || forGood.getItem(KEY));

export const token = () => current;

function keep(value, isForGood) {
  current = value;
  ended.set(false);
  forNow.removeItem(KEY);
  (isForGood ? forGood : forNow).setItem(KEY, value);
}

/** The token is worthless; `problem` says why. */
export function forget(problem) {
  if (link) return over.set(problem);
  for (const kept of [forGood, forNow]) {
    if (kept.getItem(KEY) === current) kept.removeItem(KEY); // another window may have signed in since
  }
  current = null;
  ended.set(!!problem);
  me.set(null);
}

/** Ask for a code by mail; what it is for goes into `signIn`. */
export async function askForCode(email) {
  return (await call("POST", "/v1/sign-ins", { email, locale: locale() })).sign_in;
}

export async function signIn(asked, code, isForGood) {
  keep((await call("POST", "/v1/tokens", { sign_in: asked, code })).token, isForGood);
  await recognise();
}

/** As one of the people of the sandbox, who need no code. */
export async function enterSandbox(name) {
  keep((await call("POST", "/sandbox/token", { name })).token, false);
  forNow.removeItem(AWAY);
  await recognise();
}

/** The token is worthless at once, also where it was copied to. */
export async function signOut() {
  forNow.setItem(AWAY, "yes");
  await call("DELETE", "/v1/tokens/current").catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
  forget();
}

/** All tokens of whoever is signed in are worthless at once. */
export async function signOutEverywhere() {
  forNow.setItem(AWAY, "yes");
  await call("DELETE", "/v1/tokens");
  forget();
}

/** Whoever the kept token is of; nobody if it is worthless by now. */
export async function recognise() {
  if (link) return;
  if (!current && isSandbox && !forNow.getItem(AWAY)) return enterSandbox("you");
  if (!current) return;
  try {
    me.set(await call("GET", "/v1/me"));
    await speak(me.get().locale);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status !== 401) throw error;
    forget();
  }
}

/** Another language: of the page, and of the letters to whoever is signed in. */
export async function changeLanguage(wanted) {
  await speak(wanted);
  if (current && !link) me.set(await call("PATCH", "/v1/me", { locale: wanted }));
}
