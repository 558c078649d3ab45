// The lobby: games with free seats, and games to watch.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call, cached } from "../ui/api.js";
import { editionOf } from "../ui/games.js";
import { clockInWords, hours } from "../ui/durations.js";
import { relative } from "../ui/times.js";
import { go, here, toGame, toSignIn, whereNow } from "../ui/routes.js";
import { useMedia } from "../ui/size.js";
import { useStore } from "../ui/store.js";
import { botName, t } from "../ui/words.js";
import { GameCard, Terms, termsOf } from "../ui/game-card.js";
import { editionName, seatName, title } from "../ui/game-words.js";
import { Sorry, useFresh, useLoaded, useSubmit } from "../ui/parts.js";
import { me } from "../ui/token.js";

const WIDE = "(min-width: 40rem)"; // on a phone, filters and terms would fill a screen
const LONG = 24; // hours per turn from which a game takes weeks
const AT_ONCE = 24; // games per page
const STATUSES = ["open", "running", "finished"];
const RELIABLE = ["80", "90", "95"]; // percentage of games played to the end
const PACES = { quick: [0, 12], usual: [12, 48], slow: [48, Infinity] }; // hours per turn: exclusive minimum, maximum

export function Lobby() {
  const player = useStore(me);
  const { query } = useStore(here);
  const wanted = read(query);
  const [found, error, again] = useFresh(() => load(wanted), [String(query), player?.id]);
  return html`
    <h1>${t("lobby")}</h1>
    <nav class="kinds" aria-label=${t("lobby.kinds")}>${STATUSES.map((status) => html`<a
      href=${address({ ...wanted, status, free: true, offered: false, pages: 1 })}
      aria-current=${status === wanted.status ? "true" : null}>${t(`lobby.kind.${status}`)}</a>`)}</nav>
    <${Filters} wanted=${wanted} />
    ${error && html`<${Sorry} error=${error} />`}
    ${found?.status === wanted.status
      ? html`<${Found} found=${found} wanted=${wanted} player=${player} again=${again} />`
      : !error && html`<p>${t("loading")}</p>`}`;
}

