// Requests above the table: other players' votes that need an answer, answers to the player's own requests, and the
// button that takes back a move.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { store, useStore } from "../ui/store.js";
import { absolute, left } from "../ui/times.js";
import { listed, t } from "../ui/words.js";
import { Tool } from "../table/tool.js";
import { seatName } from "../ui/game-card.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { isAmongBots } from "../ui/waiting-for-me.js";
/** @import { SeenTable, Votes, WayBack } from "../ui/types" */
/** @typedef {Exclude<keyof Votes, "refusals">} Wish */

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
 * Show other players' open requests, one per line, until the player answers them. Also show the player's own requests that
 * others refuse, their own request to take back a move, and how to resume a paused game. During the player's turn, all this
 * lies over the status line, so that nothing moves.
 * @param {{table: SeenTable}} props
 */
export function Requests({ table }) {
  const { game, base, word } = table;
  /** @returns {Promise<Votes>} */
  const count = () => call("GET", `${base}/votes?${word}`);
  const changes = useStore(table.changes);
  const [found, , again] = useFresh(count, [base, game.status, table.live, table.live === "live" ? changes : game.version]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || again(), EVERY);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => void (found && tell(base, found)), [found]);
  const known = useStore(votes);
  const seat = game.you?.seat ?? -1;
  if (known?.base !== base) return null;
  const { refusals, "take-back": back } = known.votes;
  const isMine = (/** @type {Wish} */ wish) => (wish === "take-back" ? back?.seat === seat : known.votes[wish].includes(seat));
  const isPaused = game.status === "paused";
  const own = WISHES.filter((wish) => isMine(wish) && (refusals[wish].length > 0 || wish === "take-back" || wish === "resume"));
  const asked = WISHES.filter((wish) => {
    const seats = inFavour(known.votes, wish);
    return seats.length > 0 && !seats.includes(seat) && !refusals[wish].includes(seat);
  });
  const isResumed = isPaused && !asked.includes("resume") && !own.includes("resume");
  return (asked.length > 0 || own.length > 0 || isResumed) && html`<div class=${game.you?.turn != null ? "asks over" : "asks"}>
    ${isResumed && html`<${Paused} table=${table} />`}
    ${asked.map((wish) => html`<${Request} key=${wish} table=${table} wish=${wish} votes=${known.votes} />`)}
    ${own.map((wish) => html`<${Own} key=${wish} table=${table} wish=${wish} seats=${refusals[wish]} />`)}</div>`;
}

/**
 * Return the state of a submission that votes for a wish or, without consent, withdraws a vote or refuses.
 * @param {SeenTable} table
 * @param {Wish} wish
 * @param {boolean} consents
 */
const useVote = (table, wish, consents) => useSubmit(async () => {
  tell(table.base, await call("POST", `${table.base}/votes`, { on: wish, vote: consents }));
  await table.look();
});

/** @param {{table: SeenTable, wish: Wish, votes: Votes}} props */
function Request({ table, wish, votes }) {
  const { game } = table;
  const [agreeing, error, agree] = useVote(table, wish, true);
  const [refusing, wrong, refuse] = useVote(table, wish, false);
  const busy = agreeing || refusing;
  const seats = inFavour(votes, wish);
  const back = votes["take-back"];
  const names = listed((wish === "take-back" && back ? [back.seat] : seats).map((it) => seatName(game.seats[it])));
  const until = wish === "take-back" && back ? { moves: back.undoes.join(" "), due: t("due",
    { absolute: absolute(back.ends_at), left: left(back.ends_at) }) } : null;
  const told = t(`asks.${wish}`, { names, count: seats.length });
  return html`<section class="strip request" aria-label=${told}>
    <p><strong>${told}</strong>${until && ` ${t("take-back.what", until)} ${t("take-back.ends")} ${until.due}`}</p>
    <button disabled=${busy} onClick=${agree} aria-label=${`${t("asks.agree")}: ${told}`}>${t("asks.agree")}</button>
    <button class="plain" disabled=${busy} onClick=${refuse} aria-label=${`${t("asks.later")}: ${told}`}>${
      t("asks.later")}</button>
    ${(error || wrong) && html`<${Sorry} error=${error || wrong} />`}
  </section>`;
}

