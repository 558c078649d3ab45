// Requests above the table: other players' votes that need an answer, answers to the player's own requests, and the
// button that takes back a move.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { store, useStore } from "../ui/store.js";
import { absolute, left } from "../ui/times.js";
import { listed, t } from "../ui/words.js";
import { hinted } from "../table/hinted.js";
import { Tool } from "../table/tool.js";
import { seatName } from "../ui/game-words.js";
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

/** The seats whose players decide on requests. @param {SeenTable["game"]} game */
const present = (game) => game.seats.filter((it) => it.kind !== "bot" && !it.stand_in).map((it) => it.seat);

/** The last wish to which this player was the last to agree. The votes no longer tell. */
const granted = store(/** @type {{base: string, wish: Wish} | null} */ (null));

/**
 * Show the newest request in a few words beside the scores, so that nothing moves. A tap opens the whole text of all of
 * them with their buttons. Once closed, the line returns with the next change. What is settled goes with the next version.
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
  const [isOpen, setOpen] = useState(false);
  const [isClosed, setClosed] = useState(false);
  const line = useRef();
  const last = useStore(granted);
  const order = useRef(/** @type {Wish[]} */ ([])); // newest first
  const settledAt = useRef(/** @type {Map<string, number>} */ (new Map())); // the version, or -1 once closed
  const wishes = known ? WISHES.filter((wish) => inFavour(known.votes, wish).length > 0) : [];
  order.current = [...wishes.filter((it) => !order.current.includes(it)), ...order.current.filter((it) => wishes.includes(it))];
  const all = known?.base === base
    ? requestsIn(game, known.votes, order.current, last?.base === base && game.status === "running" ? last.wish : null) : [];
  const settled = all.filter((it) => it.isSettled).map((it) => it.told);
  settledAt.current = new Map(settled.map((it) => [it, settledAt.current.get(it) ?? game.version]));
  const shown = all.filter((it) => !it.isSettled || settledAt.current.get(it.told) === game.version);
  const state = all.map((it) => it.told).join("\n");
  useEffect(() => setClosed(false), [state, game.you?.turn]);
  useEffect(() => void (shown.length || setOpen(false)), [shown.length]);
  if (!known || !shown.length || isClosed) return null;
  const fold = () => {
    setOpen(false);
    line.current?.focus({ preventScroll: true });
  };
  const close = () => {
    setOpen(false);
    setClosed(true);
    for (const it of settled) settledAt.current.set(it, -1);
    document.getElementById("main")?.focus({ preventScroll: true }); // the button disappears
  };
  return html`<div class="asks" onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && isOpen && fold()}>
    <button class="brief" ref=${line} aria-expanded=${isOpen} title=${shown[0].told} onClick=${() => setOpen(!isOpen)}><span>${shown[0].names}</span><span>${
      shown[0].news}</span>${shown.length > 1 && html`<b>+${shown.length - 1}</b>`}</button>
    <button class="shut" aria-label=${t("close")} onClick=${close}>×</button>
    ${isOpen && html`<div class="whole">${shown.map(({ wish, Drawn, told }) => html`<${Drawn} key=${wish} table=${table} wish=${wish}
      told=${told} votes=${known.votes} fold=${fold} />`)}</div>`}
  </div>`;
}

/**
 * Return what the player is asked for, whether they can resume the game, and their own requests, then what is settled.
 * @param {SeenTable["game"]} game
 * @param {Votes} votes
 * @param {Wish[]} order the wishes, newest first
 * @param {Wish | null} granted the wish to which the player was the last to agree
 */
