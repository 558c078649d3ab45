// The form for a new game: game, seats, options and clock.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { cached, call, callUntilAnswered, Problem, randomKey } from "../ui/api.js";
import { clockInWords, length, timeoutsInWords } from "../ui/durations.js";
import { byPlace, marked, Wrong } from "../ui/field-errors.js";
import { go, toGame, toSignIn } from "../ui/routes.js";
import { Opponents, playNow } from "../ui/opponents.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
import { editionName, title } from "../ui/game-words.js";
import { editionOf, GAMES } from "../ui/games.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { committed, Salt } from "../pregame/salt.js";
import { Clock } from "./clock.js";
import {
  carry, claimed, clockOf, discard, isBlank, isFree, keep, ladderOf, lastTime, OPEN_FOR, ownSeat, remember, wantedOf,
  withCompanion, withFriends,
} from "./draft.js";
import { Ladder } from "./ladder.js";
import { Options, Presets, whole } from "./options.js";
import { resized, Seats } from "./seats.js";
import { Summary } from "./summary.js";

const PLACES = ["title", "options", "seats", "clock", "on_timeout"]; // fields that show their own errors

/** @param {{isWithFriends: boolean, invited: string | null}} props */
export function NewGame({ isWithFriends, invited }) {
  const [rules, error] = useLoaded(() => cached("/v1/rules"), []);
  const [met] = useLoaded(() => call("GET", "/v1/me/companions").catch(() => ({ items: [] })), [me.get()?.id]);
  const [number, next] = useState(0); // resets the form after a game was created
  if (!rules || (invited && !met)) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`<h1>${t("new-game")}</h1><${Quick} games=${rules.items} /><${Form}
    key=${number} games=${rules.items} companions=${met?.items ?? []} isWithFriends=${isWithFriends}
    invited=${invited} done=${() => next(number + 1)} />`;
}

