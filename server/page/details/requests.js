// Requests above the table: other players' votes that need an answer, answers to the player's own requests, and the
// button that takes back a move.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { store, useStore } from "../ui/store.js";
import { absolute } from "../ui/times.js";
import { listed, t } from "../ui/words.js";
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
export const present = (game) => game.seats.filter((it) => it.kind !== "bot" && !it.stand_in).map((it) => it.seat);

/** What was last asked to be undone, or undone at once, in words. The event itself doesn't say. */
const undone = store(/** @type {{base: string, to: number | null, told: string} | null} */ (null));

/** The vote that the player has just withdrawn, and whether it was their own request. */
const withdrawn = store(/** @type {{base: string, wish: Wish, version: number, isMine: boolean} | null} */ (null));

const isOpened = store(false);
const AFTER = 1000; // milliseconds in which a result may follow the last request before the open requests close

/**
 * Show the newest request, or how many need an answer, beside the scores, so that nothing moves. A tap opens the whole text of all of
 * them with their buttons. They stay open after an answer, say what came of it in the same place, and close once the player
 * taps elsewhere. While they are open, each keeps its place, and new ones come below. An open request that is
 * closed shrinks to a mark until the next change. A result that is closed goes, and the next one follows. What is settled goes
 * with the next version, except a refusal of the player's own request, which stays until they close it.
 * @param {{table: SeenTable}} props
 */