function Found({ found, wanted, player, again }) {
  const games = found.items.filter((game) => fits(game, wanted));
  const more = found.next && address({ ...wanted, pages: wanted.pages + 1 });
  const usual = wanted.status === "finished" ? [] : usualTerms(games);
  const [[, time], ...others] = usual.length ? usual : [[]];
  const isWide = useMedia(WIDE);
  const isNarrowed = games.length < found.items.length || (found.next && isPicky(wanted));
  return html`
    <h2 class="unseen">${t(`lobby.kind.${wanted.status}`)}</h2>
    <p role="status">${saidOf(games, found, wanted)}
      ${isNarrowed && html` ${t(found.next ? "lobby.of-some" : "lobby.of-all", {
        fits: games.length, count: found.items.length })}`}
      ${player && wanted.status === "open" && games.length === 0 && html` <a class="button" href="#/open">${t("nav.open")}</a>`}
      ${isFiltered(wanted) && html` <a href=${address({ status: wanted.status })}>${t("lobby.all")}</a>`}</p>
    <ul class="cards">${games.map((game) => html`<${GameCard} key=${game.id} game=${game}
      usual=${game.status !== "finished" && usual}>
      <p class="faint">${t("lobby.made", { when: relative(game.made_at) })}${game.closes_at && html`<br
        />${t("lobby.closes", { when: relative(game.closes_at) })}`}</p>
      ${wanted.offered && html`<${TakeOver} game=${game} player=${player} again=${again} />`}
      ${game.status === "open" && html`<${Join} game=${game} player=${player} again=${again} />`}
    <//>`)}</ul>
    ${usual.length > 0 && html`<details class="usual" open=${isWide}>
      <summary><h3>${t("lobby.usual", { time })}</h3> <span>${t("lobby.usual.more")}</span></summary>
      <p class="faint">${t("lobby.usual.about")}</p>
      <dl class="terms"><${Terms} terms=${others} /></dl></details>`}
    ${more && html`<p class="more"><button class="plain"
      onClick=${() => location.replace(more)}>${t("games.more")}</button></p>`}`;
}

/** Return the most common value of each term, so that it is shown once above the list. */
function usualTerms(games) {
  const [first, ...others] = games.map(termsOf);
  return (first ?? []).map(([name], i) => {
    const counts = new Map();
    for (const it of [first, ...others]) counts.set(it[i][1], (counts.get(it[i][1]) ?? 0) + 1);
    return [name, [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0]];
  });
}

const saidOf = (games, found, wanted) => {
  if (games.length) return t(`lobby.why.${wanted.status}`);
  return t(isFiltered(wanted) || found.next ? "lobby.none-fits" : `lobby.none.${wanted.status}`);
};

/** Show the filters. They are stored in the address, so that the browser's Back button restores them. */
function Filters({ wanted }) {
  const isWide = useMedia(WIDE);
  const [wasFiltered] = useState(isFiltered(wanted));
  const [known] = useLoaded(() => cached("/v1/rules"), []);
  const rules = known?.items ?? []; // reserve space before the choices are loaded
  const variants = Object.keys(rules.find((it) => it.name === wanted.rules)?.editions ?? {});
  const numbers = [...new Set(rules.flatMap((it) => it.seats))].sort();
  const choose = (field) => (event) => {
    const value = event.target.type === "checkbox" ? event.target.checked : event.target.value;
    const before = read(whereNow().query); // not `wanted`, since the user may choose again before the next render
    const variant = field === "rules" ? "" : before.variant; // variants belong to one game
    go(address({ ...before, variant, pages: 1, [field]: value }));
  };
  const select = (field, values, words) => html`<label>${t(`lobby.by.${field}`)}
    <select name=${field} value=${wanted[field]} onChange=${choose(field)}>
      <option value="">${t(`lobby.any.${field}`)}</option>
      ${values.map((it) => html`<option value=${it}>${words(it)}</option>`)}
    </select></label>`;
  const form = html`<form class="filters" onSubmit=${(event) => event.preventDefault()} aria-label=${t("lobby.filters")}>
    ${select("rules", rules.map((it) => it.name), title)}
    ${wanted.rules && select("variant", variants, editionName)}
    ${select("players", numbers, String)}
    ${select("pace", Object.keys(PACES), (it) => t(`lobby.pace.${it}`))}
    ${wanted.status === "open" && select("reliability", RELIABLE, (it) => t("lobby.reliable", { share: it }))}
    ${wanted.status === "open" && html`<label class="check"><input type="checkbox" name="free" checked=${wanted.free}
      onChange=${choose("free")} /> ${t("lobby.by.free")}</label>`}
    ${wanted.status === "running" && html`<label class="check"><input type="checkbox" name="offered"
      checked=${wanted.offered} onChange=${choose("offered")} /> ${t("lobby.by.offered")}</label>`}
  </form>`;
  return isWide ? form : html`<details class="filtered" open=${wasFiltered}><summary>${t("lobby.filters")}</summary>${form}</details>`;
}

function Join({ game, player, again }) {
  const [busy, error, join] = useSubmit(async () => {
    try {
      await call("POST", `/v1/games/${game.id}/seats`, {});
    } catch (error) {
      again(); // another player may have taken the seat
      throw error;
    }
    go(toGame(game.id));
  });
  const [isAsking, ask] = useState(false);
  const button = useRef();
  useEffect(() => void (isAsking && button.current.focus()), [isAsking]);
  if (game.you) return html`<p>${t("lobby.seated")}</p>`;
  const free = game.seats.filter((it) => it.kind === "open").length;
  const take = hours(game.clock.per_move ?? game.clock.increment) < LONG || isAsking ? join : () => ask(true);
  const label = t("lobby.join-game", { title: game.title });
  if (isAsking) return html`<p role="status">${t("lobby.sure", { time: clockInWords(game.clock) })}</p>
    <p class="row"><button ref=${button} disabled=${busy} onClick=${take} aria-label=${label}>${t("lobby.join")}</button>
      <button type="button" class="plain" onClick=${() => ask(false)}>${t("cancel")}</button></p>
    ${error && html`<${Sorry} error=${error} />`}`;
  return html`<p class="row">
    <span>${t("lobby.free", { count: free })}</span>
    ${free > 0 && (player && !player.guest
      ? html`<button disabled=${busy} onClick=${take} aria-label=${label}>${t("lobby.join")}</button>`
      : html`<a href=${toSignIn(toGame(game.id))}>${t("lobby.sign-in")}</a>`)}
  </p>
  ${error && html`<${Sorry} error=${error} />`}`;
}

/** Offer a seat that a bot is holding. */
function TakeOver({ game, player, again }) {
  const seat = game.seats.find((it) => it.stand_in);
  const [busy, error, take] = useSubmit(async () => {
    try {
      await call("POST", `/v1/games/${game.id}/seats`, { seat: seat.seat, take_over: true });
    } catch (error) {
      again(); // another player may have taken it, or its player is back
      throw error;
    }
    go(toGame(game.id));
  });
  if (game.you || !seat) return html`<p>${t("lobby.seated")}</p>`;
  return html`<p class="row">
    <span>${t("lobby.offered", { name: seatName(seat), bot: botName(seat.stand_in) })}</span>
    ${player && !player.guest
      ? html`<button disabled=${busy} onClick=${take}
        aria-label=${t("lobby.take-over-in", { title: game.title })}>${t("lobby.take-over")}</button>`
      : html`<a href=${toSignIn()}>${t("lobby.sign-in")}</a>`}
  </p>
  ${error && html`<${Sorry} error=${error} />`}`;
}

// Filters: in the address, in the request, and applied in the browser

const read = (query) => ({
  status: STATUSES.find((it) => it === query.get("status")) ?? "open",
  rules: query.get("rules") ?? "",
  variant: query.get("variant") ?? "",
  players: query.get("players") ?? "",
  pace: Object.keys(PACES).find((it) => it === query.get("pace")) ?? "",
  reliability: RELIABLE.find((it) => it === query.get("reliability")) ?? "",
  free: query.get("free") !== "false", // tables without a free seat are nothing to join
  offered: query.get("status") === "running" && query.get("offered") === "true",
  pages: Math.max(1, Number.parseInt(query.get("pages"), 10) || 1),
});

function address(wanted) {
  const said = Object.entries(wanted).filter(([field, it]) => (field === "free" ? it === false : it)
    && !(field === "status" && it === "open") && it !== 1);
  return `#/lobby${said.length ? `?${new URLSearchParams(said)}` : ""}`;
}

