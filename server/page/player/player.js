// A player's page: profile, track record, and the games visible to the user.
import { html, useEffect, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Avatar } from "../ui/avatar.js";
import { hours } from "../ui/durations.js";
import { region } from "../ui/times.js";
import { numbered, personName, SeatName, untold } from "../ui/game-words.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { cameFrom, toGame } from "../ui/routes.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { entitled, waiting } from "../ui/waiting-for-me.js";
import { knows, locale, t } from "../ui/words.js";
import { Block, Invite, Report } from "./other.js";
/** @import { PlayerGame, TrackRecord } from "../ui/types" */
/** @typedef {{items: PlayerGame[], next: string | null}} Games */

const AT_ONCE = 10; // games per page
const NOW = ["running", "paused", "open"];

/** @param {{id: string, game: string | null}} props */
export function Player({ id, game }) {
  const reader = useStore(me);
  const games = useStore(waiting);
  const path = `/v1/players/${id}`;
  const [record, error] = useLoaded(() => /** @type {Promise<TrackRecord>} */ (call("GET", path)), [id]);
  const isOwn = reader?.id === id;
  useEffect(() => {
    if (record) document.title = entitled(personName(record), games);
  }, [record, games]);
  if (error) return html`<${Sorry} error=${error} />`;
  if (!record) return html`<p>${t("loading")}</p>`;
  const [to, words] = wayBack(game, !!reader);
  return html`<div class="player">
    ${words && html`<p><a href=${to}>← ${t(words)}</a></p>`}
    <header><${Avatar} id=${id} program=${record.program} size=${96} />
      <div><h1>${personName(record)}</h1>
        <p>${t(record.new && record.finished > 0 ? "person.new" : "person.since", { since: day(record.since), count: record.finished })}</p>
        ${record.program && html`<p>${t("person.program")}</p>`}
        ${isOwn && html`<p>${t("person.self")} <a href="#/settings/profile">${t("settings")}</a></p>`}</div>
    </header>
    ${reader && !reader.guest && !isOwn && html`<${Invite} id=${id} name=${personName(record)} />`}
    <${Record} record=${record} />
    ${reader && !isOwn && html`<${Games} words="player.together" path=${`${path}/games?together=true`} of=${id} reader=${reader.id} />`}
    ${reader && html`<${Now} path=${path} of=${id} without=${isOwn ? null : reader.id} />`}
    <${Games} words="player.finished" path=${`${path}/games?status=finished`} of=${id} none="player.none" />
    ${reader && !isOwn && html`<section class="card"><${Block} id=${id} name=${record.name} />
      <${Report} id=${id} name=${record.name} game=${game} /></section>`}
  </div>`;
}

/**
 * Return the address and the words of the link to the screen from which the page was opened, or to the game of the link.
 * @param {string | null} game
 * @param {boolean} isKnown whether the reader has a list of games
 */
function wayBack(game, isKnown) {
  const otherwise = game ? toGame(game) : isKnown ? "#/" : "";
  const known = [cameFrom(), otherwise].map((from) => {
    const [, screen = "", id] = from.split("?")[0].split("/");
    /** @type {Record<string, string | false>} */
    const words = { games: id ? "player.back" : "nav.games", "": isKnown && "nav.games", lobby: "nav.lobby", settings: "settings" };
    return [from, from && words[screen]];
  });
  return known.find(([, words]) => words) ?? [otherwise, ""];
}

/** @param {{record: TrackRecord}} props */
function Record({ record }) {
  const hasFinished = record.finished > 0;
  const isRated = hasFinished || record.left > 0;
  return html`<div class="card record"><dl>${[
    ["games", record.games],
    ["finished", hasFinished && record.finished],
    ["won", hasFinished && record.won],
    ["reliability", isRated && share(record.reliability)],
    ["answer", record.median_answer && roughly(record.median_answer)],
    ["time-outs", (hasFinished || record.time_outs > 0) && record.time_outs],
    ["left", isRated && record.left],
  ].map(([what, said]) => said !== false && said !== null && html`<div key=${what}><dt>${t(`person.${what}`)}</dt>
    <dd>${said}</dd></div>`)}</dl>
    ${isRated && html`<p><small>${t("person.reliability.about")}</small></p>`}</div>`;
}

const share = (/** @type {number} */ percentage) =>
  new Intl.NumberFormat(locale(), { style: "percent" }).format(percentage / 100);

/**
 * Format a day without the time, which would reveal when the player is active.
 * @param {string} moment
 */