export function Requests({ table }) {
  const { game, base, word, story } = table;
  /** @returns {Promise<Votes>} */
  const ask = () => call("GET", `${base}/votes?${word}`);
  const changes = useStore(table.changes);
  const [found, , again] = useFresh(ask, [base, game.status, table.live, table.live === "live" ? changes : game.version]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || again(), EVERY);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => void (found && tell(base, found)), [found]);
  const known = useStore(votes);
  const isOpen = useStore(isOpened);
  const setOpen = isOpened.set;
  const [isClosed, setClosed] = useState(false);
  const [, redraw] = useState({});
  const line = useRef();
  const whole = useRef();
  const last = useStore(undone);
  const gone = useStore(withdrawn);
  const back = known?.base === base ? known.votes["take-back"] : null;
  useEffect(() => {
    if (back) undone.set({ base, to: back.to, told: `${t("take-back.done", { moves: back.undoes.join(" ") })} ${t("asks.all")}` });
  }, [back]);
  const order = useRef(/** @type {Wish[]} */ ([])); // newest first
  const places = useRef(/** @type {string[]} */ ([])); // the keys of the rows, from the top
  const settledAt = useRef(/** @type {Map<string, number>} */ (new Map())); // the version, or -1 once closed
  const wishes = known ? WISHES.filter((wish) => inFavour(known.votes, wish).length > 0) : [];
  const isOwn = (/** @type {Wish} */ it) => known !== null && inFavour(known.votes, it).includes(game.you?.seat ?? -1);
  const added = wishes.filter((it) => !order.current.includes(it)).sort((one, other) => Number(isOwn(one)) - Number(isOwn(other)));
  order.current = [...added, ...order.current.filter((it) => wishes.includes(it))];
  const rows = known?.base === base
    ? [...newsIn(game, story, last?.base === base ? last : null, gone?.base === base && !isOwn(gone.wish) ? gone : null), ...requestsIn(game, known.votes, order.current)] : [];
  const place = (/** @type {(typeof rows)[number]} */ it) => (it.isSettled ? (it.isResult ? 2 : 3) : isToAnswer(it) ? 0 : 1);
  const all = rows.sort((one, other) => place(one) - place(other)); // a result must not hide a request that waits for an answer
  const settled = all.filter((it) => it.isSettled).map((it) => it.told);
  settledAt.current = new Map(settled.map((it) => [it, settledAt.current.get(it) ?? game.version]));
  const isFresh = (/** @type {(typeof rows)[number]} */ { told, stays }) => {
    const at = settledAt.current.get(told);
    return at === game.version || (stays && at !== -1);
  };
  const shown = all.filter((it) => !it.isSettled || isFresh(it));
  const isAt = (/** @type {string} */ key) => shown.some((it) => it.key === key);
  places.current = [...new Set([...(isOpen ? places.current.filter(isAt) : []), ...shown.map((it) => it.key)])];
  const state = all.map((it) => it.told).join("\n");
  useEffect(() => setClosed(false), [state, game.you?.turn]);
  const fold = () => {
    setOpen(false);
    line.current?.focus({ preventScroll: true });
  };
  useEffect(() => () => setOpen(false), []);
  useEffect(() => {
    const look = (/** @type {any} */ { target }) => whole.current?.contains(target) || setOpen(false);
    const press = (/** @type {any} */ { key, target }) => key === "Escape" && (whole.current?.contains(target) ? fold() : setOpen(false));
    if (isOpen) document.addEventListener("pointerdown", look);
    if (isOpen) document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("pointerdown", look);
      document.removeEventListener("keydown", press);
    };
  }, [isOpen]);
  const isNone = !shown.length;
  useEffect(() => {
    const timer = isNone ? setTimeout(() => setOpen(false), AFTER) : undefined;
    return () => clearTimeout(timer);
  }, [isNone]);
  if (!known || isNone) return null;
  const close = () => {
    const { isSettled, told } = shown[0];
    setOpen(false);
    if (isSettled) settledAt.current.set(told, -1);
    setClosed(!isSettled);
    redraw({});
    if (!isSettled || shown.length === 1) document.getElementById("main")?.focus({ preventScroll: true }); // the button disappears
  };
  if (isClosed) return html`<button class="closed-asks" title=${shown[0].told} aria-label=${shown[0].told} onClick=${() => setClosed(false)}>?</button>`;
  const isWanted = isToAnswer(shown[0]);
  const count = isWanted ? shown.filter(isToAnswer).length : 1;
  const { names, news } = count > 1 ? { names: "", news: t("asks.several", { count }) } : shown[0];
  return html`<div class=${isWanted ? "asks wanted" : "asks"} ref=${whole} onClickCapture=${notTwice}>
    <span class="unseen" role="status">${shown[0].told}</span>
    <button class="brief" ref=${line} aria-expanded=${isOpen} title=${shown[0].told} onClick=${() => setOpen(!isOpen)}><span>${names}</span><span>${
      news}</span>${shown.length > count && html`<b>${t("asks.more", { count: shown.length - count })}</b>`}</button>
    <button class="shut" aria-label=${t("close")} onClick=${close}>×</button>
    ${isOpen && html`<div class="whole">${places.current.map((place) => {
      const { key, Drawn, ...row } = /** @type {(typeof shown)[number]} */ (shown.find((it) => it.key === place));
      return html`<${Drawn} key=${key} table=${table} ...${row} votes=${known.votes} />`;
    })}</div>`}
  </div>`;
}

/** Ignore the second click of a double click, since another button may be there by then. @param {MouseEvent} event */
const notTwice = (event) => event.detail > 1 && event.stopPropagation();

/** Whether a row waits for the player's answer. @param {{Drawn: unknown, isSettled: boolean}} row */
const isToAnswer = ({ Drawn, isSettled }) => Drawn === Request && !isSettled;

/** Only names are cut off. */
const short = (/** @type {string} */ key, names = "") => ({ names, news: t(`asks.short.${key}`, { names: "" }) });

/**
 * Return the requests of all players, newest first, then whether the player can resume the game.
 * @param {SeenTable["game"]} game
 * @param {Votes} votes
 * @param {Wish[]} order the wishes, newest first
 */
