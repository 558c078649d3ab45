// The screen of a game: before the start, in progress, and finished.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/html.js";
import { answerTo, cached, Problem } from "../ui/api.js";
import { isOnline as online } from "../ui/connection.js";
import { addressOf } from "../ui/files.js";
import { ROOMS, scoresOf } from "../ui/games.js";
import { forGood, seen } from "../ui/local-storage.js";
import { useStore } from "../ui/store.js";
import { absolute, lastMinute, left } from "../ui/times.js";
import { listed, t } from "../ui/words.js";
import { lookAhead, useGame } from "./game.js";
import { isWhole } from "./hinted.js";
import { shownRules } from "./guide.js";
import { History, useEarlier } from "./history.js";
import { awayInWords, hasMissed, hasResigned, lastMove, placeInWords, sentence, sinceOwnTurn, standing } from "./story.js";
import { isChatHidden, isChatOpen, unread } from "./unread.js";
import { entitled, isAmongBots, isStandIn, mySeat, waiting } from "../ui/waiting-for-me.js";
import { Next } from "./next.js";
import { goesOn as isGoingOn, isClosed, Left, seatName, untold, verdict } from "../ui/game-words.js";
import { enter, later, quietly, settled } from "../ui/lazy-loading.js";
import { useMedia } from "../ui/size.js";
import { Tool } from "./tool.js";
import { Sorry, useLoaded, useUntold } from "../ui/parts.js";
import { whereNow } from "../ui/routes.js";
import { SeatMark } from "../ui/seat-shapes.js";
import { isUnnamed, link, me, over } from "../ui/token.js";
/** @import { Game, GameEvent, RulesDescription, Seat, SeenTable, View } from "../ui/types" */

const DisplayName = later("display-name", "DisplayName");
const Pregame = later("pregame", "Pregame");
const Closed = later("pregame", "Closed");
const RulesBeside = later("rules", "RulesBeside", "options");
const ForSeat = later("link", "ForSeat");
const Ended = later("link", "Ended");
const Unseen = later("link", "Unseen");
const Fallback = later("fallback", "Fallback");
const Result = later("result", "Result");
const Abandoned = later("result", "Abandoned");
const Recap = later("recap", "Recap");
const Replay = later("recap", "Replay");
const Hint = later("advice", "Hint");
const Review = later("advice", "Review");
const Details = later("details", "Details");
const Back = quietly(() => import(addressOf("table/actions.js")), "Back");
const Leave = quietly(() => import(addressOf("table/actions.js")), "Leave");
const Beside = later("details", "Beside");
const Requests = quietly(() => enter("details"), "Requests");
const TakeBack = quietly(() => enter("details"), "TakeBack");
const PHONE = "(max-width: 48rem)"; // as in table.css
const MOMENT = 500; // milliseconds reserved for drawing the table
const AWAY = 10 * 60_000; // milliseconds of absence before a recap is shown
const ALIKE = 4; // first letters that two names share if they look the same once cut off
const PATIENCE = 5_000; // milliseconds before deferred parts are loaded in any case
const DRAWN = Object.fromEntries(ROOMS.map((it) => [it, later(it, "Room")]));
const OWNED = Object.fromEntries(ROOMS.map((it) => [it, later(it, "Belongings")]));

/** @param {{id: string, invitation?: string | null, owner?: string | null}} props */
export function Table({ id, invitation, owner = null }) {
  const player = useStore(me);
  const ended = useStore(over);
  const asked = useGame(ended ? null : id, invitation, expect);
  const table = { ...asked, error: useUntold(asked.error) };
  const { game, error } = table;
  const games = useStore(waiting);
  useEffect(() => {
    const title = game ? `${game.you?.turn != null ? "★ " : ""}${game.title}` : t("table");
    document.title = entitled(title, games);
  }, [game, games]);
  const isOpen = game?.status === "open";
  useEffect(() => () => void (isOpen && scrollTo(0, 0)), [isOpen]); // the table is another screen
  if (ended) return html`<${Ended} table=${table} problem=${ended} />`;
  if (!game && table.lost && isStandIn(table.lost)) return html`<${StoodIn} game=${table.lost} />`;
  if (!game && error instanceof Problem && error.status === 404) return html`<${Unseen} owner=${owner} player=${player} />`;
  if (!game) return html`<${Coming} error=${error} />`;
  if (game.status !== "open" && !isClosed(game)) return html`<${Begun} key=${table.isRenewed} table=${table} />
    ${link && html`<${ForSeat} game=${game} />`}`;
  return html`
    ${isUnnamed(player) && html`<${DisplayName} player=${player} />`}
    <div class="title"><${Home} game=${game} /><h1>${game.title} <small class="faint">${untold(game)}</small></h1>
      ${game.rules in DRAWN && html`<${RulesButton} game=${game} />`}</div>
    ${error && html`<${Sorry} error=${error} />`}
    <div class="table">${isClosed(game) ? html`<${Closed} />`
      : html`<${Pregame} table=${table} invitation=${invitation} player=${player} />`}
      <aside><${Beside} table=${table} /></aside></div>`;
}

