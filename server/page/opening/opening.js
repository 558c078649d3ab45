// Opening a game: what is played, at which pace, and who sits where.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { cached, call, callUntilAnswered, Problem, randomKey } from "../ui/api.js";
import { length } from "../ui/times.js";
import { byPlace, marked, Wrong } from "../ui/field-errors.js";
import { go, toGame } from "../ui/routes.js";
import { t } from "../ui/words.js";
import { title } from "../ui/game-card.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { Salt } from "../waiting/salt.js";
import { Clock } from "./clock.js";
import { discard, draft, isFree, keep, lastTime, OPEN_FOR, ownSeat, remember, wantedOf } from "./draft.js";
import { Ladder } from "./ladder.js";
import { Options, presetOf, Presets } from "./options.js";
import { resized, Seats } from "./seats.js";
import { Summary } from "./summary.js";

const PLACES = ["title", "options", "seats", "clock", "on_timeout"]; // where a refusal can be told beside its field

export function Opening() {
  const [rules, error] = useLoaded(() => cached("/v1/rules"), []);
  const [number, next] = useState(0); // who comes back before the table is shown finds a new form, too
  if (!rules) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`<h1>${t("opening")}</h1><${Form} key=${number} games=${rules.items} done=${() => next(number + 1)} />`;
}

function Form({ games, done }) {
  const [it, set] = useState(draft);
  const [last] = useState(lastTime);
  const form = useRef();
  const tried = useRef({ wanted: "", key: "" }); // the very same again, after a lost answer, opens no second game
  const change = (fields) => set((before) => ({ ...before, ...fields }));
  useEffect(() => keep(it), [it]);
  const game = games.find(({ name }) => name === it.rules);
  const preset = presetOf(game);
  const choose = (field, value) => {
    const { start_seat: first, ...others } = it.options;
    const kept = field === "start_player" && value === "random" ? others : it.options; // a lot names no seat
    change({ options: { ...(field === preset ? {} : kept), [field]: value } });
  };
  const changeGame = ({ name, seats }) => {
    const number = Math.min(Math.max(it.seats.length, seats[0]), seats.at(-1));
    change({ rules: name, options: {}, seats: resized(it.seats, number) });
  };
  const [busy, error, open] = useSubmit(async () => {
    const wanted = JSON.stringify(wantedOf(it));
    if (wanted !== tried.current.wanted) tried.current = { wanted, key: randomKey() };
    const opened = await call("POST", "/v1/games", wantedOf(it), tried.current.key);
    remember(it);
    discard();
    await sitDown(opened.id, it);
    go(toGame(opened.id));
    done();
  });
  const wrongs = byPlace(error);
  const isBeside = Object.keys(wrongs).some((place) => PLACES.includes(place.split(".")[0]));
  useEffect(() => form.current.querySelector("[aria-invalid=true]")?.focus(), [error]);
  const parts = { it, change, game, preset, choose, wrongs };
  return html`<form class="opening" ref=${form} onSubmit=${open}
    onInvalidCapture=${(event) => event.target.closest("details")?.setAttribute("open", "")}>
    ${games.some(({ name }) => name === last?.rules) && html`<button type="button" class="plain"
      onClick=${() => change(last)}>${t("opening.as-last-time")}</button>`}
    <fieldset>
      <legend>${t("opening.game")}</legend>
      <div class="choices">${games.map((one) => html`<label class="choice"><input type="radio" name="rules"
        value=${one.name} checked=${one === game} onChange=${() => changeGame(one)} />
        <span><strong>${title(one.name)}</strong> ${t(`game.${one.name}`)}</span></label>`)}</div>
    </fieldset>
    <fieldset>
      <legend>${t(`opening.${preset}`)}</legend>
      <${Presets} ...${parts} />
      <details><summary>${t("opening.options")}</summary><${Options} ...${parts} /></details>
      <${Wrong} wrongs=${wrongs} place="options" />
    </fieldset>
    <fieldset><legend>${t("opening.seats")}</legend><${Seats} ...${parts} /></fieldset>
    <fieldset><legend>${t("clock")}</legend><${Clock} ...${parts} /></fieldset>
    <fieldset><legend>${t("timeout")}</legend><${Ladder} ...${parts} /></fieldset>
    <fieldset>
      <legend>${t("opening.more")}</legend>
      <label>${t("opening.title")} <input name="title" maxlength="80" value=${it.title} ...${marked(wrongs, "title")}
        onInput=${(event) => change({ title: event.target.value })} />
        <${Wrong} wrongs=${wrongs} place="title" /></label>
      ${it.seats.some(isFree) && html`<label>${t("opening.open-for")}
        <select name="open-for" value=${it.openFor} onChange=${(event) => change({ openFor: event.target.value })}>
          ${OPEN_FOR.map((open) => html`<option value=${open}>${length(open)}</option>`)}
        </select></label>`}
      ${it.seats.some(({ kind }) => kind === "me") && html`<${Salt} value=${it.salt}
        set=${(salt) => change({ salt })} />`}
    </fieldset>
    <${Summary} ...${parts} />
    ${error && (isBeside ? html`<p class="wrong" role="alert">${t("opening.wrong")}</p>`
      : html`<${Sorry} error=${error} />`)}
    <button disabled=${busy}>${t("opening.open")}</button>
  </form>`;
}

/** If somebody was faster than a salt, the table itself says so. */
async function sitDown(id, it) {
  const seat = ownSeat(it);
  if (seat < 0) return;
  await callUntilAnswered("POST", `/v1/games/${id}/seats`, { seat, salt: it.salt }).catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
}
