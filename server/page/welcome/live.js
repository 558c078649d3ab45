// A game to watch: one that people are playing right now, or else an exhibition game between bots.
import { html, useEffect, useState } from "../ui/html.js";
import { cached, call } from "../ui/api.js";
import { later } from "../ui/lazy-loading.js";
import { now } from "../ui/connection.js";
import { toGame } from "../ui/routes.js";
import { listed, t } from "../ui/words.js";
import { numbered, seatName, title } from "../ui/game-words.js";
import { useLoaded } from "../ui/parts.js";
/** @import { Game, GameSummary } from "../ui/types" */
/** @typedef {{names: string[], position: number, positions: number, step: number, view: any}} Exhibition */
/** @typedef {{name: string, rules: any, view: any, names: string[], game?: Game, shown?: Exhibition}} Found */

const AGAIN = 20_000; // milliseconds between polls of a game between people
const LOOKED_THROUGH = 12;
const ENOUGH = 10; // moves before a game is worth watching
const RECENT = 600_000; // maximum milliseconds since the last move
const MOST = 3; // games whose last move is fetched
const A_DAY = 86_400_000; // milliseconds; the featured game changes daily

/** @type {Record<string, any>} */
const SKIES = {};
const skyOf = (/** @type {string} */ name) => (SKIES[name] ??= later(name, "Sky"));

/** @param {{games: string[]}} props */
export function Live({ games }) {
  const [round, again] = useState(0);
  const [found] = useLoaded(() => watchable(games), [round]);
  const [stopped, stop] = useState(false);
  useEffect(() => {
    if (!found || stopped) return;
    const timer = setTimeout(() => again((n) => n + 1), found.shown ? 1000 * found.shown.step : AGAIN);
    return () => clearTimeout(timer);
  }, [found, stopped]);
  if (!found) return html`<figure class="live-table"><div class="frame-of"><img src=${still(ofToday(games))} alt="" /></div><figcaption></figcaption></figure>`;
  const { game, names, name, rules, view } = found;
  const words = t(game ? "welcome.people-play" : "welcome.bots-play", { names: listed(names), game: title(name) });
  return html`<figure class="live-table">
    <div class="frame-of" data-game=${name} role="img" aria-label=${words} inert><${skyOf(name)} key=${name} rules=${rules} view=${view} /></div>
    <figcaption><span>${words}</span>
      ${game && html`<a href=${toGame(game.id)}>${t("welcome.watch")}</a>`}
      <button class="plain" aria-pressed=${String(stopped)} onClick=${() => stop(!stopped)}>${t("welcome.stop")}</button>
    </figcaption>
  </figure>`;
}

/** @param {string[]} games */
const ofToday = (games) => games[Math.floor(Date.now() / A_DAY) % games.length];

/**
 * Return the address of a picture of today's exhibition game when it had most to see.
 * @param {string} name
 */
export const still = (name) => `/v1/rules/${name}/exhibition.svg?fullest=true`;

/**
 * @param {string[]} games
 * @returns {Promise<Found>}
 */
async function watchable(games) {
  const game = await playedJustNow(games);
  const name = game?.rules ?? ofToday(games);
  const rules = await cached(`/v1/rules/${name}`);
  if (game) return { name, rules, game, view: game.view, names: game.seats.map(seatName) };
  /** @type {Exhibition} */
  const shown = await call("GET", `/v1/rules/${name}/exhibition`);
  return { name, rules, shown, view: shown.view, names: shown.names };
}

/**
 * Return a game between people with enough moves, the last of them recent. No one at its table was invited by email.
 * @param {string[]} games
 * @returns {Promise<Game | undefined>}
 */
async function playedJustNow(games) {
  const { items } = await call("GET", `/v1/games?status=running&uninvited=true&limit=${LOOKED_THROUGH}`);
  const isLively = (/** @type {GameSummary} */ it) =>
    games.includes(it.rules) && it.version > ENOUGH && it.seats.filter(({ kind }) => kind === "human").length > 1;
  for (const { id, version } of items.filter(isLively).slice(0, MOST)) {
    const last = await call("GET", `/v1/games/${id}/events?since_version=${version - 1}`);
    if (last.items.some((/** @type {{at: string}} */ it) => now() - new Date(it.at).getTime() < RECENT)) {
      return numbered(await call("GET", `/v1/games/${id}`));
    }
  }
}