/**
 * Tell a player that they no longer stand in at a private table, which they can no longer see.
 * @param {{game: Game}} props
 */
const StoodIn = ({ game }) => html`<div class="state"><${Home} /><h1>${game.title}</h1></div>
  <p role="status">${t("stood-in.over", { name: game.you ? seatName(game.seats[game.you.seat]) : "" })}</p>
  <p><a class="button" href="#/">${t("nav.games")}</a></p>`;

/**
 * Tell a stand-in for whom they play, and until when.
 * @param {Game} game
 */
function standsInWords(game) {
  const seat = /** @type {Seat} */ (mySeat(game));
  return t("stands-in", { name: seatName(seat), until: absolute(lastMinute(seat.stood_in_by?.until ?? "")) });
}

/**
 * Load the game's module in parallel with the rest of the table.
 * @param {Game} game
 */
async function expect(game) {
  if (game.status !== "open" && game.rules in DRAWN) await enter(game.rules).catch(() => {}); // retried later
}

/**
 * Prefetch a table before the first render. See `lookAhead`.
 * @param {string} id
 */
export const openTable = (id) => lookAhead(id, expect);

/**
 * Open the rules of this game in a panel over the table. The key `?` opens them at the list of keys.
 * @param {{game: Game}} props
 */
function RulesButton({ game }) {
  const opened = useStore(shownRules);
  const open = shownRules.set;
  useEffect(() => () => open(null), []);
  useEffect(() => {
    const press = (/** @type {any} */ { key, target }) =>
      key === "?" && !target.closest("input, select, textarea, dialog") && open({ section: "keys" });
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return html`<${Tool} icon="rules" words=${t("rules")} aria-haspopup="dialog" onClick=${() => open({})} />
    ${opened && html`<${RulesBeside} game=${game} section=${opened.section} close=${() => open(null)} />`}`;
}

/** @param {{table: SeenTable}} props */
function Begun({ table }) {
  const { game, story, live } = table;
  const about = `/v1/rules/${game.rules}`;
  const [rules, error] = useLoaded(() => cached(about), [about], answerTo(about));
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const { earlier, isComing, refused } = useEarlier(table, at);
  const [replay, setReplay] = useState(/** @type {{from: number} | null} */ (null));
  const names = game.seats.map(seatName);
  const Drawn = DRAWN[game.rules] ?? Fallback;
  const goesOn = game.you && !link && isGoingOn(game);
  const stands = { ...table, story: standing(story) };
  const [missed, know] = useMissed(stands);
  const isSettled = useSettled(table);
  const show = (/** @type {number} */ wanted) => setAt(wanted >= game.version ? null : Math.max(1, wanted));
  const watch = (/** @type {number} */ from) => {
    setAt(from);
    setReplay({ from });
  };
  const leave = () => {
    setAt(null);
    setReplay(null);
  };
  const [isLooking, setLooking] = useState(false); // whether the history slider is open
  const turn = game.you?.turn ?? null;
  const [hinted, hintFor] = useState(/** @type {number | null} */ (null)); // the turn for which the hint is open
  const isHinted = at === null && turn !== null && hinted === turn;
  const [isReviewed, review] = useState(whereNow().query.has("review")); // a link in an email opens it
  const [owner, lookAtSeat] = useState(/** @type {number | null} */ (null));
  const first = useRef();
  const details = useRef();
  useEffect(() => void (at !== null && first.current?.scrollIntoView()), [at]); // it may be far above
  const goOn = () => {
    details.current.scrollIntoView();
    details.current.focus({ preventScroll: true });
  };
  useEffect(() => () => isChatOpen.set(false), []);
  const stage = isGoingOn(game) ? Number(hasResigned(story, game.you?.seat ?? -1)) : 2;
  const last = useRef(stage);
  const isFresh = useRef(isGoingOn(game)); // the focus goes to a result that comes while the table is open
  useEffect(() => {
    if (stage > last.current && at === null) first.current?.scrollIntoView(); // what came of it is at the top
    if (stage === 2) lookAtSeat(null);
    last.current = stage;
  }, [stage]);
  if (!rules) return html`<${Coming} error=${error} />`;
  const isOver = game.outcome && at === null;
  const isAbandoned = game.status === "abandoned" && at === null;
  const isWatched = !game.you && isGoingOn(game);
  return html`
    <div class=${isOver ? "ended" : "playing"} ref=${first}>
      <${Status} table=${table} view=${earlier ?? game.view} at=${at} owner=${owner} lookAt=${game.rules in DRAWN ? lookAtSeat : null} top=${first}
        requests=${goesOn && !mySeat(game)?.stand_in && html`<${Requests} table=${table} />`}>
        ${!isWatched && html`<${Tool} icon="earlier" words=${t("history")} aria-pressed=${isLooking || at !== null}
          onClick=${() => (at === null ? setLooking(!isLooking) : leave())} />`}
        ${game.you && !game.outcome && isAmongBots(game) && html`<${HintButton} isOpen=${isHinted} isAway=${at !== null || turn === null}
          onClick=${() => hintFor(isHinted ? null : turn)} />`}
        <${Talk} game=${game} />
        <${Tool} icon="more" words=${t("details")} onClick=${goOn} />
        ${game.rules in DRAWN && html`<${RulesButton} game=${game} />`}
      <//>
      ${owner !== null && html`<${Owned} key=${owner} table=${table} rules=${rules} view=${earlier ?? game.view} seat=${owner}
        close=${() => lookAtSeat(null)} />`}
      ${isHinted && html`<${Hint} table=${table} rules=${rules} close=${() => hintFor(null)} />`}
      <${Said} story=${story} names=${names} seat=${game.you?.seat} rules=${rules}
        isMine=${game.you?.turn != null} />
      <h2 class="unseen">${t("table")}</h2>
      ${table.error && html`<${Sorry} error=${table.error} />`}
      ${goesOn && mySeat(game)?.stand_in && html`<section class="strip back"><${Back} game=${game}
        again=${table.look} isResigned=${hasResigned(story, game.you?.seat ?? -1)} /></section>`}
      ${goesOn && isStandIn(game) && html`<section class="strip stands-in"><p>${standsInWords(game)}</p><${Leave} table=${table} /></section>`}
      ${isOver && html`<div class="end" style=${{ "--seats": game.seats.length,
        "--more": Number(!!me.get()?.guest) + Number(isAmongBots(game)) }}><${Result} table=${table} isFresh=${isFresh} isReviewed=${isReviewed}
        review=${game.status === "finished" && game.you && (() => review(!isReviewed))} /></div>`}
      ${isAbandoned && html`<div class="end"><${Abandoned} table=${table} isFresh=${isFresh} /></div>`}
      ${isReviewed && game.outcome && html`<${Review} table=${table} rules=${rules} at=${at} showAt=${show} close=${() => review(false)} />`}
      ${replay && html`<${Replay} key=${replay} ...${replay} at=${at} version=${game.version} isHere=${!isComing}
        showAt=${show} close=${leave}
        story=${story} names=${names} seat=${game.you?.seat} rules=${rules} />`}
      ${missed && !replay && isGoingOn(game) && html`<div class="missed">${isSettled && html`<${Recap}
        names=${names} rules=${rules} items=${sinceOwnTurn(stands.story, game.you?.seat)} seat=${game.you?.seat}
        watch=${() => watch(know() || 1)} close=${know} />`}</div>`}
      ${refused && html`<${Sorry} error=${refused} />`}
      <div class=${isComing ? "drawn coming" : "drawn"} data-game=${game.rules} aria-busy=${isComing}><${Drawn}
        table=${at === null ? stands : { ...table, story: standing(story, at) }} rules=${rules} view=${earlier ?? game.view} at=${at} /></div>
    </div>
    <${History} version=${game.version} at=${at} show=${show} place=${placeInWords(story, at ?? game.version, game.version)}
      isComing=${isComing} isNear=${isLooking || at !== null || isWatched} replay=${() => watch(at ?? 1)} />
    <aside class="details" tabindex="-1" ref=${details} aria-label=${t("details")}>
      ${isSettled && html`<${Details} table=${table} view=${earlier ?? game.view} at=${at} names=${names}
        rules=${rules} showAt=${show} goesOn=${goesOn} />`}
    </aside>`;
}

/**
 * Return whether deferred parts may load: shortly after the table is drawn and the stream is open, or while offline.
 * @param {SeenTable} table
 */
function useSettled({ game, live }) {
  const isOnline = useStore(online);
  useEffect(() => { // apart, since `live` and `isOnline` may change every few seconds
    const timer = setTimeout(() => settled.set(true), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    let isWanted = true;
    const settle = () => isWanted && settled.set(true);
    if (live !== "away" || !isOnline) expect(game).finally(() => setTimeout(settle, MOMENT));
    return () => {
      isWanted = false;
    };
  }, [live, isOnline]);
  return useStore(settled);
}

/**
 * Show the status line of a table that is loading or failed to load.
 * @param {{error: unknown}} props
 */
const Coming = ({ error }) => html`<div class="state"><${Home} /><h1 class="unseen">${t("table")}</h1>
    ${!error && html`<p>${t("loading")}</p>`}</div>
  ${error && html`<${Sorry} error=${error} />`}
  ${error instanceof Problem && html`<p class="row">${me.get() && html`<a href="/#/">${t("nav.games")}</a>`} <a
    href="/#/lobby">${t("nav.lobby")}</a></p>`}`;

/**
 * Open or close the hint. It is disabled while no step can follow the prepared ones. It keeps its place while there are no
 * hints (`isAway`).
 * @param {{isOpen: boolean, isAway: boolean, onClick: () => void}} props
 */
function HintButton({ isOpen, isAway, onClick }) {
  const isDone = useStore(isWhole) && !isOpen;
  return html`<${Tool} icon="hint" words=${t("hint")} aria-expanded=${isOpen} disabled=${isDone || isAway} style=${isAway && { visibility: "hidden" }}
    ...${isDone ? { title: t("hint.whole"), "aria-label": t("hint") } : {}} onClick=${onClick} />`;
}

/**
 * Open the chat over the table. Shows the number of unread messages.
 * @param {{game: Game}} props
 */
function Talk({ game }) {
  const count = useStore(unread);
  const isOpen = useStore(isChatOpen);
  const open = () => {
    settled.set(true); // it is one of the deferred parts
    isChatOpen.set(!isOpen);
  };
  const news = count > 0 && t("chat.unread", { count });
  return !useStore(isChatHidden) && !isAmongBots(game) && html`<${Tool} icon="chat" words=${t("chat")} aria-expanded=${isOpen} onClick=${open}
    aria-label=${[t("chat"), news].filter(Boolean).join(", ")}>
    ${news && html`<span class="count" aria-hidden="true">${count}</span>`}
  <//>`;
}

/**
 * Show what a seat has, in a panel over the table. It closes once the player taps or moves the focus outside it.
 * @param {{table: SeenTable, rules: RulesDescription, view: View, seat: number, close: () => void}} props
 */
function Owned({ table, rules, view, seat, close }) {
  const place = useRef();
  const leave = () => {
    place.current.parentElement.querySelector(`[data-score="${seat}"]`)?.focus({ preventScroll: true });
    close();
  };
  useLayoutEffect(() => { // a plain effect would still listen shortly after the panel is gone
    place.current.focus({ preventScroll: true });
    const look = (/** @type {any} */ { target }) => place.current.contains(target) || target.closest("[data-score]") || close();
    const press = (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && leave();
    document.addEventListener("keydown", press);
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, look);
    return () => {
      document.removeEventListener("keydown", press);
      for (const kind of ["pointerdown", "focusin"]) document.removeEventListener(kind, look);
    };
  }, []);
  const Drawn = OWNED[table.game.rules];
  return html`<section class="owned" data-game=${table.game.rules} tabindex="-1" ref=${place} aria-label=${seatName(table.game.seats[seat])}>
    <${Drawn} table=${table} rules=${rules} view=${view} seat=${seat} />
    <button class="plain" onClick=${leave}>${t("close")}</button>
  </section>`;
}

/**
 * Return whether other players moved during the player's absence. It resets when the player moves or calls `know`,
 * which returns the version of their last move.
 * @param {SeenTable} table
 * @returns {[missed: boolean, know: () => number]}
 */
function useMissed({ game, story, isSeen }) {
  const seat = game.you?.seat;
  const kept = seen("known", me.get()?.id);
  const looked = seen("looked", me.get()?.id); // milliseconds since the epoch
  const last = lastMove(story, seat);
  const [missed, set] = useState(() => {
    const known = kept.of(game.id);
    const moved = story.findLast((it) => it.version === last)?.at ?? story[0]?.at;
    const isBack = Date.now() - Math.max(looked.of(game.id), moved ? new Date(moved).getTime() : 0) > AWAY;
    const isNews = seat !== undefined && hasMissed(story.filter((it) => it.version > known), seat);
    return !link && isBack && isNews ? last : null;
  });
  useEffect(() => {
    if (link || seat === undefined || isSeen) return;
    const look = () => {
      looked.upTo(game.id, Date.now());
      kept.upTo(game.id, game.version);
    };
    if (!document.hidden) look();
    const leave = () => document.hidden && look();
    document.addEventListener("visibilitychange", leave);
    return () => document.removeEventListener("visibilitychange", leave);
  }, [game.version, isSeen]);
  const know = () => {
    kept.upTo(game.id, game.version);
    set(null);
    return last;
  };
  return [missed === last, know];
}

/**
 * Show the status line above a table: turn and due time or result, connection, scores and tools. Once it is scrolled
 * away, a bar at the top shows whose turn it is.
 * @param {{table: SeenTable, view: View, at: number | null, owner: number | null, lookAt: ((seat: number | null) => void) | null,
 *   top: {current: any}, requests: unknown, children?: unknown}} props
 */
function Status({ table, view, at, owner, lookAt, top, requests, children }) {
  const { game, live } = table;
  const isOnline = useStore(online);
  const line = useRef();
  const isAway = useIsAbove(line);
  const asked = game.seats.filter((it) => it.to_act);
  const mine = game.you?.turn != null;
  const due = (mine ? mySeat(game) : asked.find((it) => it.due_at))?.due_at;
  const isPlaying = game.you && !link && !mySeat(game)?.stand_in;
  const mayUndo = isPlaying && game.options.take_back !== "never";
  const { outcome } = game;
  const names = distinct(game.seats.map(seatName));
  const nameOf = (/** @type {Seat} */ it) => names[it.seat];
  const winners = game.seats.filter((it) => outcome?.places[it.seat] === 1);
  const news = isGoingOn(game) ? (isOnline ? live : "away") : "over";
  const isRunning = !outcome && game.status === "running";
  const isPhone = useMedia(PHONE);
  const turn = outcome ? verdict(game, winners, nameOf, "won.short") : !isRunning ? t(`status.${game.status}`)
    : mine ? t("your-turn") : html`<span class="lead">${t("waits-for", { names: "" })}</span>${listed(asked.map(nameOf))}`;
  const words = html`<strong class=${isRunning && mine ? "mine" : ""}>${turn}</strong>`;
  const goUp = () => {
    top.current.scrollIntoView();
    document.getElementById("main")?.focus({ preventScroll: true }); // the button disappears
  };
  return html`<div class="state" ref=${line}>
    <${Home} game=${game} />
    <h1 title=${game.title}>${game.title} <small class="faint">${untold(game)}</small></h1>
    <p class="whose">
      ${words}${isRunning && due && html` <${Left} at=${due} isShort=${isPhone} />`}
    </p>
    <span class="news ${news}" role="status">${t(`live.${news}`)}</span>
    <${Score} table=${table} scores=${scoresOf({ ...game, outcome: at === null ? outcome : null }, view)} names=${names} owner=${owner} lookAt=${lookAt}>${requests}<//>
    ${at === null && html`<${Next} game=${game} />`}
    <div class="tools">${isRunning && mayUndo && html`<div class="for-undo">${at === null && html`<${TakeBack} table=${table} isShort />`}</div>`}${children}</div>
    ${isAway && html`<div class="in-short"><p aria-hidden="true">${words}${isRunning && due && html`<span>${` · ${left(due)}`}</span>`}</p>
      <${Talk} game=${game} /><${Tool} icon="up" words=${t("table.up")} onClick=${goUp} /></div>`}
  </div>`;
}

/**
 * Return whether an element is above the visible part of the page.
 * @param {{current: any}} place
 */
function useIsAbove(place) {
  const [isAbove, set] = useState(false);
  useEffect(() => {
    const looks = new IntersectionObserver((entries) => {
      const last = entries[entries.length - 1];
      set(!last.isIntersecting && last.boundingClientRect.bottom <= 0);
    });
    looks.observe(place.current);
    return () => looks.disconnect();
  }, []);
  return isAbove;
}

/**
 * Link to the player's games where there is no room for the page header.
 * @param {{game?: Game}} props
 */
function Home({ game }) {
  const others = useStore(waiting).filter((it) => it.id !== game?.id).length;
  return html`<a class="home" href=${link ? "/#/" : "#/"} aria-label=${t("nav.games")}><img src="/static/star.svg"
    alt="" width="28" height="28" />${others > 0 && html`<span class="count" aria-hidden="true">${others}</span>`}</a>`;
}

/**
 * Show the scores at a glance. A seat's score opens what it has, if the game can show that. The children lie over them.
 * @param {{table: SeenTable, scores?: number[], names: string[], owner: number | null, lookAt: ((seat: number | null) => void) | null, children?: unknown}} props
 */
function Score({ table: { game, here, story }, scores, names: whole, owner, lookAt, children }) {
  const present = useStore(here);
  const own = me.get()?.guest && game.you?.seat; // guests don't know their names
  const names = divided(whole.map((it, seat) => (seat === own ? t("you") : it)));
  return html`<div class="scores"><div class="seats" role="group" aria-label=${t("seats")}>${scores && game.seats.map((it) => html`<button
    key=${it.seat} data-score=${it.seat} disabled=${!lookAt} aria-expanded=${lookAt && owner === it.seat}
    onClick=${() => lookAt?.(owner === it.seat ? null : it.seat)}
    class=${[it.to_act && "asked", it.stand_in ? "left" : present.includes(it.seat) && "here"].filter(Boolean).join(" ")}
    title=${it.stand_in && awayInWords(story, it)}><${SeatMark}
    seat=${it.seat} /><span class="who"><span>${names[it.seat][0]}</span><span>${names[it.seat][1]}</span></span>${
      it.stand_in && html`<span class="unseen">, ${awayInWords(story, it)},</span>`} <b>${scores[it.seat]}</b></button>`)}</div>${children}</div>`;
}

/**
 * Add the seat's number to names that several seats have.
 * @param {string[]} names
 */
const distinct = (names) => names.map((it, seat) =>
  (names.indexOf(it) === names.lastIndexOf(it) ? it : `${it} (${seat + 1})`));

/**
 * Split each name before the letters or number in which it differs from similar ones. Only the first part may be cut off.
 * @param {string[]} names
 * @returns {[cut: string, kept: string][]}
 */
const divided = (names) => names.map((name) => {
  const letters = [...name]; // an emoji is one letter
  const from = (/** @type {number} */ at) => letters.slice(at).join("");
  const beginning = (/** @type {string} */ it) => [...it].slice(0, ALIKE).join("");
  const alike = names.filter((it) => it !== name && beginning(it) === beginning(name));
  let at = alike.length ? letters.length - 1 : letters.length;
  while (at > 0 && alike.some((it) => it.endsWith(from(at)))) at -= 1;
  return [letters.slice(0, at).join(""), from(at)];
});

/**
 * Play a sound if sounds are on.
 * @param {string} kind
 */
const tone = (kind) => forGood.getItem("sternenpost.sound") === "yes"
  && import(addressOf("ui/sound.js")).then((it) => it.sound(kind), () => {});

/**
 * Announce new events to screen readers.
 * @param {{story: GameEvent[], names: string[], seat?: number, rules: RulesDescription, isMine: boolean}} props
 */
function Said({ story, names, seat, rules, isMine }) {
  const first = useRef(story.at(-1)?.seq ?? 0);
  const [words, set] = useState("");
  useEffect(() => {
    const fresh = story.filter((it) => it.seq > first.current);
    if (!fresh.length) return;
    first.current = fresh[fresh.length - 1].seq;
    tone(fresh.some((it) => it.payouts) ? "scored" : isMine ? "turn" : "moved");
    set(fresh.map((it) => sentence(it, names, rules, seat)).filter(Boolean).join(" "));
  }, [story]);
  return html`<p class="unseen" aria-live="polite">${words}</p>`;
}
