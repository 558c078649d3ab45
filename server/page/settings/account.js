// The account: change the address, export the data, delete the account.
import { html, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { forgetAccount } from "../ui/session.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
import { Sorry, useSubmit } from "../ui/parts.js";
import { Field, Said, say, Sure, useSending } from "./parts.js";
/** @import { Profile } from "../ui/types" */

export function Account() {
  const player = /** @type {Profile} */ (useStore(me));
  return html`${!player.guest && html`<${Address} player=${player} />`}
    <${Copy} />
    ${!player.guest && html`<${Share} player=${player} /><${Program} player=${player} />`}
    <${End} player=${player} />`;
}

const CODE = { inputmode: "numeric", autocomplete: "one-time-code", pattern: "[0-9]{6}", maxlength: 6, required: true };

function Address({ player }) {
  const [email, setEmail] = useState(player.new_email ?? "");
  const asked = player.new_email;
  const asking = useSending(["email"], async () => me.set(await call("PATCH", "/v1/me", { email: email.trim() })));
  return html`<section class="card">
    <h2>${t("account.address")}</h2>
    <p>${t("colon", { what: t("email") })} <strong class="address">${player.email}</strong></p>
    <p>${t("account.address.why")}</p>
    <form ref=${asking.form} onSubmit=${asking.submit}>
      <${Field} id="account-email" words=${t("account.address.new")} wrong=${asking.wrong.email}>${(it) => html`<input
        ...${it} type="email" required autocomplete="email" value=${email}
        onInput=${({ target }) => setEmail(target.value)} />`}<//>
      <div class="row"><button class=${asked ? "plain" : null}
        disabled=${asking.busy}>${t(asked ? "account.codes.again" : "account.codes.ask")}</button></div>
      ${asking.error && html`<${Sorry} error=${asking.error} />`}
    </form>
    ${asked && html`<${Codes} old=${player.email} email=${asked} />`}
    <${Said} where="address" />
  </section>`;
}

/** Ask for the codes emailed to the old and the new address. */
function Codes({ old, email }) {
  const sending = useSending(["email"], async () => {
    const codes = new FormData(sending.form.current);
    me.set(await call("PATCH", "/v1/me", { email, code: codes.get("code"), new_code: codes.get("new_code") }));
    say("address", "account.address.changed", { email });
  });
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <p role="status">${t("account.codes.sent", { old, email })}</p>
    <${Field} id="account-code" words=${t("account.code.of", { email: old })}>${(it) => html`<input ...${it} name="code"
      ...${CODE} />`}<//>
    <${Field} id="account-new-code" words=${t("account.code.of", { email })} wrong=${sending.wrong.email}>${(it) =>
      html`<input ...${it} name="new_code" ...${CODE} />`}<//>
    <div class="row"><button disabled=${sending.busy}>${t("account.address.change")}</button></div>
    ${sending.error && html`<${Sorry} error=${sending.error} />`}
  </form>`;
}

function Copy() {
  const [busy, error, submit] = useSubmit(async () => {
    const copy = JSON.stringify(await call("GET", "/v1/me/export"), null, 1);
    const address = URL.createObjectURL(new Blob([copy], { type: "application/json" }));
    Object.assign(document.createElement("a"), { href: address, download: "sternenpost.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    say("copy", "account.copy.done");
  });
  return html`<section class="card">
    <h2>${t("account.copy")}</h2>
    <p>${t("account.copy.why")}</p>
    <div class="row"><button disabled=${busy} onClick=${submit}>${t("account.copy.take")}</button>
      <${Said} where="copy" /></div>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** Choose whether others may study the player's finished games. */
function Share({ player }) {
  const [busy, error, change] = useSubmit(async () => {
    me.set(await call("PATCH", "/v1/me", { shares_games: !player.shares_games }));
    say("share", "settings.saved");
  });
  return html`<section class="card">
    <h2>${t("account.share")}</h2>
    <p>${t("account.share.why")}</p>
    <label class="check"><input type="checkbox" checked=${player.shares_games !== busy} disabled=${busy}
      onChange=${change} /> ${t("account.share.agree")}</label>
    <${Said} where="share" />
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** Declare that a program plays with this account. Other players see it. */
function Program({ player }) {
  const [busy, error, change] = useSubmit(async () => {
    me.set(await call("PATCH", "/v1/me", { program: !player.program }));
    say("program", "settings.saved");
  });
  return html`<section class="card">
    <h2>${t("account.program")}</h2>
    <p>${t("account.program.why")}</p>
    <label class="check"><input type="checkbox" checked=${player.program !== busy} disabled=${busy}
      onChange=${change} /> ${t("account.program.agree")}</label>
    <${Said} where="program" />
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

function End({ player }) {
  const [isAsked, ask] = useState(false);
  const begin = async () => {
    if (await call("DELETE", "/v1/me")) ask(true);
    else forgetAccount(); // guests need no code
  };
  return html`<section class="card">
    <h2>${t("account.end")}</h2>
    <p>${t("account.end.why")}</p>
    ${isAsked
      ? html`<${EndCode} email=${player.email} />`
      : html`<${Sure} words=${t("account.end.ask")} question=${t("account.end.sure")} run=${begin} where="end" />`}
  </section>`;
}

function EndCode({ email }) {
  const sending = useSending([], async () => {
    const code = new FormData(sending.form.current).get("code");
    await call("DELETE", `/v1/me?code=${code}`);
    forgetAccount();
  });
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <p role="status">${t("account.end.sent", { email })}</p>
    <${Field} id="account-end-code" words=${t("account.code.of", { email })}>${(it) => html`<input ...${it} name="code"
      ...${CODE} />`}<//>
    <div class="row"><button disabled=${sending.busy}>${t("account.end.do")}</button></div>
    ${sending.error && html`<${Sorry} error=${sending.error} />`}
  </form>`;
}