export function requestsIn(game, votes, order) {
  const seat = game.you?.seat ?? -1;
  const listedNames = (/** @type {number[]} */ seats) => listed(seats.map((it) => seatName(game.seats[it])));
  const back = votes["take-back"];
  const moves = back?.undoes.join(" ");
  const then = (/** @type {Wish} */ wish, /** @type {number} */ count) => t(`asks.then.${wish}`, { moves,
    when: t("asks.when", { count }), name: back ? seatName(game.seats[back.seat]) : "" });
  const asked = order.map((wish) => {
    const favours = inFavour(votes, wish);
    const isOwn = favours.includes(seat);
    const refusing = votes.refusals[wish].filter((it) => it !== seat);
    const isRefused = votes.refusals[wish].includes(seat);
    const waiting = present(game).filter((it) => it !== seat && !favours.includes(it) && !refusing.includes(it));
    const seats = wish === "take-back" && back ? [back.seat] : favours;
    const isMine = seats[0] === seat;
    const agreeing = isOwn ? [] : favours.filter((it) => !seats.includes(it));
    const isAsked = !isOwn && !isRefused && waiting.length + refusing.length + agreeing.length > 0;
    const missing = [...(isAsked ? [t("you")] : []), ...waiting.map((it) => seatName(game.seats[it]))];
    const answers = [agreeing.length > 0 && t("asks.agreeing", { names: listedNames(agreeing) }),
      refusing.length > 0 && t("asks.refused", { names: listedNames(refusing) }),
      missing.length > 0 && t("asks.waiting", { names: listed(missing) })];
    if (!isOwn) return { key: wish, wish, isOwn, isSettled: isRefused, isResult: false, stays: false, Drawn: Request,
      ...(isRefused ? short("refused.you") : short(wish, listedNames(seats))),
      then: [...(isRefused ? [] : answers), then(wish, 1 + waiting.length + refusing.length),
        !isRefused && t(back && wish === "take-back" ? "asks.else.take-back" : "asks.else", { until: back ? absolute(back.ends_at) : "" })].filter(Boolean).join(" "),
      told: [t(`asks.${wish}`, { names: listedNames(seats), count: seats.length }),
        ...(isRefused ? [t("asks.refused.you"), ...answers] : [])].filter(Boolean).join(" ") };
    const isGranted = !waiting.length && !refusing.length; // an offer then stays
    const isSettled = refusing.length > 0 || isGranted;
    return { key: wish, wish, isOwn, isSettled, isResult: isMine && isSettled, stays: isMine && refusing.length > 0, Drawn: Own,
      ...(isGranted ? short(`done.${wish}`) : refusing.length ? short("refused", listedNames(refusing))
        : { names: "", news: isMine ? t(`asks.short.${wish}`, { names: t("asks.asked") }) : t("asks.short.agreed", { names: t("asks.you") }) }),
      then: isMine && wish === "take-back" ? t("take-back.what", { moves }) : isGranted ? "" : then(wish, 2),
      told: [t(`asks.${isMine ? "mine" : "agreed"}.${wish}`), ...answers, isGranted && t("asks.all")].filter(Boolean).join(" ") };
  });
  const isResumed = game.status === "paused" && !votes.resume.length;
  return [...asked, ...(isResumed ? [{ key: "resume", wish: /** @type {Wish} */ ("resume"), isOwn: false, isSettled: false, isResult: false, stays: false,
    Drawn: Paused, ...short("paused"), told: t("ask.paused"), then: present(game).length > 1 ? then("resume", 2) : "" }] : [])];
}

/**
 * Return what the players have just agreed to, what was taken back, and which vote the player has withdrawn.
 * @param {SeenTable["game"]} game
 * @param {SeenTable["story"]} story
 * @param {{to: number | null, told: string} | null} undone
 * @param {{wish: Wish, version: number, isMine: boolean} | null} gone
 */