async function load({ status, rules, variant, players, pace, reliability, free, offered, pages }) {
  const params = new URLSearchParams({ status, limit: String(AT_ONCE) });
  if (rules) params.set("rules", rules);
  if (offered) params.set("offered", "true");
  const picked = { players, pace, reliability, edition: variant, free: free && "true" };
  for (const [name, it] of Object.entries(picked)) if (status === "open" && it) params.set(name, it);
  const items = [];
  let next = `/v1/games?${params}`;
  for (let i = 0; i < pages && next; i++) {
    const page = await call("GET", next);
    items.push(...page.items);
    next = page.next;
  }
  return { status, items, next };
}

const isFiltered = (it) => !!(it.rules || it.players || it.variant || it.pace || it.reliability || it.offered);

/** Return whether a filter must be applied in the browser: the server filters only open games. */
const isPicky = (it) => it.status !== "open" && !!(it.variant || it.pace || it.players);

function fits(game, { variant, players, pace }) {
  if (variant && editionOf(game.rules, game.options) !== variant) return false;
  if (players && game.seats.length !== Number(players)) return false;
  const [least, most] = PACES[pace] ?? [0, Infinity];
  const allowed = hours(game.clock.per_move ?? game.clock.increment);
  return allowed > least && allowed <= most;
}
