// The player's games. Those waiting for a move come first, most urgent at the top.
import { html, useEffect, useState } from "../ui/html.js";
import { all, call } from "../ui/api.js";
import { ROOMS } from "../ui/games.js";
import { follow } from "../ui/stream.js";
import { go, toGame } from "../ui/routes.js";
import { Opponents, playNow } from "../ui/opponents.js";
import { clockInWords } from "../ui/durations.js";
import { listed, t } from "../ui/words.js";
import { byDue, mySeat, waiting } from "../ui/waiting-for-me.js";
import { Back } from "../table/actions.js";
import { GameCard } from "../ui/game-card.js";
import { numbered, seatName, title, untold } from "../ui/game-words.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
/** @import { GameSummary } from "../ui/types" */
/** @typedef {{items: GameSummary[], next: string | null}} Page */
/** @typedef {Record<"waiting" | "invited" | "kept" | "running" | "open", GameSummary[]>} Groups */

const SOON = 400; // milliseconds to debounce stream events
const AT_ONCE = 12; // finished games per page

export function MyGames() {
  const player = useStore(me);
  const [declined, decline] = useState(""); // the title of the game
  const [found, error, again] = useLoaded(load, [player?.id, player?.locale]); // some sentences are the server's
  useEffect(() => {
    /** @type {number | undefined} */
    let timer;
    const stream = follow("/v1/stream", () => {
      clearTimeout(timer);
      timer = setTimeout(again, SOON);
    });
    return () => {
      clearTimeout(timer);
      stream.stop();
    };
  }, []);
  if (!found) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  const { games, over } = found;
  const groups = grouped(games);
  const hasPlayed = Object.values(over).some((it) => it.items.length > 0);
  return html`
    <h1>${t("games")}</h1>
    ${error && html`<${Sorry} error=${error} />`}
    ${player?.guest && html`<p class="card welcoming"><span>${t("games.guest")}</span> <a class="button"
      href="#/sign-in">${t("games.guest.sign-in")}</a></p>`}
    <p role="status">${declined && t("games.declined", { title: declined })}</p>
    ${!groups.waiting.length && !groups.invited.length && (hasPlayed || games.length > 0) && html`<p>${t("games.later")}</p>`}
    ${games.length === 0 && !hasPlayed && html`<p>${t("games.none")}</p>`}
    ${Object.entries(groups).map(([name, found]) => found.length > 0 && html`
      <${Group} key=${name} name=${name} number=${found.length}>${found.map((game) => (name === "invited"
        ? html`<${Invitation} key=${game.id} game=${game} again=${again} declined=${() => decline(game.title)} />`
        : html`<${GameCard} key=${game.id} game=${game}>${name === "kept" && html`<${Back} game=${game}
          again=${again} />`}<//>`))}<//>`)}
    <p class="row">${ROOMS.map((rules) => html`<${Quick} key=${rules} rules=${rules} />`)}</p>
    <${Opponents} />
    ${games.length === 0 && html`<p><a href="#/lobby">${t("nav.lobby")}</a> · <a href="#/open">${t("nav.open")}</a></p>`}
    ${Object.entries(over).map(([status, first]) => html`<${Over} key=${`${status} ${first.items[0]?.id}`}
      status=${status} first=${first} />`)}`;
}

/**
 * Show an invitation with its buttons. The first tap on Decline says what follows.
 * @param {{game: GameSummary, again: () => void, declined: () => void}} props
 */
function Invitation({ game, again, declined }) {
  const [isSure, setSure] = useState(false);
  const path = `/v1/games/${game.id}`;
  const [busy, error, accept] = useSubmit(async () => {
    await call("POST", `${path}/seats`, {}).finally(again);
    go(toGame(game.id));
  });
  const [isLeaving, wrong, decline] = useSubmit(async () => {
    await call("DELETE", `${path}/invitations/${game.invited}`).finally(again);
    declined();
  });
  return html`<li class="card game"><div class="about-it"><h3><a href=${toGame(game.id)}>${game.title}</a></h3>
      <p class="faint">${[untold(game), clockInWords(game.clock), listed(people(game))].filter(Boolean).join(" · ")}</p></div>
    ${isSure ? html`<p>${t("games.decline.sure")}</p><p class="row">
      <button key="no" disabled=${isLeaving} onClick=${decline}>${t("games.decline")}</button>
      <button key="back" class="plain" onClick=${() => setSure(false)}>${t("cancel")}</button></p>` : html`<p class="row">
      <button key="yes" disabled=${busy} onClick=${accept} aria-label=${t("games.accept-game", { title: game.title })}>${t(
        "games.accept")}</button>
      <button key="sure" class="plain" onClick=${() => setSure(true)}
        aria-label=${t("games.decline-game", { title: game.title })}>${t("games.decline")}</button></p>`}
    ${(error || wrong) && html`<${Sorry} error=${error ?? wrong} />`}</li>`;
}

/**
 * Return the names at the seats already taken.
 * @param {GameSummary} game
 */
const people = (game) => numbered(game).seats.filter((it) => it.kind === "human" || it.kind === "bot").map(seatName);

/**
 * Start a game against bots in one tap.
 * @param {{rules: string}} props
 */
function Quick({ rules }) {
  const [busy, error, play] = useSubmit(async () => go(await playNow(rules)));
  return html`<button disabled=${busy} onClick=${play}>${t("games.play", { game: title(rules) })}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/** @param {{name: string, number: number | string, children?: any}} props */
const Group = ({ name, number, children }) => html`<section class="games ${name}">
  <h2>${t(`games.${name}`)} <small>${number}</small></h2><ul class="cards">${children}</ul></section>`;

/**
 * Load all open and running games, and the first page of finished ones.
 * @returns {Promise<{games: GameSummary[], over: Record<string, Page>}>}
 */
async function load() {
  const [finished, abandoned, ...others] = await Promise.all([
    ...["finished", "abandoned"].map((it) => call("GET", `/v1/games?mine=true&limit=${AT_ONCE}&status=${it}`)),
    ...["running", "paused", "open"].map((it) => all(`/v1/games?mine=true&limit=100&status=${it}`)),
  ]);
  const games = others.flat();
  waiting.set(grouped(games).waiting);
  return { games, over: { finished, abandoned } };
}

/**
 * Group games by what they need from the player.
 * @param {GameSummary[]} games
 */
function grouped(games) {
  /** @type {Groups} */
  const groups = { waiting: [], invited: [], kept: [], running: [], open: [] };
  for (const game of games) {
    if (!game.you) groups.invited.push(game);
    else if (game.status === "open") groups.open.push(game);
    else if (mySeat(game)?.stand_in) groups.kept.push(game);
    else groups[game.you?.turn != null ? "waiting" : "running"].push(game);
  }
  groups.waiting.sort(byDue);
  return groups;
}

/**
 * List ended games of one status, latest first. `first` is the first page.
 * @param {{status: string, first: Page}} props
 */
function Over({ status, first }) {
  const [page, set] = useState(first);
  const [busy, error, more] = useSubmit(async () => {
    const found = await call("GET", page.next ?? "");
    set({ items: [...page.items, ...found.items], next: found.next });
  });
  if (!page.items.length) return null;
  return html`<${Group} name=${status} number=${`${page.items.length}${page.next ? "+" : ""}`}>
      ${page.items.map((game) => html`<${GameCard} key=${game.id} game=${game} />`)}<//>
    ${page.next && html`<p class="more"><button class="plain" disabled=${busy}
      onClick=${more}>${t("games.more")}</button></p>`}
    ${error && html`<${Sorry} error=${error} />`}`;
}
