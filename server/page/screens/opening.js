// Opening a game: what is played, at which pace, and who sits where.
import { html, useState } from "../html.js";
import { call, once } from "../api.js";
import { clockInWords, timeoutsInWords } from "../moments.js";
import { go, toGame } from "../routes.js";
import { knows, t } from "../words.js";
import { title } from "./game-card.js";
import { Sorry, useLoaded, useSubmit } from "./parts.js";

const CLOCKS = {
  slow: { per_move: "P7D" },
  usual: { per_move: "P2D" },
  daily: { per_move: "P1D" },
  quick: { per_move: "PT1H" },
  bank: { bank: "P3D", increment: "PT12H", cap: "P5D" },
};
const OVER = {
  kind: [
    { do: "extend", by: "P1D", times: 1 },
    { do: "bot-move", bot: "greedy", times: 2 },
    { do: "bot-takes-over", bot: "greedy" },
  ],
  strict: [{ do: "bot-takes-over", bot: "greedy" }],
  abandon: [{ do: "extend", by: "P1D", times: 1 }, { do: "abandon" }],
};
const BY_THE_PRESET = ["edition", "boards", "scenario", "firmament", "cards", "start_seat"];

export function Opening() {
  const [rules, error] = useLoaded(() => once("/v1/rules"), []);
  if (!rules) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`<h1>${t("opening")}</h1><${Form} games=${rules.items} />`;
}

function Form({ games }) {
  const [name, setName] = useState("sternenhimmel");
  const game = games.find((it) => it.name === name);
  const preset = "edition" in game.options.properties ? "edition" : "scenario";
  const [values, setValues] = useState({});
  const [seats, setSeats] = useState(["me", "greedy", "greedy"]);
  const [emails, setEmails] = useState({});
  const [terms, setTerms] = useState({ title: "", clock: "usual", timeouts: "kind", isPrivate: false });
  const chosen = values[preset] ?? game.options.properties[preset].default;
  const choose = (field, value) => setValues(field === preset ? { [preset]: value } : { ...values, [field]: value });
  const term = (field, value) => setTerms({ ...terms, [field]: value });
  const changeGame = (wanted) => {
    const most = games.find((it) => it.name === wanted).seats;
    setName(wanted);
    setValues({});
    setSeats(resized(seats, Math.min(Math.max(seats.length, most[0]), most.at(-1))));
  };
  const [busy, wrong, open] = useSubmit(async () => {
    const opened = await call("POST", "/v1/games", {
      rules: name,
      options: values,
      ...(terms.title.trim() ? { title: terms.title.trim() } : {}),
      private: terms.isPrivate,
      clock: CLOCKS[terms.clock],
      on_timeout: OVER[terms.timeouts],
      seats: seats.map((kind, i) => seatWanted(kind, emails[i])),
    });
    go(toGame(opened.id));
  });
  return html`<form class="opening" onSubmit=${open}>
    <fieldset>
      <legend>${t("opening.game")}</legend>
      <div class="choices">${games.map((it) => html`<label class="choice"><input type="radio" name="rules"
        value=${it.name}
        checked=${it.name === name} onChange=${() => changeGame(it.name)} />
        <span><strong>${title(it.name)}</strong> ${t(`game.${it.name}`)}</span></label>`)}</div>
    </fieldset>
    <fieldset>
      <legend>${t(`opening.${preset}`)}</legend>
      <${Presets} game=${game} preset=${preset} chosen=${chosen} choose=${(value) => choose(preset, value)} />
      <details><summary>${t("opening.options")}</summary><${Options} game=${game} preset=${preset} chosen=${chosen}
        values=${values} choose=${choose} /></details>
    </fieldset>
    <fieldset>
      <legend>${t("opening.seats")}</legend>
      <label>${t("opening.number")}
        <select name="number" value=${seats.length}
          onChange=${(event) => setSeats(resized(seats, Number(event.target.value)))}>
          ${game.seats.map((n) => html`<option value=${n}>${n}</option>`)}
        </select>
      </label>
      ${seats.map((kind, i) => html`<div class="row" key=${i}>
        <label>${t("seat", { number: i + 1 })}
          <select name="seat-${i}" value=${kind}
            onChange=${(event) => setSeats(placedAt(seats, i, event.target.value))}>
            ${["me", "open", "invite", "greedy", "random"].map((it) => html`<option
              value=${it}>${t(`opening.seat.${it}`)}</option>`)}
          </select>
        </label>
        ${kind === "invite" && html`<label>${t("email")} <input type="email" required name="email-${i}"
          value=${emails[i] ?? ""}
          onInput=${(event) => setEmails({ ...emails, [i]: event.target.value })} /></label>`}
      </div>`)}
      <label class="check"><input type="checkbox" name="private" checked=${terms.isPrivate}
        onChange=${(event) => term("isPrivate", event.target.checked)} /> ${t("opening.private")}</label>
    </fieldset>
    <fieldset>
      <legend>${t("opening.terms")}</legend>
      <label>${t("clock")}
        <select name="clock" value=${terms.clock} onChange=${(event) => term("clock", event.target.value)}>
          ${Object.entries(CLOCKS).map(([key, clock]) => html`<option value=${key}>${clockInWords(clock)}</option>`)}
        </select>
      </label>
      <label>${t("timeout")}
        <select name="timeouts" value=${terms.timeouts} onChange=${(event) => term("timeouts", event.target.value)}>
          ${Object.keys(OVER).map((key) => html`<option value=${key}>${t(`opening.timeout.${key}`)}</option>`)}
        </select>
        <small class="faint">${timeoutsInWords(OVER[terms.timeouts])}</small>
      </label>
      <label>${t("opening.title")} <input name="title" maxlength="80" value=${terms.title}
        onInput=${(event) => term("title", event.target.value)} /></label>
    </fieldset>
    ${wrong && html`<${Sorry} error=${wrong} />`}
    <button disabled=${busy}>${t("opening.open")}</button>
  </form>`;
}

