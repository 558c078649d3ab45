// Actions at a table besides moving: come back, take a move back, vote, leave.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { takeBackInWords } from "../ui/game-card.js";
import { absolute, clockInWords, left, length, timeoutsInWords } from "../ui/times.js";
import { mySeat } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
/** @import { GameSummary, SeatedTable, SeenTable, Votes, WayBack } from "../ui/types" */
/** @typedef {Exclude<keyof Votes, "take-back">} Wish */

/** @param {{game: GameSummary}} props */
export function Terms({ game }) {
  return html`<dl class="terms">
    <dt>${t("clock")}</dt><dd>${clockInWords(game.clock)}</dd>
    <dt>${t("timeout")}</dt><dd>${timeoutsInWords(game.on_timeout)}</dd>
    <dt>${t("take-back")}</dt><dd>${takeBackInWords(game)}</dd>
    ${game.options.nameless && html`<dt>${t("nameless")}</dt><dd>${t("nameless.about")}</dd>`}
    ${game.status === "open" && game.min_reliability !== null && html`<dt>${t("reliable")}</dt><dd>${
      t("reliable.about", { share: game.min_reliability })}</dd>`}
    ${game.options.ready_check && html`<dt>${t("ready-check")}</dt><dd>${length(game.options.ready_check.within)}</dd>`}
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
  const [found] = useFresh(count, [game.version, game.status]); // a wish is no move
  const [told, tell] = useState(/** @type {{votes: Votes, after: Votes | null} | null} */ (null)); // by an answer to a wish
  const votes = told?.after === found ? told.votes : found;
  /** @type {Wish[]} */
  const wishes = game.status === "paused" ? ["resume", "abandon"] : ["pause", "abandon"];
  if (game.seats.some((it) => it.stand_in)) wishes.push("offer");
  const isOpen = useRef(false); // whoever withdraws his wish goes on reading
  isOpen.current ||= !!votes && wishes.some((wish) => votes[wish].length);
  const learn = (/** @type {Votes} */ votes) => tell({ votes, after: found });
  return html`${votes && game.status === "running" && html`<${TakingBack} table=${table} votes=${votes} tell=${learn} />`}
  <details class="card" open=${isOpen.current}><summary>${t("actions")}</summary>
    <${Terms} game=${game} />
    ${votes && wishes.map((wish) => html`<${Vote} key=${wish} table=${table} wish=${wish} seats=${votes[wish]}
      tell=${learn} />`)}
    <${Mails} game=${game} />
    <${Leave} table=${table} />
  </details>`;
}

/**
 * What was asked of all who play, to agree or not; else one's own last move, if it can be taken back.
 * @param {{table: SeenTable, votes: Votes, tell: (votes: Votes) => void}} props
 */
function TakingBack({ table, votes, tell }) {
  const asked = votes["take-back"];
  if (asked) return html`<${TakeBackAsked} table=${table} asked=${asked} tell=${tell} />`;
  return table.game.options.take_back === "never" ? null : html`<${TakeBack} table=${table} votes=${votes} tell=${tell} />`;
}

/** @param {{table: SeenTable, asked: NonNullable<Votes["take-back"]>, tell: (votes: Votes) => void}} props */
function TakeBackAsked({ table, asked, tell }) {
  const { game } = table;
  const seat = game.you?.seat ?? -1;
  const isMine = asked.seat === seat;
  const agrees = asked.consents.includes(seat);
  const [busy, error, answer] = useSubmit(async () => {
    tell(await call("POST", `${table.base}/votes`, { on: "take-back", vote: !isMine && !agrees }));
    table.look();
  });
  const name = game.seats[asked.seat].name ?? "";
  const names = asked.consents.filter((it) => it !== asked.seat).map((it) => game.seats[it].name).join(", ");
  const count = game.version - asked.to;
  const due = t("due", { absolute: absolute(asked.ends_at), left: left(asked.ends_at) });
  return html`<section class="card" aria-labelledby="take-back">
    <h2 id="take-back">${isMine ? t("take-back.mine") : t("take-back.asked", { name })}</h2>
    <p>${t("take-back.what", { count })} ${t("take-back.ends")} <time datetime=${asked.ends_at}>${due}</time></p>
    ${names && html`<p>${t("take-back.agree-so-far", { names })}</p>`}
    <p class="row">
      ${isMine || agrees
        ? html`<button key="no" class="plain" disabled=${busy} onClick=${answer}>${
          t(isMine ? "take-back.withdraw" : "take-back.no-more")}</button>`
        : html`<button key="yes" disabled=${busy} onClick=${answer}>${t("take-back.yes")}</button>
          <span>${t("take-back.silence")}</span>`}
    </p>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** @param {{table: SeenTable, votes: Votes, tell: (votes: Votes) => void}} props */
function TakeBack({ table, votes, tell }) {
  const { game } = table;
  /** @returns {Promise<WayBack>} */
  const find = () => call("GET", `${table.base}/take-backs`);
  const [way] = useFresh(find, [game.version, game.status]);
  const [sure, setSure] = useState(/** @type {number | null} */ (null)); // of which version
  const stay = useRef();
  const isSure = sure !== null && sure === way?.to;
  useEffect(() => void (isSure && stay.current.focus()), [isSure]);
  const [busy, error, take] = useSubmit(async () => {
    const { vote } = await call("POST", `${table.base}/take-backs`, { to: sure });
    setSure(null);
    if (vote) tell({ ...votes, "take-back": vote });
    await table.look();
  });
  if (!way || way.to === null) return error ? html`<${Sorry} error=${error} />` : null;
  return html`<p class="row">${isSure
    ? html`<span>${t(way.free ? "take-back.sure-free" : "take-back.sure-ask")}</span>
      <button key="take" disabled=${busy} onClick=${take}>${t(way.free ? "take-back.do" : "take-back.ask")}</button>
      <button key="stay" ref=${stay} class="plain" onClick=${() => setSure(null)}>${t("cancel")}</button>`
    : html`<button class="plain" onClick=${() => setSure(way.to)}>${t("take-back.mine-back")}</button>`}
    ${error && html`<${Sorry} error=${error} />`}</p>`;
}

/** @param {{table: SeatedTable, wish: Wish, seats: number[], tell: (votes: Votes) => void}} props */
function Vote({ table, wish, seats, tell }) {
  const mine = seats.includes(table.game.you.seat);
  const [busy, error, vote] = useSubmit(async () => {
    tell(await call("POST", `${table.base}/votes`, { on: wish, vote: !mine }));
    table.look(); // not awaited: whoever sees that he was heard may press again
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
