// Actions at a table besides moving: come back, vote, leave.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { clockInWords, timeoutsInWords } from "../ui/times.js";
import { mySeat } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
/** @import { GameSummary, SeatedTable, SeenTable, Votes } from "../ui/types" */

/** @param {{game: GameSummary}} props */
export function Terms({ game }) {
  return html`<dl class="terms">
    <dt>${t("clock")}</dt><dd>${clockInWords(game.clock)}</dd>
    <dt>${t("timeout")}</dt><dd>${timeoutsInWords(game.on_timeout)}</dd>
  </dl>`;
}

/**
 * The way back to a seat that a bot keeps.
 * @param {{game: GameSummary, again: () => unknown}} props
 */
export function Back({ game, again }) {
  const [busy, error, back] = useSubmit(async () => {
    await call("POST", `/v1/games/${game.id}/seats`, {});
    await again();
  });
  return html`<p>${t("back.why", { bot: mySeat(game)?.stand_in })}</p>
    <button disabled=${busy} onClick=${back} aria-label=${`${t("back")}: ${game.title}`}>${t("back")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/**
 * While the game goes on: consent to a pause or an end, or give up.
 * @param {{table: SeenTable}} props
 */
export function Actions({ table }) {
  const { game } = table;
  /** @returns {Promise<Votes>} */
  const count = () => call("GET", `${table.base}/votes?${table.word}`);
  const [votes, , again] = useFresh(count, [game.version, game.status]); // a wish is no move
  /** @type {(keyof Votes)[]} */
  const wishes = game.status === "paused" ? ["resume", "abandon"] : ["pause", "abandon"];
  const isOpen = useRef(false); // whoever withdraws his wish goes on reading
  isOpen.current ||= !!votes && wishes.some((wish) => votes[wish].length);
  return html`<details class="card" open=${isOpen.current}><summary>${t("actions")}</summary>
    <${Terms} game=${game} />
    ${votes && wishes.map((wish) => html`<${Vote} key=${wish} table=${table} wish=${wish} seats=${votes[wish]}
      again=${again} />`)}
    <${Mails} game=${game} />
    <${Leave} table=${table} />
  </details>`;
}

/** @param {{table: SeatedTable, wish: keyof Votes, seats: number[], again: () => void}} props */
function Vote({ table, wish, seats, again }) {
  const mine = seats.includes(table.game.you.seat);
  const [busy, error, vote] = useSubmit(async () => {
    await call("POST", `${table.base}/votes`, { on: wish, vote: !mine });
    again();
    await table.look();
  });
  const names = seats.map((seat) => table.game.seats[seat].name).join(", ");
  return html`<p class="row"><button class="plain" disabled=${busy} aria-pressed=${mine}
    onClick=${vote}>${t(`vote.${wish}`)}</button>
    ${names && html`<span>${t("vote.for", { names })}</span>`}${error && html`<${Sorry} error=${error} />`}</p>`;
}

/** @param {{game: GameSummary}} props */
export const Mails = ({ game }) => html`<p><a href="#/settings/game/${game.id}">${t("actions.mails")}</a></p>`;

/** @param {{table: SeenTable}} props */
export function Leave({ table }) {
  const [sure, setSure] = useState(false);
  const begun = table.game.status !== "open";
  const stay = useRef();
  useEffect(() => void (sure && stay.current.focus()), [sure]); // not the button that would do it
  const [busy, error, leave] = useSubmit(async () => {
    await call("DELETE", `${table.base}/seats/me`);
    setSure(false);
    await table.look();
  });
  if (!sure) return html`<p><button class="plain"
    onClick=${() => setSure(true)}>${t(begun ? "resign" : "leave")}</button></p>`;
  return html`<p class="row"><span>${t(begun ? "resign.sure" : "leave.sure")}</span>
    <button key="leave" disabled=${busy} onClick=${leave}>${t(begun ? "resign" : "leave")}</button>
    <button key="stay" ref=${stay} class="plain" onClick=${() => setSure(false)}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}</p>`;
}
