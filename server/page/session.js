// Who is signed in: a token, kept for good or until the window closes, and the profile it belongs to.
import { call, Problem } from "./api.js";
import { store } from "./store.js";
import { locale, speak } from "./words.js";

const KEY = "sternenpost.token";
const AWAY = "sternenpost.signed-out"; // in a sandbox, somebody who left is not taken in again

export const me = store(null);
export const isSandbox = document.querySelector("meta[name=sandbox]") !== null;

let current = localStorage.getItem(KEY) || sessionStorage.getItem(KEY);

export const token = () => current;

function keep(value, forGood) {
  current = value;
  (forGood ? localStorage : sessionStorage).setItem(KEY, value);
}

export function forget() {
  current = null;
  localStorage.removeItem(KEY);
  sessionStorage.removeItem(KEY);
  me.set(null);
}

/** Ask for a code by mail; what it is for goes into `signIn`. */
export async function askForCode(email) {
  return (await call("POST", "/v1/sign-ins", { email, locale: locale() })).sign_in;
}

export async function signIn(asked, code, forGood) {
  keep((await call("POST", "/v1/tokens", { sign_in: asked, code })).token, forGood);
  await recognise();
}

/** As one of the people of the sandbox, who need no code. */
export async function enterSandbox(name) {
  keep((await call("POST", "/sandbox/token", { name })).token, false);
  sessionStorage.removeItem(AWAY);
  await recognise();
}

/** The token is worthless at once, also where it was copied to. */
export async function signOut() {
  sessionStorage.setItem(AWAY, "yes");
  await call("DELETE", "/v1/tokens/current").catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
  forget();
}

/** Whoever the kept token is of; nobody if it is worthless by now. */
export async function recognise() {
  if (!current && isSandbox && !sessionStorage.getItem(AWAY)) return enterSandbox("you");
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
  if (current) me.set(await call("PATCH", "/v1/me", { locale: wanted }));
}
