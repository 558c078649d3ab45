// A game in a list.
import { html } from "../html.js";
import { absolute, clockInWords, relative, timeoutsInWords } from "../moments.js";
import { toGame } from "../routes.js";
import { me } from "../session.js";
import { knows, listed, t } from "../words.js";

/** Where the reader sits; lists name the people, so it is the seat with his name. */
export const mySeat = (game) => game.seats.find((it) => it.kind === "human" && it.name === me.get()?.name);

export const title = (name) => name[0].toUpperCase() + name.slice(1);

export const gameName = (game) => {
  const variant = game.options.edition ?? (game.options.scenario && `scenario-${game.options.scenario}`);
  const key = `edition.${variant}`;
  return [title(game.rules), variant && knows(key) && t(key)].filter(Boolean).join(", ");
};

export const seatName = (seat) => seat.name ?? t(`seat.${seat.kind}`);

export function GameCard({ game, terms = false, children }) {
  return html`<li class="card game">
    <h3><a href=${toGame(game.id)}>${game.title}</a></h3>
    <p class="faint">${gameName(game)}${game.private ? ` · ${t("private")}` : ""}</p>
    <p>${listed(game.seats.map(seatName))}</p>
    <${Waiting} game=${game} />
    ${terms && html`<dl class="terms">
      <dt>${t("clock")}</dt><dd>${clockInWords(game.clock)}</dd>
      <dt>${t("timeout")}</dt><dd>${timeoutsInWords(game.on_timeout)}</dd>
    </dl>`}
    ${children}
  </li>`;
}

/** Whom the game waits for and until when, or what became of it. */
function Waiting({ game }) {
  if (game.status !== "running") return html`<p class="status">${t(`status.${game.status}`)}</p>`;
  const asked = game.seats.filter((it) => it.to_act);
  const own = mySeat(game);
  const due = (asked.includes(own) ? own : asked.find((it) => it.due_at))?.due_at;
  return html`<p class="status">
    ${asked.includes(own)
      ? html`<strong>${t("your-turn")}</strong>`
      : t("waits-for", { names: listed(asked.map(seatName)) })}
    ${due && html`<br /><${Due} at=${due} />`}
  </p>`;
}

const SOON = 3 * 3_600_000; // milliseconds

export function Due({ at }) {
  const isSoon = new Date(at) - Date.now() < SOON;
  const words = t("due", { absolute: absolute(at), relative: relative(at) });
  return html`<time datetime=${at} class=${isSoon ? "due soon" : "due"}>${words}</time>`;
}