const day = (moment) =>
  new Intl.DateTimeFormat(region(), { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
    .format(new Date(moment));

/**
 * Format a duration in a single unit, rounded up.
 * @param {string} duration
 */
function roughly(duration) {
  const time = hours(duration);
  /** @type {[number, string]} */
  const [number, unit] = time > 48 ? [time / 24, "day"] : time > 1 ? [time, "hour"] : [60 * time, "minute"];
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" }).format(Math.ceil(number));
}

/**
 * List current and upcoming games, except those of the player `without`, which are listed elsewhere.
 * @param {{path: string, of: string, without: string | null}} props
 */
function Now({ path, of, without }) {
  const load = () => Promise.all(NOW.map((it) => call("GET", `${path}/games?status=${it}&limit=${AT_ONCE}`)));
  const [pages, error] = useLoaded(load, [path]);
  const games = /** @type {PlayerGame[]} */ (pages?.flatMap((it) => it.items) ?? [])
    .filter((game) => !without || !game.seats.some((it) => it.player === without));
  if (error) return html`<${Sorry} error=${error} />`;
  return games.length > 0 && html`<section><h2>${t("player.now")}</h2>
    <ul class="played">${games.map((it) => html`<${Row} key=${it.id} game=${it} of=${of} />`)}</ul></section>`;
}

/**
 * List games page by page. An empty list shows `none`, or nothing. With a `reader`, say how often each of the two was ahead.
 * @param {{words: string, path: string, of: string, none?: string, reader?: string}} props
 */
function Games({ words, path, of, none, reader }) {
  const [more, setMore] = useState(/** @type {Games | null} */ (null));
  const [first, error] = useLoaded(() => /** @type {Promise<Games>} */ (call("GET", `${path}&limit=${AT_ONCE}`)), [path]);
  const page = more ?? first;
  const [busy, refused, load] = useSubmit(async () => {
    const found = await call("GET", page?.next ?? "");
    setMore({ items: [...(page?.items ?? []), ...found.items], next: found.next });
  });
  if (error) return html`<${Sorry} error=${error} />`;
  if (!page || (!page.items.length && !none)) return null;
  return html`<section><h2>${t(words)}</h2>
    ${reader && !page.next && html`<p>${duel(page.items, reader, of)}</p>`}
    ${page.items.length > 0 ? html`<ul class="played">${page.items.map((it) => html`<${Row} key=${it.id} game=${it}
      of=${of} />`)}</ul>` : html`<p>${t(none ?? "")}</p>`}
    ${page.next && html`<p class="more"><button class="plain" disabled=${busy} onClick=${load}>${t("games.more")}</button></p>`}
    ${refused && html`<${Sorry} error=${refused} />`}</section>`;
}

/**
 * Say how often the reader was ahead of the other player in their finished games, and how often the other way round.
 * @param {PlayerGame[]} games
 * @param {string} reader
 * @param {string} other
 */
function duel(games, reader, other) {
  const lead = games.filter((it) => it.outcome).map(({ seats, outcome }) => {
    const [mine, its] = [reader, other].map((id) => outcome?.places[seats.findIndex(({ player }) => player === id)] ?? 0);
    return Math.sign(its - mine);
  });
  const count = (/** @type {number} */ sign) => lead.filter((it) => it === sign).length;
  const name = games[0]?.seats.find(({ player }) => player === other)?.name;
  return lead.length > 0 && name && t("player.duel", { count: lead.length, won: count(1), lost: count(-1), name });
}

/**
 * Show a game with its seats, ordered by place once it is finished.
 * @param {{game: PlayerGame, of: string}} props
 */
function Row({ game: plain, of }) {
  const game = /** @type {PlayerGame} */ (numbered(/** @type {any} */ (plain)));
  const { places } = game.outcome ?? {};
  const place = (/** @type {{seat: number}} */ it) => places?.[it.seat] ?? 0;
  const seats = [...game.seats].sort((one, other) => place(one) - place(other));
  const status = knows(`player.${game.status}`) ? `player.${game.status}` : `status.${game.status}`;
  return html`<li class="card">
    <h3><a href=${toGame(game.id)}>${game.title}</a></h3>
    <p class="faint">${[untold(game), game.private && t("private"), game.ended_on ? day(game.ended_on) : t(status)]
      .filter(Boolean).join(" · ")}</p>
    <ol>${seats.map((it) => html`<li key=${it.seat} class=${it.player === of ? "own" : ""}>${places && html`<span
        aria-hidden="true">${place(it)}.</span><span class="unseen">${t("place", { place: place(it) })}</span> `}
      <${SeatName} game=${game.id} seat=${it} /></li>`)}</ol>
  </li>`;
}
