// Signing in by email address and an emailed code.
import { call } from "../ui/api.js";
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { afterSignIn, appAsking, here, WITH_FRIENDS } from "../ui/routes.js";
import { byPlace } from "../ui/field-errors.js";
import { askForCode, enterSandbox, isSandbox, signIn } from "../ui/session.js";
import { t } from "../ui/words.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { useStore } from "../ui/store.js";
import { KEY, me } from "../ui/token.js";
/** @import { GameSummary, Input } from "../ui/types" */
/** @typedef {{signIn: string, email?: string}} Asked a pending sign-in */

/** Return to the screen that required the sign-in. */
function home() {
  const { parts, query } = here.get();
  if (parts[0] === "sign-in") location.replace(afterSignIn(query)); // skips the history
}

export function SignIn() {
  useEffect(() => {
    const leave = (/** @type {StorageEvent} */ { key, newValue }) =>
      key === KEY && newValue && here.get().query.has("then") && home();
    addEventListener("storage", leave); // signed in in another window, by the link in the email
    return () => removeEventListener("storage", leave);
  }, []);
  const { query } = useStore(here);
  const app = appAsking(query);
  const [table] = useLoaded(() => tableOf(query.get("then") ?? ""), [query.get("then")]);
  return html`<section class="card asked">
    ${app ? html`<h1>${t("sign-in.app", { app })}</h1>`
      : html`<h2>${table ? t("sign-in.seat", { title: table.title })
        : t(query.get("then") === WITH_FRIENDS ? "sign-in.friends" : "sign-in")}</h2>`}
    <${Steps} />
  </section>
  ${isSandbox && html`<${Sandbox} />`}`;
}

/**
 * Return the table that needs the sign-in, or null if there is none or the visitor can't see it.
 * @param {string} route
 * @returns {Promise<GameSummary | null>}
 */
async function tableOf(route) {
  const [, game] = /^#\/games\/([\w-]+)/.exec(route) ?? [];
  return game ? call("GET", `/v1/games/${game}`).catch(() => null) : null;
}

/**
 * Sign in, then run `then` with the new token before the next render. `words` is the label of the last button.
 * @param {{words?: string, then?: () => Promise<unknown>}} props
 */
export function Steps({ words = t("sign-in"), then }) {
  const mailed = here.get().query.get("asked");
  const [asked, setAsked] = useState(mailed && { signIn: mailed });
  const [isClosed, setClosed] = useState(false);
  useEffect(() => {
    call("GET", "/v1").then((it) => setClosed(it.closed.includes("sign-ups")), () => {});
  }, []);
  return html`${isClosed ? html`<p class="notice">${t("sign-in.closed")}</p>`
      : !asked && html`<p>${t(me.get()?.guest ? "sign-in.guest" : "sign-in.why")}</p>`}
    ${asked ? html`<${Code} asked=${asked} renew=${setAsked} back=${() => setAsked(null)} words=${words} then=${then} />`
      : html`<${Address} then=${setAsked} />`}`;
}

/** @param {{then: (asked: Asked) => void}} props */
function Address({ then }) {
  const field = useRef();
  const [busy, error, submit] = useSubmit(async () => {
    const email = field.current.value.trim();
    then({ email, signIn: await askForCode(email) });
  });
  const route = useStore(here);
  useEffect(() => route.parts[0] === "sign-in" && field.current.focus({ preventScroll: true }), [route]);
  useEffect(() => error && field.current.focus(), [error]);
  return html`<form onSubmit=${submit}>
    <label>${t("email")} <input ref=${field} type="email" name="email" autocomplete="email" required
      ...${isWrong(error)} /></label>
    ${error && html`<${Wrong} error=${error} />`}
    <button disabled=${busy}>${t("sign-in.ask")}</button>
  </form>`;
}

/**
 * Return the ARIA attributes of a field whose value was refused.
 * @param {unknown} error
 */
const isWrong = (error) => (error ? { "aria-invalid": "true", "aria-describedby": "wrong-sign-in" } : {});

/** @param {{error: unknown}} props */
const Wrong = ({ error }) => html`<div id="wrong-sign-in">${byPlace(error).email ? html`<p class="wrong" role="alert">${byPlace(error).email}</p>`
  : html`<${Sorry} error=${error} />`}</div>`;

/**
 * Strip everything but digits, since a pasted code may contain blanks.
 * @param {Input} event
 */
const digits = ({ target }) => (target.value = target.value.replace(/\D/g, "").slice(0, 6));

/**
 * @param {{asked: Asked, back: () => void, renew: (asked: Asked) => void, words: string,
 *   then?: () => Promise<unknown>}} props
 */
function Code({ asked, back, renew, words, then }) {
  const code = useRef();
  const stay = useRef();
  const [isNew, sent] = useState(false);
  useEffect(() => code.current.focus(), []);
  const [busy, error, submit] = useSubmit(async () => {
    await signIn(asked.signIn, code.current.value.trim(), stay.current.checked, then);
    home();
  });
  const [isAsking, refused, another] = useSubmit(async () => {
    const email = asked.email ?? "";
    renew({ email, signIn: await askForCode(email) });
    code.current.value = "";
    code.current.focus();
    sent(true);
  });
  useEffect(() => error && code.current.focus(), [error]);
  const said = asked.email ? t(isNew ? "sign-in.sent-again" : "sign-in.sent", { email: asked.email }) : t("sign-in.mailed");
  return html`<form onSubmit=${submit}>
    <p role="status">${said}</p>
    <label>${t("code")}
      <input ref=${code} name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}"
        onInput=${digits} required ...${isWrong(error)} />
    </label>
    ${error && html`<${Wrong} error=${error} />`}
    <label class="check"><input ref=${stay} type="checkbox" name="stay" checked /> ${t("sign-in.stay")}</label>
    <button disabled=${busy}>${words}</button>
    <p class="row"><button type="button" class="plain" disabled=${isAsking}
        onClick=${asked.email ? another : back}>${t("sign-in.again")}</button>
      <button type="button" class="plain" onClick=${back}>${t("sign-in.other")}</button></p>
    ${refused && html`<${Sorry} error=${refused} />`}
  </form>`;
}

function Sandbox() {
  const [wrong, setWrong] = useState(null);
  const as = (/** @type {string} */ name) => () => enterSandbox(name).then(home, setWrong);
  return html`<section class="card">
    <h2>${t("sandbox")}</h2>
    <p>${t("sandbox.why")} <a href="/sandbox/mail">${t("sandbox.mail")}</a></p>
    <p class="row">
      ${["Robin", "Ada", "Ben"].map((name) => html`<button onClick=${as(name.toLowerCase())}>${t("sandbox.as", { name })}</button>`)}
    </p>
    ${wrong && html`<${Sorry} error=${wrong} />`}
  </section>`;
}
