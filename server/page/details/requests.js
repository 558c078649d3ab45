// Requests above the table: other players' votes that need an answer, and the button that takes back a move.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { forNow } from "../ui/local-storage.js";
import { store, useStore } from "../ui/store.js";
import { absolute, left } from "../ui/times.js";
import { listed, t } from "../ui/words.js";
import { seatName } from "../ui/game-card.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
/** @import { Game, SeenTable, Votes, WayBack } from "../ui/types" */
/** @typedef {keyof Votes} Wish */

const EVERY = 30_000; // milliseconds between polls, in case the stream is away
/** @type {Wish[]} */
const WISHES = ["take-back", "pause", "resume", "abandon", "offer"];

/** The votes at the open table, shared by all components that show them. */
export const votes = store(/** @type {{base: string, votes: Votes} | null} */ (null));

/** @type {(base: string, it: Votes) => void} */
export const tell = (base, it) => votes.set({ base, votes: it });

/**
 * Return the seats in favour so far.
 * @param {Votes} votes
 * @param {Wish} wish
 */
const inFavour = (votes, wish) => (wish === "take-back" ? (votes[wish]?.consents ?? []) : votes[wish]);

/**
 * Return the storage key of a dismissed request. It returns when more seats are in favour.
 * @param {Game} game
 * @param {Wish} wish
 */
const refusal = (game, wish) => `sternenpost.not-now.${game.id}.${wish}`;

/**
 * Show other players' open requests, one per line, to be answered or dismissed for now.
 * @param {{table: SeenTable}} props
 */
export function Requests({ table }) {
  const { game, base, word } = table;
  /** @returns {Promise<Votes>} */
  const count = () => call("GET", `${base}/votes?${word}`);
  const [found, , again] = useFresh(count, [base, game.version, game.status, useStore(table.changes)]);
  const [, refused] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || again(), EVERY);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => void (found && tell(base, found)), [found]);
  const known = useStore(votes);
  const seat = game.you?.seat ?? -1;
  if (known?.base !== base) return null;
  const asked = WISHES.filter((wish) => {
    const seats = inFavour(known.votes, wish);
    if (!seats.length) forNow.removeItem(refusal(game, wish));
    return seats.length > 0 && !seats.includes(seat) && forNow.getItem(refusal(game, wish)) !== seats.join();
  });
  const refuse = (/** @type {Wish} */ wish) => {
    forNow.setItem(refusal(game, wish), inFavour(known.votes, wish).join());
    refused((n) => n + 1);
  };
  return asked.length > 0 && html`<div class="asks">${asked.map((wish) => html`<${Request} key=${wish} table=${table}
    wish=${wish} votes=${known.votes} refuse=${() => refuse(wish)} />`)}</div>`;
}

/** @param {{table: SeenTable, wish: Wish, votes: Votes, refuse: () => void}} props */
function Request({ table, wish, votes: { "take-back": back, ...others }, refuse }) {
  const { game, base } = table;
  const [busy, error, agree] = useSubmit(async () => {
    tell(base, await call("POST", `${base}/votes`, { on: wish, vote: true }));
    await table.look();
  });
  const seats = inFavour({ "take-back": back, ...others }, wish);
  const names = listed((wish === "take-back" && back ? [back.seat] : seats).map((it) => seatName(game.seats[it])));
  const until = wish === "take-back" && back ? { moves: back.undoes.join(" "), due: t("due",
    { absolute: absolute(back.ends_at), left: left(back.ends_at) }) } : null;
  const told = t(`asks.${wish}`, { names, count: seats.length });
  return html`<section class="strip request" aria-label=${told}>
    <p><strong>${told}</strong>${until && ` ${t("take-back.what", until)} ${t("take-back.ends")} ${until.due}`}</p>
    <button disabled=${busy} onClick=${agree} aria-label=${`${t("asks.agree")}: ${told}`}>${t("asks.agree")}</button>
    <button class="plain" disabled=${busy} onClick=${refuse} aria-label=${`${t("asks.later")}: ${told}`}>${
      t("asks.later")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/**
 * Show the player's own request to take back a move where they made it.
 * @param {{table: SeenTable}} props
 */
function Requested({ table }) {
  const [busy, error, cancel] = useSubmit(async () => {
    tell(table.base, await call("POST", `${table.base}/votes`, { on: "take-back", vote: false }));
    await table.look();
  });
  return html`<span class="undo asked" role="group" aria-label=${t("take-back.mine")}><span class="dot"> · </span>${
    t("take-back.requested")} · <button class="plain" disabled=${busy} onClick=${cancel}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}</span>`;
}

/**
 * Let the player take back their last move, if possible: in the status line (`isShort`) or in the details.
 * @param {{table: SeenTable, isShort?: boolean}} props
 */
export function TakeBack({ table, isShort = false }) {
  const { game, base } = table;
  /** @returns {Promise<WayBack>} */
  const find = () => call("GET", `${base}/take-backs`);
  const [way] = useFresh(find, [game.version, game.status]);
  const known = useStore(votes);
  const [sure, setSure] = useState(/** @type {number | null} */ (null)); // the version to return to
  const stay = useRef();
  const isSure = sure !== null && sure === way?.to;
  useEffect(() => void (isSure && stay.current.focus()), [isSure]);
  const [busy, error, take] = useSubmit(async () => {
    const { vote } = await call("POST", `${base}/take-backs`, { to: sure });
    setSure(null);
    if (vote && known) tell(base, { ...known.votes, "take-back": vote });
    await table.look();
  });
  const cancel = () => setSure(null);
  const isAsked = known?.base === base && known.votes["take-back"];
  if (isShort && isAsked && isAsked.seat === game.you?.seat) return html`<${Requested} table=${table} />`;
  if (!way || way.to === null || isAsked) return error ? html`<${Sorry} error=${error} />` : null;
  const undo = t("take-back.mine-back");
  const isAlone = game.seats.every((it) => it.seat === game.you?.seat || it.kind === "bot");
  const how = way.free ? "free" : isAlone ? "alone" : "ask";
  const question = isSure && html`<span><strong>${way.undoes.join(" ")}</strong> ${t(`take-back.sure-${how}`)}</span>
    <button key="take" disabled=${busy} onClick=${take}>${t(how === "ask" ? "take-back.ask" : "take-back.do")}</button>
    <button key="stay" ref=${stay} class="plain" onClick=${cancel}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && cancel();
  return isShort ? html`<span class="undo" onKeyDown=${escape}><span class="dot"> · </span><button class="plain" aria-label=${undo}
      aria-expanded=${isSure} onClick=${() => setSure(isSure ? null : way.to)}>${t("take-back.short")}</button>
      ${isSure && html`<span class="really row" role="group" aria-label=${undo}>${question}</span>`}</span>`
    : html`<p class="row">${question || html`<button class="plain" onClick=${() => setSure(way.to)}>${undo}</button>`}</p>`;
}
