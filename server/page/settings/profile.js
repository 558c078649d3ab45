// The profile: name, language and time zone.
import { html, useMemo } from "../ui/html.js";
import { now } from "../ui/connection.js";
import { absolute } from "../ui/times.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { LANGUAGES, locale, t } from "../ui/words.js";
import { changeMe, Field, Save, say, useDraft, useSending } from "./parts.js";
/** @import { Profile as Player } from "../ui/types" */

export function Profile() {
  const player = /** @type {Player} */ (useStore(me));
  const { id, name, locale: language, zone } = player;
  const draft = useDraft("profile", { name, locale: language, zone });
  const sending = useSending(["name", "locale", "zone"], async () => {
    const sent = draft.typed;
    await changeMe(sent);
    draft.settle(sent);
    say("profile", "settings.saved");
  });
  return html`<section class="card">
    <h2>${t("settings.profile")}</h2>
    ${player.unreachable && html`<div class="notice"><p>${t("profile.unreachable", {
      since: absolute(player.unreachable.since) })}</p><p lang="">${player.unreachable.why}</p></div>`}
    <form ref=${sending.form} onSubmit=${sending.submit}>
      <p>${t("colon", { what: t("email") })} <strong class="address">${player.email}</strong><br /><small
        class="faint">${t("profile.email")}</small></p>
      <${Field} id="profile-name" words=${t("profile.name")} hint=${t("profile.name.hint")}
        wrong=${sending.wrong.name}>${(it) => html`<input ...${it} name="name" required maxlength="40"
          autocomplete="nickname" ...${draft.input("name")} />`}<//>
      <${Field} id="profile-locale" words=${t("language")} hint=${t("profile.language.hint")}
        wrong=${sending.wrong.locale}>${(it) => html`<select ...${it} name="locale" ...${draft.input("locale")}>
          ${LANGUAGES.map(([code, words]) => html`<option value=${code} lang=${code}>${words}</option>`)}
        </select>`}<//>
      <${Zone} draft=${draft} wrong=${sending.wrong.zone} />
      <${Save} where="profile" draft=${draft} sending=${sending} />
    </form>
    <p><a href=${`#/players/${id}`}>${t("profile.page")}</a></p>
  </section>`;
}

const DEVICE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function Zone({ draft, wrong }) {
  const zones = useMemo(() => [...new Set(["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])])].sort(), []);
  const { zone } = draft.values;
  const time = timeIn(zone);
  return html`<${Field} id="profile-zone" words=${t("profile.zone")}
    hint=${[time && t("profile.zone.now", { time }), t("profile.zone.hint")].filter(Boolean).join(" ")}
    wrong=${wrong}>${(it) => html`<input ...${it} name="zone" list="zones" required autocomplete="off"
      spellcheck=${false} ...${draft.input("zone")} />`}<//>
    <datalist id="zones">${zones.map((it) => html`<option value=${it} />`)}</datalist>
    ${DEVICE && DEVICE !== zone && html`<p><button type="button" class="plain"
      onClick=${() => draft.set("zone", DEVICE)}>${t("profile.zone.device", { zone: DEVICE })}</button></p>`}`;
}

/** Return the local time in this zone, or null if the browser does not know the zone. */
function timeIn(timeZone) {
  try {
    return new Intl.DateTimeFormat(locale(), { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone })
      .format(now());
  } catch {
    return null;
  }
}