function Form({ games, companions, isWithFriends, invited, done }) {
  const [it, set] = useState(() => {
    const companion = companions.find(({ id }) => id === invited);
    if (companion) return withCompanion(claimed(), companion);
    return isWithFriends ? withFriends(claimed()) : claimed();
  });
  const isGuest = useStore(me)?.guest;
  const [last] = useState(lastTime);
  const form = useRef();
  const tried = useRef({ wanted: "", key: "" }); // keeps the idempotency key, so that a retry creates one game
  const change = (fields) => set((before) => ({ ...before, ...fields }));
  useEffect(() => keep(it), [it]);
  useEffect(() => {
    if (!isWithFriends && !invited) return;
    if (isWithFriends) form.current.querySelector("[type=email]")?.focus();
    location.replace("#/open"); // the choice is made, and may be changed
  }, []);
  const game = games.find(({ name }) => name === it.rules);
  const { preset } = GAMES[game.name];
  const choose = (field, value) => {
    const { start_seat: first, ...others } = it.options;
    const kept = field === "start_player" && value === "random" ? others : it.options; // a draw needs no seat
    change({ options: { ...(field === preset ? {} : kept), [field]: value } });
  };
  const changeGame = ({ name, seats }) => {
    const isProposed = isBlank(it.seats) && it.seats.length === game.seats[0];
    const number = isProposed ? seats[0] : Math.min(Math.max(it.seats.length, seats[0]), seats.at(-1));
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
  useEffect(() => {
    const wrong = form.current.querySelector("[aria-invalid=true]");
    if (wrong) unfold(wrong);
    wrong?.focus();
  }, [error]);
  const parts = { it, change, game, preset, choose, wrongs, companions };
  const asksToSignIn = isGuest && it.seats.some(isFree);
  return html`<form class="new-game" ref=${form} onSubmit=${open}
    onInvalidCapture=${(event) => unfold(event.target)}>
    ${it.wasKept && html`<p class="card kept" role="status">${t("new-game.kept")}</p>`}
    ${games.some(({ name }) => name === last?.rules) && html`<button type="button" class="plain"
      onClick=${() => change(last)}>${t("new-game.as-last-time")}</button>`}
    <fieldset>
      <legend>${t("new-game.game")}</legend>
      <div class="choices">${games.map((one) => html`<label class="choice"><input type="radio" name="rules"
        value=${one.name} checked=${one === game} onChange=${() => changeGame(one)} />
        <span><strong>${title(one.name)}</strong> ${t(`game.${one.name}`)}</span></label>`)}</div>
      <label>${t("new-game.title")} <input name="title" maxlength="80" value=${it.title} ...${marked(wrongs, "title")}
        onInput=${(event) => change({ title: event.target.value })} />
        <${Wrong} wrongs=${wrongs} place="title" /></label>
    </fieldset>
    <fieldset><legend>${t("new-game.seats")}</legend><${Seats} ...${parts} />
      ${asksToSignIn && html`<p role="status"><strong>${t("new-game.guest")}</strong></p>`}</fieldset>
    <${Fold} name=${t(preset ? `new-game.${preset}` : "new-game.options")}
      now=${preset && editionName(editionOf(game.name, whole(game, it.options)))}>
      ${preset && html`<${Presets} ...${parts} />`}
      <details><summary>${t("new-game.options")}</summary><${Options} ...${parts} /></details>
      <${Wrong} wrongs=${wrongs} place="options" />
    <//>
    <${Fold} name=${t("clock")} now=${clockInWords(clockOf(it))}><${Clock} ...${parts} /><//>
    <${Fold} name=${t("timeout")} now=${timeoutsInWords(ladderOf(it))}><${Ladder} ...${parts} /><//>
    <${Fold} name=${t("new-game.more")} now=${it.seats.some(isFree) ? length(it.openFor) : ""}>
      ${it.seats.some(isFree) && html`<label>${t("new-game.open-for")}
        <select name="open-for" value=${it.openFor} onChange=${(event) => change({ openFor: event.target.value })}>
          ${OPEN_FOR.map((open) => html`<option value=${open}>${length(open)}</option>`)}
        </select></label>`}
      ${it.seats.some(({ kind }) => kind === "me") && html`<${Salt} value=${it.salt}
        set=${(salt) => change({ salt })} />`}
    <//>
    <div class="end"><${Summary} ...${parts} />
    ${error && (isBeside ? html`<p class="wrong" role="alert">${t("new-game.wrong")}</p>`
      : html`<${Sorry} error=${error} />`)}
    ${asksToSignIn ? html`<a class="button" href=${toSignIn("#/open")}
      onClick=${() => carry(it)}>${t("new-game.sign-in")}</a>`
      : html`<button disabled=${busy}>${t("new-game.open")}</button>`}</div>
  </form>`;
}

/** A collapsed group of fields that most players keep, with its current value as a summary. */
const Fold = ({ name, now, children }) => html`<details class="fold"><summary><span class="what">${name}</span> <span
  class="faint">${now}</span></summary><div>${children}</div></details>`;

function unfold(place) {
  for (let it = place.closest("details"); it; it = it.parentElement.closest("details")) it.open = true;
}

/** Start a game against bots in one tap. */
function Quick({ games }) {
  return html`<section class="card quick"><h2>${t("new-game.quick")}</h2>
    <p class="row">${games.map(({ name }) => html`<${Start} key=${name} name=${name} />`)}</p><${Opponents} /></section>`;
}

function Start({ name }) {
  const [busy, error, play] = useSubmit(async () => go(await playNow(name)));
  return html`<button disabled=${busy} onClick=${play}>${title(name)}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/** Take the host's own seat with their salt. If another player took it first, the table shows that. */
async function sitDown(id, it) {
  const seat = ownSeat(it);
  if (seat < 0) return;
  await callUntilAnswered("POST", `/v1/games/${id}/seats`, { seat, ...(await committed(id, it, it.salt)) }).catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
}
