// The calendar feed of due times.
import { html } from "../ui/html.js";
import { call } from "../ui/api.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { Said, say, Sure, ToCopy } from "./parts.js";

export function Feed() {
  const [feed, error, again] = useFresh(() => call("GET", "/v1/me/feed"));
  const make = async () => {
    await call("POST", "/v1/me/feed");
    say("calendar", "feed.made");
    again();
  };
  const end = async () => {
    await call("DELETE", "/v1/me/feed");
    say("calendar", "feed.ended");
    again();
  };
  return html`<section class="card">
    <h2>${t("settings.calendar")}</h2>
    <p>${t("feed.why")}</p>
    ${error && html`<${Sorry} error=${error} />`}
    ${feed && (feed.url ? html`<${Address} url=${feed.url} make=${make} end=${end} />` : html`<${None} make=${make} />`)}
    <${Said} where="calendar" />
  </section>`;
}

function None({ make }) {
  const [busy, error, submit] = useSubmit(make);
  return html`<p>${t("feed.none")}</p>
    <p><button disabled=${busy} onClick=${submit}>${t("feed.make")}</button></p>
    ${error && html`<${Sorry} error=${error} />`}`;
}

function Address({ url, make, end }) {
  return html`<${ToCopy} id="feed" words=${t("feed.address")} value=${url} />
    <p class="notice">${t("feed.secret")}</p>
    <p><a href=${url.replace(/^https?:/, "webcal:")}>${t("feed.subscribe")}</a></p>
    <p>${t("feed.how")}</p>
    <div class="row">
      <${Sure} words=${t("feed.renew")} question=${t("feed.renew.sure")} run=${make} where="calendar" />
      <${Sure} words=${t("feed.end")} question=${t("feed.end.sure")} run=${end} where="calendar" />
    </div>`;
}