/** @param {{table: SeenTable}} props */
function Paused({ table }) {
  const [busy, error, resume] = useVote(table, "resume", true);
  return html`<section class="strip request" aria-label=${t("status.paused")}>
    <p><strong>${t("ask.paused")}</strong></p>
    <button disabled=${busy} onClick=${resume}>${t("asks.resume.do")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** @param {{table: SeenTable, wish: Wish, seats: number[]}} props */
function Own({ table, wish, seats }) {
  const [busy, error, withdraw] = useVote(table, wish, false);
  const names = listed(seats.map((it) => seatName(table.game.seats[it])));
  const told = [t(`asks.mine.${wish}`), seats.length > 0 && t("asks.refused", { names })].filter(Boolean).join(" ");
  return html`<section class="strip request" aria-label=${told}>
    <p>${told}</p>
    <button class="plain" disabled=${busy} onClick=${withdraw} aria-label=${`${t("asks.withdraw")}: ${told}`}>${
      t("asks.withdraw")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/**
 * Let the player take back their last move, if possible. The status line (`isShort`) has an icon for it. A tap takes the
 * move back at once if that harms no other player, or says what would be undone. While it is the player's turn, the
 * request to the others stands in the details.
 * @param {{table: SeenTable, isShort?: boolean}} props
 */
export function TakeBack({ table, isShort = false }) {
  const { game, base } = table;
  /** @returns {Promise<WayBack>} */
  const find = () => call("GET", `${base}/take-backs`);
  const [way] = useFresh(find, [game.version, game.status]);
  const known = useStore(votes);
  const [sure, setSure] = useState(/** @type {number | null} */ (null)); // the version to return to
  const place = useRef();
  const stay = useRef();
  const isBack = useRef(false); // after Cancel, the focus returns to the button that asked
  const isSure = sure !== null && sure === way?.to;
  useEffect(() => {
    if (isSure) stay.current.focus();
    else if (isBack.current) place.current?.querySelector("button")?.focus();
    isBack.current = false;
  }, [isSure]);
  const [busy, error, take] = useSubmit(async () => {
    const { vote } = await call("POST", `${base}/take-backs`, { to: way?.to });
    setSure(null);
    if (vote && known) tell(base, { ...known.votes, "take-back": vote });
    await table.look();
  });
  const cancel = () => {
    isBack.current = true;
    setSure(null);
  };
  const isAsked = known?.base === base && known.votes["take-back"];
  const isBelow = game.you?.turn != null && !isAmongBots(game) && !way?.free;
  if (!way || way.to === null || isAsked || isShort === isBelow) return error ? html`<${Sorry} error=${error} />` : null;
  const isAlone = game.seats.every((it) => it.seat === game.you?.seat || it.kind === "bot");
  const how = way.free ? "free" : isAlone ? "alone" : "ask";
  const what = t("take-back.what", { moves: way.undoes.join(" ") });
  const head = t(how === "ask" ? "take-back.head-ask" : "take-back.head");
  const question = isSure && html`<span><strong>${head}</strong> ${what} ${how !== "free" && t(`take-back.sure-${how}`)}</span>
    <button key="take" disabled=${busy} onClick=${take}>${t(how === "ask" ? "take-back.ask" : "take-back.short")}</button>
    <button key="stay" ref=${stay} class="plain" onClick=${cancel}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && cancel();
  const asks = { "aria-expanded": isSure, onClick: () => setSure(isSure ? null : way.to) };
  return isShort ? html`<div class="undo" ref=${place} onKeyDown=${escape}><${Tool} icon="undo" words=${t("take-back.short")} title=${what} aria-label=${t("take-back.short")}
      ...${way.free ? { disabled: busy, onClick: take } : asks} />
      ${(isSure || error) && html`<div class="really row" role="group" aria-label=${head}>${question || html`<${Sorry} error=${error} />`}</div>`}</div>`
    : html`<p class="row" ref=${place} onKeyDown=${escape}>${question || html`<button class="plain" onClick=${() => setSure(way.to)}>${t("take-back.mine-back")}</button>`}</p>`;
}
