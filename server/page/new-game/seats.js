// The seats of a new game, in playing order.
import { html } from "../ui/html.js";
import { marked, Wrong } from "../ui/field-errors.js";
import { t } from "../ui/words.js";
import { OPPONENTS, personName } from "../ui/game-words.js";
import { USUAL } from "../ui/opponents.js";
import { admitsPrograms, isHidden } from "./draft.js";

export const KINDS = ["me", "open", "invite", ...OPPONENTS];
const AGAINST = [USUAL, "invite", "open"];

export function Seats({ it, change, game, wrongs, companions }) {
  const { seats } = it;
  /** @type {Record<string, string>} */
  const wrongNumber = wrongs.seats ? { seats: wrongs.seats } : {};
  const seated = (seats) => change({ seats });
  const others = seats.filter((it) => it.kind !== "me");
  const isEach = (kind) => others.every((it) => meansSame(it.kind, kind));
  const place = (i, value) => {
    const met = companions.find(({ id }) => id === value);
    seated(placedAt(seats, i, met ? { kind: "companion", companion: met.id, name: met.name } : { kind: value }));
  };
  return html`
    <label>${t("new-game.number")}
      <select name="number" value=${seats.length} ...${marked(wrongNumber, "seats")}
        onChange=${(event) => change(withSeats(it, Number(event.target.value)))}>
        ${game.seats.map((n) => html`<option value=${n}>${n}</option>`)}
      </select>
      <${Wrong} wrongs=${wrongNumber} place="seats" />
    </label>
    <div class="row" role="radiogroup" aria-label=${t("new-game.against")}><span>${t("new-game.against")}</span>
      ${AGAINST.map((kind) => html`<label class="check"><input type="radio" name="against" value=${kind}
        checked=${isEach(kind)}
        onChange=${() => seated(seats.map((it) => (it.kind === "me" ? it : { ...it, companion: undefined, kind })))} />
        ${t(`new-game.against.${kind.split("-")[0]}`)}</label>`)}
      ${!AGAINST.some(isEach) && html`<label class="check"><input type="radio" name="against" checked /> ${t(
        "new-game.against.mixed")}</label>`}</div>
    ${seats.map((seat, i) => html`<div class="row seat" key=${i}>
      <label>${t("seat", { number: i + 1 })}
        <select name="seat-${i}" value=${seat.companion ?? seat.kind} ...${marked(wrongs, `seats.${i}.companion`)} onChange=${(event) => place(i, event.target.value)}>
          ${KINDS.map((kind) => html`<option value=${kind}>${t(`new-game.seat.${kind}`)}</option>`)}
          ${companions.length > 0 && html`<optgroup label=${t("new-game.seat.companions")}>${companions.map((one) => html`<option
            value=${one.id}>${personName(one)}</option>`)}</optgroup>`}
        </select>
        <${Wrong} wrongs=${wrongs} place=${`seats.${i}.companion`} />
      </label>
      ${seat.kind === "invite" && html`<label>${t("email")} <input type="email" required name="email-${i}"
        autocomplete="off" value=${seat.email ?? ""} ...${marked(wrongs, `seats.${i}`)}
        onInput=${(event) => seated(seats.map((one, j) => (j === i ? { ...one, email: event.target.value } : one)))} />
        <${Wrong} wrongs=${wrongs} place=${`seats.${i}`} /></label>`}
      ${i > 0 && html`<button type="button" class="plain" aria-label=${t("new-game.seat.up", { number: i + 1 })}
        onClick=${() => seated(swapped(seats, i))}>↑</button>`}
      ${seat.kind === "invite" && html`<label class="greeting">${t("new-game.greeting")} <textarea name="greeting-${i}" maxlength="200" rows="2"
          value=${seat.greeting ?? ""} ...${marked(wrongs, `seats.${i}.greeting`)}
          onInput=${(event) => seated(seats.map((one, j) => (j === i ? { ...one, greeting: event.target.value } : one)))} />
        <${Wrong} wrongs=${wrongs} place=${`seats.${i}.greeting`} /></label>
        ${it.options.nameless && html`<small class="faint">${t("nameless.invited")}</small>`}`}
    </div>`)}
    <p class="row"><button type="button" class="plain"
        onClick=${() => seated(mixed(seats))}>${t("new-game.mix")}</button>
      <small class="faint">${t("new-game.mix.about")}</small></p>
    <label class="check"><input type="checkbox" name="private" checked=${isHidden(it)}
      onChange=${(event) => change({ isPrivate: event.target.checked })} /> ${t("new-game.private")}</label>
    ${seats.some(({ kind }) => kind === "open") && html`<label class="check"><input type="checkbox" name="programs" checked=${admitsPrograms(it)}
      onChange=${(event) => change({ programs: event.target.checked })} /> ${t("new-game.programs")}</label>`}`;
}

const meansSame = (kind, other) => kind === other || (OPPONENTS.includes(kind) && OPPONENTS.includes(other));

export const resized = (seats, number) => Array.from({ length: number }, (_, i) => seats[i] ?? { kind: USUAL });

/** Change the number of seats. A removed seat can no longer be the start seat. */
function withSeats({ seats, options }, number) {
  const { start_seat: first, ...others } = options;
  return { seats: resized(seats, number), options: first >= number ? others : options };
}

/** Change who gets a seat. The host and each companion have at most one. */
const placedAt = (seats, place, seat) => seats.map((it, i) => {
  if (i === place) return { ...it, companion: undefined, ...seat };
  const isSame = it.kind === seat.kind && (seat.kind === "me" || (it.companion && it.companion === seat.companion));
  return isSame ? { kind: "open" } : it;
});

const swapped = (seats, i) => seats.toSpliced(i - 1, 2, seats[i], seats[i - 1]);

/** Shuffle the seats (Fisher-Yates). */
function mixed(seats) {
  const found = [...seats];
  for (let i = found.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [found[i], found[j]] = [found[j], found[i]];
  }
  return found;
}
