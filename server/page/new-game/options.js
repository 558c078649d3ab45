// Editions, scenarios and the other options of a game.
import { html } from "../ui/html.js";
import { length } from "../ui/times.js";
import { knows, t } from "../ui/words.js";

const BY_THE_PRESET = ["edition", "boards", "scenario", "firmament", "cards", "start_seat"];
const READY_WITHIN = ["PT12H", "P1D", "P2D", "P3D", "P7D"];
const ROUNDS = 60; // limit when the checkbox is ticked

export const presetOf = (game) => ("edition" in game.options.properties ? "edition" : "scenario");

/** Return the name of the chosen edition or scenario, and its option values. */
export function editionOf(game, options) {
  const preset = presetOf(game);
  const chosen = options[preset] ?? game.options.properties[preset].default;
  return Object.entries(game.editions).find(([name, it]) => (it[preset] ?? name) === chosen) ?? [String(chosen), {}];
}

export const usual = (game, options, field) =>
  editionOf(game, options)[1][field] ?? game.options.properties[field]?.default;

export const editionName = (name) => (knows(`edition.${name}`) ? t(`edition.${name}`) : name);

/** Choose an edition or scenario. One is recommended. The options that differ between them are listed. */
export function Presets({ it, game, preset, choose }) {
  const usual = game.options.properties[preset].default;
  const value = ([name, option]) => option[preset] ?? name;
  const presets = Object.entries(game.editions).sort((one, other) =>
    Number(value(other) === usual) - Number(value(one) === usual));
  const [name, edition] = editionOf(game, it.options);
  const differing = Object.keys(game.options.properties).filter(
    (field) => new Set(presets.map(([, one]) => one[field])).size > 1 && !BY_THE_PRESET.includes(field));
  return html`${preset === "edition" && html`<p class="faint">${t("new-game.edition.about")}</p>`}
    <div class="choices">${presets.map((one) => html`<label class="choice" key=${one[0]}><input type="radio"
      name=${preset} value=${one[0]} checked=${one[0] === name} onChange=${() => choose(preset, value(one))} />
      <span><strong>${editionName(one[0])}</strong>
        ${value(one) === usual && html` <small class="advised">${t("new-game.advised")}</small>`}
        ${knows(`edition.${one[0]}.about`) && html` ${t(`edition.${one[0]}.about`)}`}</span></label>`)}</div>
    ${differing.length > 0 && html`<p>${t("new-game.differences", { edition: editionName(name) })}</p>
      <ul class="differences">${differing.map((field) => html`<li
        key=${field}>${optionInWords(field, edition[field])}</li>`)}</ul>`}`;
}

/** List the options with explanations and choices. */
export function Options({ it, game, preset, choose }) {
  const hasChoice = (one) => one.enum?.length > 1 || one.type === "boolean";
  const fields = Object.entries(game.options.properties).filter(([field, one]) => field !== preset && hasChoice(one));
  const isLot = (it.options.start_player ?? usual(game, it.options, "start_player")) === "random";
  return html`
    ${fields.map(([field, one]) => html`<${Option} key=${field} field=${field} choices=${one.enum ?? [true, false]}
      usual=${usual(game, it.options, field)} value=${it.options[field]}
      choose=${(value) => choose(field, value)} />`)}
    <label class="option">${t("option.start_seat")}
      <select name="start_seat" value=${String(it.options.start_seat ?? "")} disabled=${isLot}
        onChange=${(event) => choose("start_seat", event.target.value === "" ? null : Number(event.target.value))}>
        <option value="">${t("option.start_seat.lot")}</option>
        ${it.seats.map((_, i) => html`<option value=${i}>${t("seat", { number: i + 1 })}</option>`)}
      </select>
      ${isLot && html`<small class="faint">${t("option.start_seat.no")}</small>`}</label>
    <fieldset class="option"><legend>${t("option.ready_check")}</legend>
      <p class="faint">${t("option.ready_check.about")}</p>
      <label>${t("option.ready_check.within")} <select name="ready_check" value=${it.options.ready_check?.within ?? ""}
        onChange=${({ target }) => choose("ready_check", target.value ? { within: target.value } : null)}>
        <option value="">${t("option.ready_check.none")}</option>
        ${READY_WITHIN.map((within) => html`<option value=${within}>${length(within)}</option>`)}
      </select></label></fieldset>
    ${"max_rounds" in game.options.properties && html`<${Rounds} value=${it.options.max_rounds}
      choose=${(value) => choose("max_rounds", value)} />`}`;
}

function Option({ field, choices, usual, value = usual, choose }) {
  return html`<fieldset class="option">
    <legend>${knows(`option.${field}`) ? t(`option.${field}`) : field}
      ${value !== usual && html` <small class="other">${t("option.otherwise")}</small>`}</legend>
    ${knows(`option.${field}.about`) && html`<p class="faint">${t(`option.${field}.about`)}</p>`}
    ${choices.map((one) => html`<label class="check"><input type="radio" name=${field} value=${String(one)}
      checked=${one === value} onChange=${() => choose(one)} /> <span>${optionInWords(field, one)}</span></label>`)}
  </fieldset>`;
}

/** Edit the round limit, a house rule. */
function Rounds({ value = ROUNDS, choose }) {
  return html`<fieldset class="option"><legend>${t("option.max_rounds")}</legend>
    <p class="faint">${t("option.max_rounds.about")}</p>
    <label class="check"><input type="checkbox" name="limited" checked=${value !== null}
      onChange=${(event) => choose(event.target.checked ? ROUNDS : null)} /> ${t("option.max_rounds.limited")}</label>
    ${value !== null && html`<label>${t("option.max_rounds.number")} <input type="number" name="max_rounds" required
      min="1" max="1000" value=${value}
      onInput=${(event) => choose(event.target.value && Number(event.target.value))} /></label>`}
  </fieldset>`;
}

/** Describe an option's value, falling back to the raw value. */
export function optionInWords(field, value) {
  const key = `option.${field}.${value}`;
  return knows(key) ? t(key) : String(value);
}