function newsIn(game, story, undone, gone) {
  const news = story.filter((it) => it.version === game.version);
  const at = story.findLastIndex((it) => it.type === "move-taken-back");
  const isLast = story.slice(at + 1).every((it) => it.version === story[at]?.version || game.seats[it.seat ?? -1]?.kind === "bot");
  const back = /** @type {{seat: number, to: number} | undefined} */ (isLast ? story[at] : undefined); // bots may have moved since
  const isByOther = back && back.seat !== game.you?.seat;
  const taken = back && undone?.to === back.to ? undone.told
    : isByOther && t("story.move-taken-back", { name: seatName(game.seats[back.seat]) });
  const isResumed = news.some((it) => it.type === "game-resumed");
  const rows = [taken ? { wish: /** @type {Wish} */ ("take-back"), key: "done.take-back", told: taken, isResult: !isByOther, stays: true } : null,
    isResumed ? { wish: /** @type {Wish} */ ("resume"), key: "done.resume", told: t("story.game-resumed"), isResult: true, stays: false } : null,
    gone?.version === game.version ? { wish: gone.wish, key: "withdrawn", told: withdrawnInWords(gone.isMine), isResult: true, stays: false } : null].filter((it) => it !== null);
  return rows.map((it) => ({ ...it, ...short(it.key), isOwn: false, isSettled: true, Drawn: Told, then: "" }));
}

const withdrawnInWords = (/** @type {boolean} */ isMine) => t(`asks.withdrawn.${isMine ? "mine" : "agreed"}`);

/**
 * Vote for a wish or, without consent, withdraw a vote or refuse.
 * @param {SeenTable} table
 * @param {Wish} wish
 * @param {boolean} consents
 */
export async function castVote({ base, game }, wish, consents) {
  const before = votes.get()?.votes;
  const favours = before ? inFavour(before, wish) : [];
  const first = wish === "take-back" ? before?.["take-back"]?.seat : favours[0];
  const seat = game.you?.seat ?? -1;
  const after = await call("POST", `${base}/votes`, { on: wish, vote: consents });
  if (!consents && favours.includes(seat)) withdrawn.set({ base, wish, version: game.version, isMine: first === seat });
  tell(base, after);
}

/**
 * Return what has just come of a wish: that the player withdrew their vote, or what was taken back. Otherwise, return "".
 * @param {SeenTable} table
 * @param {Wish} wish
 */
export function useOutcome({ base, game, story }, wish) {
  const last = useStore(undone);
  const gone = useStore(withdrawn);
  const news = newsIn(game, story, last?.base === base ? last : null, gone?.base === base ? gone : null);
  return news.find((it) => it.wish === wish)?.told ?? "";
}

/**
 * @param {SeenTable} table
 * @param {Wish} wish
 * @param {boolean} consents
 */
const useVote = (table, wish, consents) => useSubmit(async () => {
  await castVote(table, wish, consents);
  await table.look();
});

