// A short summary of the game that is about to be created.
import { html } from "../ui/html.js";
import { clockInWords, length, timeoutSteps } from "../ui/durations.js";
import { listed, t } from "../ui/words.js";
import { gameName } from "../ui/game-words.js";
import { clockOf, isFree, isHidden, ladderOf } from "./draft.js";
import { optionInWords, usual, whole } from "./options.js";

export function Summary({ it, game, preset }) {
  const isOther = ([field, value]) => field !== preset && value !== usual(game, it.options, field);
  const others = Object.entries(it.options).filter(isOther);
  const missing = it.seats.filter(isFree).length;
  return html`<section class="card summary" aria-label=${t("new-game.summary")}>
    <h2>${t("new-game.summary")}</h2>
    <dl class="terms">
      <dt>${t("new-game.game")}</dt><dd>${gameName({ rules: it.rules, options: whole(game, it.options) })}</dd>
      ${others.length > 0 && html`<dt>${t("option.otherwise")}</dt><dd>${others.map(([field, value]) => html`<div
        key=${field}>${changeInWords(field, value)}</div>`)}</dd>`}
      <dt>${t("new-game.seats")}</dt><dd>${listed(counted(it.seats))}</dd>
      <dt>${t("clock")}</dt><dd>${clockInWords(clockOf(it))}</dd>
      <dt>${t("timeout")}</dt><dd>${timeoutSteps(ladderOf(it)).map((step) => html`<div>${step}</div>`)}</dd>
    </dl>
    <p>${missing ? t("new-game.starts-later", { count: missing }) : t("new-game.starts")}
      ${isHidden(it) && ` ${t("new-game.private.about")}`}
      ${!it.seats.some(({ kind }) => kind === "me") && ` ${t("new-game.without-me")}`}</p>
  </section>`;
}

function changeInWords(field, value) {
  if (field === "start_seat") return said("start_seat", t("seat", { number: value + 1 }));
  if (field === "max_rounds") {
    return value === null ? t("option.max_rounds.none") : said("max_rounds.number", value);
  }
  if (field === "ready_check") return said("ready_check", length(value.within));
  return said(field, optionInWords(field, value));
}

const said = (option, value) => `${t("colon", { what: t(`option.${option}`) })} ${value}`;
/** Name equal seats once, with their number. */
const counted = (seats) => [...new Map(seats.map((it) => [seatInWords(it), it]))].map(([words, seat]) =>
  seatInWords(seat, seats.filter((one) => seatInWords(one) === words).length));

const seatInWords = ({ kind, email, name }, count = 1) =>
  (kind === "companion" ? name : kind === "invite" && email ? email : t(`new-game.seat.${kind}.short`, { count }));