function requestsIn(game, votes, order, granted) {
  const seat = game.you?.seat ?? -1;
  const listedNames = (/** @type {number[]} */ seats) => listed(seats.map((it) => seatName(game.seats[it])));
  const short = (/** @type {string} */ key, names = "") => ({ names, news: t(`asks.short.${key}`, { names: "" }) }); // only names are cut off
  const asked = order.map((wish) => {
    const favours = inFavour(votes, wish);
    const isOwn = favours.includes(seat);
    const refusing = votes.refusals[wish].filter((it) => it !== seat);
    const isRefused = votes.refusals[wish].includes(seat);
    const waiting = present(game).filter((it) => it !== seat && !favours.includes(it) && !refusing.includes(it));
    const answers = [refusing.length > 0 && t("asks.refused", { names: listedNames(refusing) }),
      waiting.length > 0 && t("asks.waiting", { names: listedNames(waiting) })];
    const seats = wish === "take-back" && votes[wish] ? [votes[wish].seat] : favours;
    const isMine = seats[0] === seat;
    if (!isOwn) return { wish, isOwn, isSettled: isRefused, Drawn: Request,
      ...(isRefused ? short("refused", t("asks.you")) : short(wish, listedNames(seats))),
      told: [t(`asks.${wish}`, { names: listedNames(seats), count: seats.length }),
        ...(isRefused ? [t("asks.refused.you"), ...answers] : [])].filter(Boolean).join(" ") };
    return { wish, isOwn, isSettled: refusing.length > 0, Drawn: Own,
      ...(refusing.length ? short("refused", listedNames(refusing)) : short(isMine ? wish : "agreed", t("asks.you"))),
      told: [t(`asks.${isMine ? "mine" : "agreed"}.${wish}`), ...answers].filter(Boolean).join(" ") };
  }).filter((it) => !it.isOwn || present(game).some((one) => !inFavour(votes, it.wish).includes(one)));
  const isResumed = game.status === "paused" && !votes.resume.length;
  const open = asked.filter((it) => !it.isSettled);
  return [...open.filter((it) => !it.isOwn),
    ...(isResumed ? [{ wish: /** @type {Wish} */ ("resume"), isSettled: false, Drawn: Paused, ...short("paused"), told: t("ask.paused") }] : []),
    ...open.filter((it) => it.isOwn),
    ...(granted ? [{ wish: granted, isSettled: true, Drawn: Granted, ...short("all"), told: `${t(`asks.agreed.${granted}`)} ${t("asks.all")}` }] : []),
    ...asked.filter((it) => it.isSettled)];
}

/**
 * Return the state of a submission that votes for a wish or, without consent, withdraws a vote or refuses.
 * @param {SeenTable} table
 * @param {Wish} wish
 * @param {boolean} consents
 * @param {() => void} fold closes what is open
 */
const useVote = (table, wish, consents, fold) => useSubmit(async () => {
  const { game, base } = table;
  const before = votes.get()?.votes;
  const isLast = consents && before && present(game).every((it) => it === game.you?.seat || inFavour(before, wish).includes(it));
  granted.set(null);
  tell(table.base, await call("POST", `${table.base}/votes`, { on: wish, vote: consents }));
  fold();
  await table.look();
  if (isLast) granted.set({ base, wish }); // it goes with the version after this one
});

/** @typedef {{table: SeenTable, wish: Wish, told: string, votes: Votes, fold: () => void}} Row */
/** @param {Row} props */
function Request({ table, wish, told, votes, fold }) {
  const [agreeing, error, agree] = useVote(table, wish, true, fold);
  const [refusing, wrong, refuse] = useVote(table, wish, false, fold);
  const busy = agreeing || refusing;
  const isRefused = votes.refusals[wish].includes(table.game.you?.seat ?? -1);
  const back = votes["take-back"];
  const until = wish === "take-back" && back ? { moves: back.undoes.join(" "), due: t("due",
    { absolute: absolute(back.ends_at), left: left(back.ends_at) }) } : null;
  return html`<section class="strip request" aria-label=${told}>
    <p><strong>${told}</strong>${until && ` ${t("take-back.what", until)} ${t("take-back.ends")} ${until.due}`}</p>
    <button class=${isRefused ? "plain" : ""} disabled=${busy} onClick=${agree} aria-label=${`${t("asks.agree")}: ${told}`}>${t("asks.agree")}</button>
    ${!isRefused && html`<button class="plain" disabled=${busy} onClick=${refuse} aria-label=${`${t("asks.later")}: ${told}`}>${
      t("asks.later")}</button>`}
    ${(error || wrong) && html`<${Sorry} error=${error || wrong} />`}
  </section>`;
}

/** @param {Row} props */
const Granted = ({ told }) => html`<p class="strip request">${told}</p>`;

