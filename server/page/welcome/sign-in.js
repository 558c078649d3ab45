// Signing in: an address, then the code that was mailed to it.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { here } from "../ui/routes.js";
import { askForCode, enterSandbox, isSandbox, signIn } from "../ui/session.js";
import { t } from "../ui/words.js";
import { Sorry, useSubmit } from "../ui/parts.js";
/** @import { Input } from "../ui/types" */
/** @typedef {{signIn: string, email?: string}} Asked a sign-in that waits for its code */

/** To where somebody was when he was asked who he is. */
function home() {
  const { parts, query } = here.get();
  const then = query.get("then") ?? "";
  if (parts[0] === "sign-in") location.replace(then.startsWith("#/") ? then : "#/"); // not to be come back to
}

export function SignIn() {
  const mailed = here.get().query.get("asked");
  const [asked, setAsked] = useState(mailed && { signIn: mailed });
  return html`<section class="card">
    <h2>${t("sign-in")}</h2>
    <p>${t("sign-in.why")}</p>
    ${asked ? html`<${Code} asked=${asked} back=${() => setAsked(null)} />` : html`<${Address} then=${setAsked} />`}
  </section>
  ${isSandbox && html`<${Sandbox} />`}`;
}

/** @param {{then: (asked: Asked) => void}} props */
function Address({ then }) {
  const field = useRef();
  const [busy, error, submit] = useSubmit(async () => {
    const email = field.current.value.trim();
    then({ email, signIn: await askForCode(email) });
  });
  return html`<form onSubmit=${submit}>
    <label>${t("email")} <input ref=${field} type="email" name="email" autocomplete="email" required /></label>
    <button disabled=${busy}>${t("sign-in.ask")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </form>`;
}

/**
 * A code that was copied may have blanks around and in it.
 * @param {Input} event
 */
const digits = ({ target }) => (target.value = target.value.replace(/\D/g, "").slice(0, 6));

/** @param {{asked: Asked, back: () => void}} props */
function Code({ asked, back }) {
  const code = useRef();
  const stay = useRef();
  useEffect(() => code.current.focus(), []);
  const [busy, error, submit] = useSubmit(async () => {
    await signIn(asked.signIn, code.current.value.trim(), stay.current.checked);
    home();
  });
  return html`<form onSubmit=${submit}>
    <p role="status">${asked.email ? t("sign-in.sent", { email: asked.email }) : t("sign-in.mailed")}</p>
    <label>${t("code")}
      <input ref=${code} name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}"
        onInput=${digits} required />
    </label>
    <label class="check"><input ref=${stay} type="checkbox" name="stay" checked /> ${t("sign-in.stay")}</label>
    <button disabled=${busy}>${t("sign-in")}</button>
    <button type="button" class="plain" onClick=${back}>${t("sign-in.other")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </form>`;
}

function Sandbox() {
  const [wrong, setWrong] = useState(null);
  const as = (/** @type {string} */ name) => () => enterSandbox(name).then(home, setWrong);
  return html`<section class="card">
    <h2>${t("sandbox")}</h2>
    <p>${t("sandbox.why")} <a href="/sandbox/mail">${t("sandbox.mail")}</a></p>
    <p class="row">
      ${["you", "ada", "ben"].map((name) => html`<button onClick=${as(name)}>${t("sandbox.as", { name })}</button>`)}
    </p>
    ${wrong && html`<${Sorry} error=${wrong} />`}
  </section>`;
}
