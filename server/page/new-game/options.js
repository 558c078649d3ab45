// Editions, scenarios and the other options of a game.
import { editionName } from "../ui/game-words.js";
import { editionOf, GAMES } from "../ui/games.js";
import { html } from "../ui/html.js";
import { length } from "../ui/durations.js";
import { knows, t } from "../ui/words.js";

const READY_WITHIN = ["PT12H", "P1D", "P2D", "P3D", "P7D"];
const ROUNDS = 60; // limit when the checkbox is ticked

/** Return the chosen options with the usual edition, if none is chosen. */
export const whole = (game, options) => {
  const { preset } = GAMES[game.name];
  return preset ? { [preset]: game.options.properties[preset].default, ...options } : options;
};

const chosenEdition = (game, options) => editionOf(game.name, whole(game, options));

export const usual = (game, options, field) =>
  game.editions[chosenEdition(game, options)]?.[field] ?? game.options.properties[field]?.default;

/** Choose an edition or scenario. One is recommended. The options that differ between them are listed. */
export function Presets({ it, game, preset, choose }) {
  const { editions } = GAMES[game.name];
  const usual = game.options.properties[preset].default;
  const ids = Object.keys(editions).sort((one, other) =>
    Number(editions[other] === usual) - Number(editions[one] === usual));
  const chosen = chosenEdition(game, it.options);
  const differing = Object.keys(game.options.properties).filter(
    (field) => new Set(ids.map((id) => game.editions[id][field])).size > 1 && field !== preset);
  return html`${knows(`new-game.${preset}.about`) && html`<p class="faint">${t(`new-game.${preset}.about`)}</p>`}
    <div class="choices">${ids.map((id) => html`<label class="choice" key=${id}><input type="radio"
      name=${preset} value=${id} checked=${id === chosen} onChange=${() => choose(preset, editions[id])} />
      <span><strong>${editionName(id)}</strong>
        ${editions[id] === usual && html` <small class="advised">${t("new-game.advised")}</small>`}
        ${knows(`edition.${id}.about`) && html` ${t(`edition.${id}.about`)}`}</span></label>`)}</div>
    ${differing.length > 0 && html`<p>${t("new-game.differences", { edition: editionName(chosen) })}</p>
      <ul class="differences">${differing.map((field) => html`<li
        key=${field}>${optionInWords(field, game.editions[chosen][field])}</li>`)}</ul>`}`;
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