/** @param {Row} props */
function Paused({ table, told, fold }) {
  const [busy, error, resume] = useVote(table, "resume", true, fold);
  return html`<section class="strip request" aria-label=${told}>
    <p><strong>${told}</strong></p>
    <button disabled=${busy} onClick=${resume}>${t("asks.resume.do")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** @param {Row} props */
function Own({ table, wish, told, fold }) {
  const [busy, error, withdraw] = useVote(table, wish, false, fold);
  return html`<section class="strip request" aria-label=${told}>
    <p>${told}</p>
    <button class="plain" disabled=${busy} onClick=${withdraw} aria-label=${`${t("asks.withdraw")}: ${told}`}>${
      t("asks.withdraw")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/**
 * Let the player take back their last move, if possible. The status line (`isShort`) has an icon for it. A tap takes
 * back a step of their turn at once. Otherwise, it says what would be undone, and whether the others are asked. Afterwards,
 * a line says what was undone, until a hint opens. While it is the player's turn, the request to the others stands in the
 * details.
 * @param {{table: SeenTable, isShort?: boolean}} props
 */
export function TakeBack({ table, isShort = false }) {
  const { game, base, story } = table;
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
  const isMine = game.you?.turn != null;
  const [done, setDone] = useState(/** @type {{from: number, words: string} | null} */ (null));
  const [busy, error, take] = useSubmit(async () => {
    const { vote } = await call("POST", `${base}/take-backs`, { to: way?.to });
    setSure(null);
    asked.current = null;
    if (!vote) setDone({ from: game.version, words: [
      t("take-back.done", { moves: way?.undoes.join(" ") }), !isMine && t("take-back.again")].filter(Boolean).join(" ") });
    if (vote && known) tell(base, { ...known.votes, "take-back": vote });
    await table.look();
  });
  const cancel = () => {
    isBack.current = true;
    setSure(null);
  };
  const isAsked = known?.base === base && known.votes["take-back"];
  const asked = useRef(/** @type {Votes["take-back"]} */ (null)); // the player's request, which is gone once granted
  if (isAsked && isAsked.seat === game.you?.seat) asked.current = isAsked;
  useEffect(() => {
    const { undoes, to } = asked.current ?? {};
    const isGranted = story.some((it) => it.type === "move-taken-back" && it.version === game.version && it.to === to);
    if (!isShort || !undoes || !isGranted) return;
    asked.current = null;
    const others = game.seats.filter((it) => it.kind !== "bot" && !it.stand_in && it.seat !== game.you?.seat).map(seatName);
    setDone({ from: game.version - 1, words: [t("take-back.done", { moves: undoes.join(" ") }),
      t("take-back.agreed", { names: listed(others), count: others.length })].join(" ") });
  }, [game.version, story]); // the story may come later
  const isHinted = useStore(hinted) !== null;
  useEffect(() => void (isHinted && setDone(null)), [isHinted]);
  const isBelow = isMine && !isAmongBots(game) && !way?.free;
  if (done && game.version <= done.from + 1) return html`<div class=${isShort ? "really row" : "row"}><span role="status">${done.words}</span>
    <button class="plain" aria-label=${t("close")} onClick=${() => setDone(null)}>×</button></div>`;
  if (!way || way.to === null || isAsked || isShort === isBelow) return error ? html`<${Sorry} error=${error} />` : null;
  const isAlone = game.seats.every((it) => it.seat === game.you?.seat || it.kind === "bot");
  const how = way.free ? "free" : isAlone ? "alone" : "ask";
  const what = t("take-back.what", { moves: way.undoes.join(" ") });
  const head = t(how === "ask" ? "take-back.head-ask" : "take-back.head");
  const question = isSure && html`<span><strong>${head}</strong> ${what} ${t(`take-back.sure-${how}`)}</span>
    <button key="take" disabled=${busy} onClick=${take}>${t(how === "ask" ? "take-back.ask" : "take-back.short")}</button>
    <button key="stay" ref=${stay} class="plain" onClick=${cancel}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && cancel();
  const asks = { "aria-expanded": isSure, onClick: () => setSure(isSure ? null : way.to) };
  return isShort ? html`<div class="undo" ref=${place} onKeyDown=${escape}><${Tool} icon="undo" words=${t("take-back.short")} title=${what} aria-label=${t("take-back.short")}
      ...${way.free && isMine ? { disabled: busy, onClick: take } : asks} />
      ${(isSure || error) && html`<div class="really row" role="group" aria-label=${head}>${question || html`<${Sorry} error=${error} />`}</div>`}</div>`
    : html`<p class="row" ref=${place} onKeyDown=${escape}>${question || html`<button class="plain" onClick=${() => setSure(way.to)}>${t("take-back.mine-back")}</button>`}</p>`;
}
