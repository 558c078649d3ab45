// The turn time: a preset or custom values.
import { html, useEffect, useRef } from "../ui/html.js";
import { clockInWords, hours } from "../ui/durations.js";
import { marked, Wrong } from "../ui/field-errors.js";
import { t } from "../ui/words.js";
import { CLOCKS, iso, UNITS } from "./draft.js";

const MOST = { D: 365, H: 8760, M: 525_600 }; // a year

export function Clock({ it, change, wrongs }) {
  const set = (field) => (value) => change({ own: { ...it.own, [field]: value } });
  const asked = { "own-time": ["per_move"], "own-bank": ["bank", "increment", "cap"] }[it.clock] ?? [];
  const tooMuch = ["bank", "increment"].some((field) => hours(iso(it.own[field])) > hours(iso(it.own.cap)));
  return html`
    <p class="faint">${t("new-game.clock.about")}</p>
    <label>${t("new-game.clock")}
      <select name="clock" value=${it.clock} ...${marked(wrongs, "clock")}
        onChange=${(event) => change({ clock: event.target.value })}>
        ${Object.entries(CLOCKS).map(([key, clock]) => html`<option value=${key}>${clockInWords(clock)}</option>`)}
        ${["own-time", "own-bank"].map((key) => html`<option value=${key}>${t(`new-game.clock.${key}`)}</option>`)}
      </select>
      <${Wrong} wrongs=${wrongs} place="clock" />
    </label>
    ${asked.length > 0 && html`<div class="row">${asked.map((field) => html`<${Duration} key=${field} name=${field}
      label=${t(`new-game.clock.${field}`)} value=${it.own[field]} set=${set(field)}
      wrong=${field === "cap" && tooMuch ? t("new-game.clock.cap.low") : ""} />`)}</div>`}`;
}

/** Edit a whole number of days, hours or minutes. `wrong` blocks the form. */
export function Duration({ name, label, value, set, wrong = "" }) {
  const field = useRef();
  useEffect(() => field.current.setCustomValidity(wrong), [wrong]);
  return html`<div class="duration">
    <label for=${name}>${label}</label>
    <input ref=${field} id=${name} type="number" inputmode="numeric" required min="1" max=${MOST[value.unit]}
      name=${name} value=${value.number} aria-invalid=${wrong ? "true" : null}
      aria-describedby=${wrong ? `wrong-${name}` : null}
      onInput=${(event) => set({ ...value, number: event.target.value })} />
    <select name="${name}-unit" aria-label=${`${label}: ${t("new-game.unit")}`} value=${value.unit}
      onChange=${(event) => set({ ...value, unit: event.target.value })}>
      ${Object.entries(UNITS).map(([unit, word]) => html`<option value=${unit}>${t(`unit.${word}`)}</option>`)}
    </select>
    ${wrong && html`<span class="wrong" id=${`wrong-${name}`}>${wrong}</span>`}
  </div>`;
}
