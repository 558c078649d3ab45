// Time off, when the clock stops: nights, days off and vacations.
import { html } from "../ui/html.js";
import { now } from "../ui/connection.js";
import { useStore } from "../ui/store.js";
import { locale, t } from "../ui/words.js";
import { Sorry } from "../ui/parts.js";
import { me } from "../ui/token.js";
import { changeWithin, day, Field, Group, Said, Save, say, Sure, TimeOfDay, useDraft, useSending } from "./parts.js";
/** @import { Profile } from "../ui/types" */

const NIGHT = ["22:00", "08:00"];
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]; // Monday first

export function TimeOff() {
  const { calendar, zone } = /** @type {Profile} */ (useStore(me));
  return html`<section class="card">
      <h2>${t("settings.time-off")}</h2>
      <p>${t("time-off.why", { zone })}</p>
      <${Weeks} calendar=${calendar} />
    </section>
    <section class="card"><h2>${t("vacations")}</h2><${Vacations} vacations=${calendar.vacations ?? []} /></section>`;
}

function Weeks({ calendar }) {
  const draft = useDraft("time-off", { night: calendar.night?.split("-") ?? null, days_off: calendar.days_off ?? [] });
  const { night, days_off: off } = draft.values;
  const sending = useSending(["night", "days_off"], async () => {
    const sent = draft.typed;
    const changes = sent.night ? { ...sent, night: sent.night.join("-") } : sent;
    await changeWithin("calendar", (now) => ({ ...now, ...changes }));
    draft.settle(sent);
    say("time-off", "settings.saved");
  });
  const [from, to] = night ?? [];
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <${Group} id="night" words=${t("night")} hint=${t("night.hint")} wrong=${sending.wrong.night}>
      <label class="check"><input type="checkbox" name="night" checked=${night !== null}
        onChange=${(event) => draft.set("night", event.target.checked ? (calendar.night?.split("-") ?? NIGHT) : null)} />
        ${t("night.is")}</label>
      ${night !== null && html`<div class="row">
        <label>${t("night.from")} <${TimeOfDay} name="from" value=${from} change=${(it) => draft.set("night", [it, to])} /></label>
        <label>${t("night.to")} <${TimeOfDay} name="to" value=${to} change=${(it) => draft.set("night", [from, it])} /></label>
      </div>`}
    <//>
    <${Group} id="days_off" words=${t("days-off")} hint=${t("days-off.hint")} wrong=${sending.wrong.days_off}>
      <div class="week">${WEEKDAYS.map((it) => html`<label class="check"><input type="checkbox" name="day-${it}"
        checked=${off.includes(it)} onChange=${(event) => draft.set("days_off",
          WEEKDAYS.filter((one) => (one === it ? event.target.checked : off.includes(one))))} />
        ${weekday(it)}</label>`)}</div>
    <//>
    <${Save} where="time-off" draft=${draft} sending=${sending} />
  </form>`;
}

// 1 January 2024 was a Monday
const weekday = (number) =>
  new Intl.DateTimeFormat(locale(), { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, number));

function Vacations({ vacations }) {
  const change = (changed) => changeWithin("calendar", (now) => ({ ...now, vacations: changed(now.vacations ?? []) }));
  const sorted = [...vacations].sort((one, other) => one.from.localeCompare(other.from));
  return html`<p>${t("vacations.why")}</p>
    ${sorted.length === 0 && html`<p>${t("vacations.none")}</p>`}
    <ul class="rows">${sorted.map((it) => html`<${Vacation} key=${`${it.from} ${it.to}`} vacation=${it}
      change=${change} />`)}</ul>
    <${Another} change=${change} />`;
}

const is = (vacation) => (it) => it.from === vacation.from && it.to === vacation.to;

/** Show a vacation. It can be removed before it starts, and ended early once it has started. */
function Vacation({ vacation, change }) {
  const { from, to } = vacation;
  const words = t("vacations.days", { from: day(from), to: day(to) });
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: me.get()?.zone }).format(now()); // 2026-11-23
  const remove = async () => {
    await change((all) => all.filter((it) => !is(vacation)(it)));
    say("vacations", "vacations.removed");
  };
  const end = useSending([], async () => {
    await change((all) => all.map((it) => (is(vacation)(it) ? { from, to: today } : it)));
    say("vacations", "vacations.ended");
  });
  return html`<li><span>${words}</span>
    ${from > today && html`<${Sure} words=${t("settings.remove")} name="${t("settings.remove")}: ${words}"
      question=${t("vacations.sure")} run=${remove} where="vacations" />`}
    ${from <= today && today < to && html`<button class="plain" disabled=${end.busy}
      onClick=${end.submit}>${t("vacations.end")}</button>`}
    ${to < today && html`<small class="faint">${t("vacations.over")}</small>`}
    ${end.error && html`<${Sorry} error=${end.error} />`}</li>`;
}

function Another({ change }) {
  const draft = useDraft("vacation", { from: "", to: "" });
  const sending = useSending(["vacations"], async () => {
    const sent = draft.typed;
    await change((all) => [...all, sent]);
    draft.settle(sent);
    say("vacations", "vacations.added", { from: day(sent.from), to: day(sent.to) });
  });
  const wrong = sending.wrong.vacations;
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <div class="row">
      <${Field} id="vacation-from" words=${t("vacations.from")} wrong=${wrong}>${(it) => html`<input ...${it}
        type="date" name="first-day" required ...${draft.input("from")} />`}<//>
      <${Field} id="vacation-to" words=${t("vacations.to")}>${(it) => html`<input ...${it} type="date"
        name="last-day" required ...${draft.input("to")} />`}<//>
    </div>
    <div class="row"><button disabled=${sending.busy}>${t("vacations.add")}</button><${Said} where="vacations" /></div>
    ${sending.error && html`<${Sorry} error=${sending.error} />`}
  </form>`;
}
