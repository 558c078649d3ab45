// Notifications: which emails are sent, and when.
import { html, useState } from "../ui/html.js";
import { length } from "../ui/durations.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
import { EMAIL_CHOICES, EMAIL_PRESETS } from "./notice-kinds.js";
import { Push } from "./push.js";
import { changeWithin, Field, Group, Save, say, TimeOfDay, useDraft, useSending } from "./parts.js";
/** @import { Profile } from "../ui/types" */

const KINDS = Object.keys(EMAIL_CHOICES);
const COALESCED = "your-turn"; // by default, turns in several games share one email
const REMINDERS = ["half", "PT3H"]; // the server's default
const BUNDLES = ["08:00"];

export function Notifications() {
  const { notifications } = /** @type {Profile} */ (useStore(me));
  const { reminders = REMINDERS, bundle_at = BUNDLES, mails = {} } = notifications;
  const chosen = Object.fromEntries(KINDS.map((kind) => [kind, mails[kind] ?? usual(kind)]));
  const draft = useDraft("notifications", { ...chosen, reminders, bundle_at });
  const sending = useSending(["mails", "reminders", "bundle_at"], async () => {
    const sent = draft.typed;
    await changeWithin("notifications", (now) => merged(now, sent));
    draft.settle(sent);
    say("notifications", "settings.saved");
  });
  const { values } = draft;
  const waits = values.bundle === "off" && KINDS.some((kind) => values[kind] === "bundled");
  return html`<section class="card">
    <h2>${t("settings.notifications")}</h2>
    <p>${t("notifications.why")}</p>
    <form ref=${sending.form} onSubmit=${sending.submit}>
      <${Group} id="mails" words=${t("notifications.mails")} wrong=${sending.wrong.mails}>
        <${Presets} draft=${draft} />
        ${waits && html`<p class="notice">${t("notifications.no-bundle")}</p>`}
      <//>
      <${Group} id="bundle_at" words=${t("notifications.bundles")} hint=${t("notifications.bundles.hint")}
        wrong=${sending.wrong.bundle_at}><${Bundles} times=${values.bundle_at} draft=${draft} /><//>
      <${Group} id="reminders" words=${t("notifications.reminders")} hint=${t("notifications.reminders.hint")}
        wrong=${sending.wrong.reminders}><${Reminders} reminders=${values.reminders} draft=${draft} /><//>
      <${Save} where="notifications" draft=${draft} sending=${sending} />
    </form>
  </section>
  <${Push} />`;
}

/** Merge the changes into the current settings. */
function merged(now, { reminders, bundle_at, ...mails }) {
  return {
    ...now,
    ...(reminders && { reminders }),
    ...(bundle_at && { bundle_at }),
    mails: Object.fromEntries(Object.entries({ ...now.mails, ...mails }).filter(([, choice]) => choice)),
  };
}

/** Return the default choice for a kind. */
const usual = (kind) => (kind === COALESCED ? "" : "at-once");

const choicesOf = (preset) => Object.fromEntries(KINDS.map((kind) =>
  [kind, EMAIL_PRESETS[preset].includes(kind) ? usual(kind) : "off"]));

/** Choose a preset for all kinds of email, or each kind separately. */
function Presets({ draft }) {
  const isChosen = (preset) => Object.entries(choicesOf(preset)).every(([kind, it]) => draft.values[kind] === it);
  const chosen = Object.keys(EMAIL_PRESETS).find(isChosen);
  const [isOpen] = useState(!chosen);
  const choose = (preset) => () => Object.entries(choicesOf(preset)).forEach(([kind, it]) => draft.set(kind, it));
  return html`${Object.keys(EMAIL_PRESETS).map((it) => html`<label class="check"><input type="radio" name="preset"
      checked=${it === chosen} onChange=${choose(it)} /> <span>${t(`preset.${it}`)}</span></label>`)}
    ${!chosen && html`<p class="faint" role="status">${t("preset.own")}</p>`}
    <details class="each" open=${isOpen}><summary>${t("preset.each")}</summary>
      <div class="kinds">${KINDS.map((kind) => html`<${Kind} key=${kind} kind=${kind} draft=${draft} />`)}</div></details>`;
}

