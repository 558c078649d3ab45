// Apps: third-party programs that the player has authorised.
import { html } from "../ui/html.js";
import { call, Problem } from "../ui/api.js";
import { absolute } from "../ui/times.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh } from "../ui/parts.js";
import { called, day, GameLink, Said, say, Sure } from "./parts.js";

/** List authorised apps; hidden if there are none. `ended` is called after one is revoked. */
export function Apps({ games, ended }) {
  const [apps, error, again] = useFresh(() => call("GET", "/v1/apps"));
  const anew = () => {
    again();
    ended();
  };
  return html`${(error || apps?.items.length > 0) && html`<section class="card">
    <h2>${t("apps")}</h2>
    <p>${t("apps.why")}</p>
    ${error && html`<${Sorry} error=${error} />`}
    <ul class="rows stacked">${apps?.items.map((it) => html`<${App} key=${it.id} app=${it} games=${games}
      again=${anew} />`)}</ul>
  </section>`}<${Said} where="apps" />`;
}

function App({ app, games, again }) {
  const { id, name, address, scopes, game, made_at: made, last_used_at: used } = app;
  const end = async () => {
    await call("DELETE", `/v1/apps/${id}`).catch((error) => {
      if (!(error instanceof Problem) || error.status !== 404) throw error; // already revoked
    });
    say("apps", "apps.ended", { name });
    again();
  };
  return html`<li>
    <p><strong>${name}</strong> <span class="faint">${address}</span></p>
    ${game && html`<p>${t("tokens.seat")} <${GameLink} id=${game} games=${games} /></p>`}
    <p>${t("tokens.may", { what: scopes.map((it) => called("scope", it)).join("; ") })}</p>
    <p class="faint">${t("tokens.made", { day: day(made) })} · ${t("tokens.used", { when: absolute(used) })}</p>
    <${Sure} words=${t("apps.end")} name="${t("apps.end")}: ${name}" question=${t("apps.end.sure")} run=${end} where="apps" />
  </li>`;
}
