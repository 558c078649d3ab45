// Tokens: access to the account by browsers, programs and bots.
import { html } from "../ui/html.js";
import { all, call, Problem } from "../ui/api.js";
import { now } from "../ui/connection.js";
import { absolute } from "../ui/times.js";
import { signOut, signOutEverywhere } from "../ui/session.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh } from "../ui/parts.js";
import { Apps } from "./apps.js";
import {
  called, day, Field, GameLink, Group, myGames, Said, say, Sure, ToCopy, useDraft, useSending,
} from "./parts.js";

const OF_A_SEAT = ["games:read", "moves:write", "chat:write"];
const SCOPES = [
  "games:read", "games:write", "moves:write", "chat:write", "profile:read", "profile:write", "export:read",
  "tokens:write", "webhooks:manage",
];
const DAY = 86_400_000; // milliseconds
const LASTS = ["", "30", "90", "365", "date"]; // days; "": never expires

export function Tokens({ query }) {
  const [tokens, error, again] = useFresh(() => all("/v1/tokens?limit=100"));
  const [games] = useFresh(myGames);
  const others = tokens?.filter((it) => !it.current) ?? [];
  const revokeOthers = async () => {
    for (const token of others) await gone(token.id);
    say("tokens", "tokens.others.done");
    again();
  };
  return html`<section class="card">
      <h2>${t("settings.tokens")}</h2>
      <p>${t("tokens.why")}</p>
      ${error && html`<${Sorry} error=${error} />`}
      ${tokens && html`<ul class="rows stacked">${tokens.map((it) => html`<${Token} key=${it.id} token=${it} games=${games}
        again=${again} />`)}</ul>`}
      <${Said} where="tokens" />
      <div class="row">
        ${others.length > 0 && html`<${Sure} words=${t("tokens.others")} question=${t("tokens.others.sure",
          { count: others.length })} run=${revokeOthers} where="tokens" />`}
        <${Sure} words=${t("tokens.everywhere")} question=${t("tokens.everywhere.sure")} run=${signOutEverywhere} />
      </div>
    </section>
    <${Apps} games=${games} ended=${again} />
    ${tokens && html`<section class="card"><h2>${t("tokens.new")}</h2><${New} games=${games ?? []} again=${again}
      game=${query.get("game") ?? ""} /></section>`}`;
}

/** Revoke a token, unless another window already did. */
async function gone(id) {
  await call("DELETE", `/v1/tokens/${id}`).catch((error) => {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
  });
}

function Token({ token, games, again }) {
  const { id, name, scopes, game, made_at: made, expires_at: expires, last_used_at: used, current } = token;
  const revoke = async () => {
    await gone(id);
    say("tokens", "tokens.revoked", { name });
    again();
  };
  const isAll = SCOPES.every((it) => scopes.includes(it));
  return html`<li>
    <p><strong>${called("token", name)}</strong>${current && html` <span class="mark">${t("tokens.here")}</span>`}</p>
    ${game && html`<p>${t("tokens.seat")} <${GameLink} id=${game} games=${games} /></p>`}
    <p>${isAll ? t("tokens.all") : t("tokens.may", { what: scopes.map((it) => called("scope", it)).join("; ") })}</p>
    <p class="faint">${t("tokens.made", { day: day(made) })} ·
      ${" "}${used ? t("tokens.used", { when: absolute(used) }) : t("tokens.unused")} ·
      ${" "}${expires ? t("tokens.ends", { day: day(expires) }) : t("tokens.endless")}</p>
    ${current
      ? html`<${Sure} words=${t("sign-out")} question=${t("tokens.sign-out.sure")} run=${signOut} />`
      : html`<${Sure} words=${t("tokens.revoke")} name="${t("tokens.revoke")}: ${name}"
        question=${t("tokens.revoke.sure")} run=${revoke} where="tokens" />`}
  </li>`;
}

function New({ games, game, again }) {
  const draft = useDraft("token", { name: "", game, scopes: ["games:read", "moves:write"], lasts: "", date: "" });
  const made = useDraft("token made", { token: null });
  const { values } = draft;
  const offered = values.game ? OF_A_SEAT : SCOPES;
  const sending = useSending(["name", "scopes", "expires_at"], async () => {
    const answer = await call("POST", values.game ? `/v1/games/${values.game}/seats/me/tokens` : "/v1/tokens", {
      name: values.name,
      scopes: values.scopes.filter((it) => offered.includes(it)),
      expires_at: endOf(values),
    });
    made.set("token", answer);
    draft.settle(values);
    again();
  });
  const { token } = made.values;
  if (token) {
    return html`<p>${t("tokens.once", { name: token.name })}</p>
      <${ToCopy} id="token" words=${t("tokens.token")} value=${token.token} takesFocus />
      <p><button onClick=${made.clear}>${t("settings.done")}</button></p>`;
  }
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <${Field} id="token-name" words=${t("tokens.name")} hint=${t("tokens.name.hint")}
      wrong=${sending.wrong.name}>${(it) => html`<input ...${it} name="token-name" required maxlength="80"
        autocomplete="off" ...${draft.input("name")} />`}<//>
    <${Field} id="token-game" words=${t("tokens.for")} hint=${t("tokens.for.hint")}>${(it) => html`<select ...${it}
      name="token-game" ...${draft.input("game")}>
      <option value="">${t("tokens.for.all")}</option>
      ${games.map((one) => html`<option value=${one.id}>${t("tokens.for.seat", { title: one.title })}</option>`)}
    </select>`}<//>
    <${Group} id="scopes" words=${t("tokens.scopes")} wrong=${sending.wrong.scopes}>
      ${offered.map((scope) => html`<label class="check" key=${scope}><input type="checkbox" name=${scope}
        checked=${values.scopes.includes(scope)} onChange=${(event) => draft.set("scopes",
          SCOPES.filter((it) => (it === scope ? event.target.checked : values.scopes.includes(it))))} />
        <span>${t(`scope.${scope}`)}${scope === "tokens:write" && html` <small
          class="faint">${t("tokens.risky")}</small>`}</span></label>`)}
    <//>
    <${Field} id="token-lasts" words=${t("tokens.lasts")} wrong=${values.lasts !== "date" && sending.wrong.expires_at}>${(it) =>
      html`<select ...${it} name="lasts" ...${draft.input("lasts")}>${LASTS.map((lasts) => html`<option
        value=${lasts}>${/\d/.test(lasts) ? t("tokens.lasts.days", { count: lasts }) : t(`tokens.lasts.${lasts || "endless"}`)}
      </option>`)}</select>`}<//>
    ${values.lasts === "date" && html`<${Field} id="token-date" words=${t("tokens.date")}
      wrong=${sending.wrong.expires_at}>${(it) => html`<input ...${it} type="date" name="date" required
        ...${draft.input("date")} />`}<//>`}
    <button disabled=${sending.busy}>${t("tokens.make")}</button>
    ${sending.error && html`<${Sorry} error=${sending.error} />`}
  </form>`;
}

/** Return when the new token expires: after a number of days, or at the end of a date. */
function endOf({ lasts, date }) {
  if (lasts === "date") return new Date(`${date}T23:59:59`).toISOString();
  return lasts ? new Date(now() + lasts * DAY).toISOString() : null;
}