/** @typedef {{table: SeenTable, wish: Wish, told: string, then: string, votes: Votes}} Row */
/** @param {Row} props */
function Request({ table, wish, told, then, votes }) {
  const [agreeing, error, agree] = useVote(table, wish, true);
  const [refusing, wrong, refuse] = useVote(table, wish, false);
  const busy = agreeing || refusing;
  const seat = table.game.you?.seat ?? -1;
  const isRefused = votes.refusals[wish].includes(seat);
  const words = t(isRefused ? "asks.agree.after" : "asks.agree");
  const isFinal = wish === "abandon" && present(table.game).every((it) => it === seat || votes.abandon.includes(it));
  const [sure, setSure] = useState(false);
  const place = useRef();
  const ask = (/** @type {boolean} */ isSure) => {
    setSure(isSure);
    setTimeout(() => place.current?.querySelector("button").focus()); // the other button is gone
  };
  if (sure && isFinal) return html`<section class="strip request" aria-label=${told} ref=${place}>
    <p><strong>${told}</strong> ${then}</p>
    <button key="stay" class="plain" onClick=${() => ask(false)}>${t("asks.back")}</button>
    <button key="end" disabled=${busy} onClick=${agree}>${t("asks.end")}</button>
    <span role="status">${t("vote.abandon.sure")}</span>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
  return html`<section class="strip request" aria-label=${told} ref=${place}>
    <p><strong>${told}</strong> ${then}</p>
    <button class=${isRefused ? "plain" : ""} disabled=${busy} onClick=${isFinal ? () => ask(true) : agree} aria-label=${`${words}: ${told}`}>${words}</button>
    ${!isRefused && html`<button class="plain" disabled=${busy} onClick=${refuse} aria-label=${`${t("asks.later")}: ${told}`}>${
      t("asks.later")}</button>`}
    ${(error || wrong) && html`<${Sorry} error=${error || wrong} />`}
  </section>`;
}

/** @param {Row} props */
const Told = ({ told }) => html`<p class="strip request">${told}</p>`;

/** @param {Row} props */
function Paused({ table, told, then }) {
  const [busy, error, resume] = useVote(table, "resume", true);
  return html`<section class="strip request" aria-label=${told}>
    <p><strong>${told}</strong> ${then}</p>
    <button disabled=${busy} onClick=${resume}>${t("asks.resume.do")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** @param {Row} props */
function Own({ table, wish, told, then }) {
  const [busy, error, withdraw] = useVote(table, wish, false);
  return html`<section class="strip request" aria-label=${told}>
    <p><strong>${told}</strong> ${then}</p>
    <button class="plain" disabled=${busy} onClick=${withdraw} aria-label=${`${t("asks.withdraw")}: ${told}`}>${
      t("asks.withdraw")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/**
 * Let the player take back their last move, if possible. The status line (`isShort`) has an icon for it. A tap takes
 * back a step of their turn at once. Otherwise, it says what would be undone, and whether the others are asked. While it
 * is the player's turn, the request to the others stands in the details.
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
  const isMine = game.you?.turn != null;
  const [busy, error, take] = useSubmit(async () => {
    const { vote } = await call("POST", `${base}/take-backs`, { to: way?.to });
    setSure(null);
    if (!vote) undone.set({ base, to: way?.to ?? null, told: [
      t("take-back.done", { moves: way?.undoes.join(" ") }), !isMine && t("take-back.again")].filter(Boolean).join(" ") });
    if (vote && known) tell(base, { ...known.votes, "take-back": vote });
    await table.look();
    if (isShort && !(way?.free && isMine)) isOpened.set(true); // says what happened where the question was
  });
  const cancel = () => {
    isBack.current = true;
    setSure(null);
  };
  const isAsked = known?.base === base && known.votes["take-back"];
  const isBelow = isMine && !isAmongBots(game) && !way?.free;
  if (!way || way.to === null || isAsked || isShort === isBelow) return error ? html`<${Sorry} error=${error} />` : null;
  const others = present(game).filter((it) => it !== game.you?.seat);
  const asked = { count: others.length, names: listed(others.map((it) => seatName(game.seats[it]))) };
  const how = way.free ? "free" : others.length ? "ask" : "alone";
  const what = t("take-back.what", { moves: way.undoes.join(" ") });
  const head = t(how === "ask" ? "take-back.head-ask" : "take-back.head");
  const question = isSure && html`<span><strong>${head}</strong> ${what} ${t(`take-back.sure-${how}`, asked)}</span>
    <button key="take" disabled=${busy} onClick=${take}>${how === "ask" ? t("take-back.ask", asked) : t("take-back.short")}</button>
    <button key="stay" ref=${stay} class="plain" onClick=${cancel}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && cancel();
  const asks = { "aria-expanded": isSure, onClick: () => setSure(isSure ? null : way.to) };
  return isShort ? html`<div class="undo" ref=${place} onKeyDown=${escape}><${Tool} icon="undo" words=${t("take-back.short")} title=${what} aria-label=${t("take-back.short")}
      ...${way.free && isMine ? { disabled: busy, onClick: take } : asks} />
      ${(isSure || error) && html`<div class="really row" role="group" aria-label=${head}>${question || html`<${Sorry} error=${error} />`}</div>`}</div>`
    : html`<p class="row" ref=${place} onKeyDown=${escape}>${question || html`<button class="plain" onClick=${() => setSure(way.to)}>${t("take-back.mine-back")}</button>`}</p>`;
}