function Kind({ kind, draft }) {
  const choices = [...(kind === COALESCED ? [""] : []), ...EMAIL_CHOICES[kind]];
  return html`<${Field} id="mail-${kind}" words=${t(`kind.${kind}`)} hint=${t(`mail.${kind}`)}>${(it) => html`<select
    ...${it} name=${kind} ...${draft.input(kind)}>
    ${choices.map((choice) => html`<option value=${choice}>${t(choiceKey(kind, choice))}</option>`)}
  </select>`}<//>`;
}

function choiceKey(kind, choice) {
  if (kind === "bundle" && choice === "at-once") return "mails.daily";
  return choice ? `mails.${choice}` : "mails.together";
}

function Bundles({ times, draft }) {
  const change = (changed) => draft.set("bundle_at", changed);
  return html`<ul class="rows">${times.map((time, i) => html`<li key=${i}>
      <${TimeOfDay} aria-label=${t("notifications.bundles.time")} value=${time} change=${(it) => change(times.with(i, it))} />
      ${times.length > 1 && html`<button type="button" class="plain" aria-label="${t("settings.remove")}: ${time}"
        onClick=${() => change(times.toSpliced(i, 1))}>${t("settings.remove")}</button>`}
    </li>`)}</ul>
    <button type="button" class="plain" onClick=${() => change([...times, "18:00"])}>${t("notifications.bundles.add")}</button>`;
}

const SIMPLE = /^P(T?)(\d*)([WDHM])$/; // durations with a single number and unit
const UNITS = { M: "minutes", H: "hours", D: "days" };
const written = (number, unit) => `P${unit === "D" ? "" : "T"}${number}${unit}`;

function Reminders({ reminders, draft }) {
  const change = (changed) => draft.set("reminders", changed);
  const others = reminders.filter((it) => it !== "half");
  const hasHalf = reminders.includes("half");
  const withHalf = (has, those) => [...(has ? ["half"] : []), ...those];
  return html`<label class="check"><input type="checkbox" name="half" checked=${hasHalf}
      onChange=${(event) => change(withHalf(event.target.checked, others))} /> ${t("reminders.half")}</label>
    <ul class="rows">${others.map((it, i) => html`<li key=${i}>
      <${Before} duration=${it} change=${(changed) => change(withHalf(hasHalf, others.with(i, changed)))} />
      <button type="button" class="plain" aria-label="${t("settings.remove")}: ${length(it)}"
        onClick=${() => change(withHalf(hasHalf, others.toSpliced(i, 1)))}>${t("settings.remove")}</button>
    </li>`)}</ul>
    <button type="button" class="plain"
      onClick=${() => change(withHalf(hasHalf, [...others, "PT1H"]))}>${t("reminders.add")}</button>`;
}

/** Edit how long before the due time a reminder is sent. */
function Before({ duration, change }) {
  const [, isTime, number, unit] = SIMPLE.exec(duration) ?? [];
  if (!(unit in UNITS) || (unit === "M" && !isTime)) return html`<span>${t("reminders.before", { time: length(duration) })}</span>`;
  return html`<span class="row">
    <input type="number" min="1" max="999" required inputmode="numeric" aria-label=${t("reminders.number")} value=${number}
      onInput=${(event) => change(written(event.target.value, unit))} />
    <select aria-label=${t("reminders.unit")} value=${unit} onChange=${(event) => change(written(number, event.target.value))}>
      ${Object.entries(UNITS).map(([it, name]) => html`<option value=${it}>${t(`reminders.${name}`)}</option>`)}
    </select>
  </span>`;
}