/** The editions or scenarios, each with where it differs from the others, in plain words. */
function Presets({ game, preset, chosen, choose }) {
  const presets = Object.entries(game.editions);
  const differing = Object.keys(game.options.properties).filter(
    (field) => new Set(presets.map(([, it]) => it[field])).size > 1 && !BY_THE_PRESET.includes(field));
  return html`<div class="choices">${presets.map(([name, option]) => {
    const value = option[preset] ?? name;
    return html`<label class="choice"><input type="radio" name=${preset} value=${name} checked=${value === chosen}
      onChange=${() => choose(value)} />
      <span><strong>${t(`edition.${name}`)}</strong>
        ${knows(`edition.${name}.about`) && html` ${t(`edition.${name}.about`)}`}
        ${value === chosen && differing.length > 0 && html`<ul>${differing.map((field) => html`<li
          key=${field}>${optionInWords(game, field, option[field])}</li>`)}</ul>`}
      </span></label>`;
  })}</div>`;
}

function Options({ game, preset, chosen, values, choose }) {
  const edition = game.editions[chosen] ?? {};
  const hasChoice = (it) => it.enum?.length > 1 || it.type === "boolean";
  const fields = Object.entries(game.options.properties).filter(([field, it]) => field !== preset && hasChoice(it));
  return html`${fields.map(([field, it]) => {
    const choices = it.enum ?? [true, false];
    const value = values[field] ?? edition[field] ?? it.default;
    return html`<label key=${field}>${t(`option.${field}`)}
      <select name=${field} value=${String(value)}
        onChange=${(event) => choose(field, choices.find((one) => String(one) === event.target.value))}>
        ${choices.map((one) => html`<option value=${String(one)}>${optionInWords(game, field, one)}</option>`)}
      </select>
    </label>`;
  })}`;
}

/** A value of an option in a sentence of ours, else by its bare name. */
function optionInWords(game, field, value) {
  const key = `option.${field}.${value}`;
  return knows(key) ? t(key) : String(value);
}

const resized = (seats, number) => Array.from({ length: number }, (_, i) => seats[i] ?? "greedy");

/** At most one seat is the reader's own. */
const placedAt = (seats, place, kind) =>
  seats.map((it, i) => (i === place ? kind : kind === "me" && it === "me" ? "open" : it));

function seatWanted(kind, email) {
  if (kind === "me") return { player: "me" };
  if (kind === "open") return { open: true };
  if (kind === "invite") return { email };
  return { bot: kind };
}
