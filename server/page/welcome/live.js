// A game to look on at: one that people play just now, else one of bots that the server plays for whoever looks.
import { html, useEffect, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { toGame } from "../ui/routes.js";
import { listed, t } from "../ui/words.js";
import { seatName, title } from "../ui/game-card.js";
import { useLoaded } from "../ui/parts.js";
/** @import { GameSummary } from "../ui/types" */
/** @typedef {{names: string[], position: number, positions: number, step: number}} Exhibition */

const AGAIN = 20_000; // milliseconds until a game of people is looked at again
const LOOKED_THROUGH = 12;
const A_DAY = 86_400_000; // milliseconds, of which each shows another of the games

/** @param {{games: string[]}} props */
export function Live({ games }) {
  const [round, again] = useState(0);
  const [found] = useLoaded(() => watchable(games), [round]);
  const [stopped, stop] = useState(false);
  const [steps, step] = useState(0);
  useEffect(() => step(0), [found]);
  useEffect(() => {
    if (!found || stopped) return;
    const timer = found.shown ? setInterval(() => step((n) => n + 1), 1000 * found.shown.step)
      : setInterval(() => again((n) => n + 1), AGAIN);
    return () => clearInterval(timer);
  }, [found, stopped]);
  const at = found?.shown ? found.shown.position + steps : 0;
  useEffect(() => void (found?.shown && at > found.shown.positions + 2 && again((n) => n + 1)), [at]);
  if (!found) return html`<figure class="live-table"><img src=${still(ofToday(games))} alt="" width="720" height="758" />
    <figcaption></figcaption></figure>`;
  const { game, shown, name } = found;
  const players = listed(shown?.names ?? /** @type {GameSummary} */ (game).seats.map(seatName));
  const words = t(shown ? "welcome.bots-play" : "welcome.people-play", { names: players, game: title(name) });
  const address = shown ? `/v1/rules/${name}/exhibition.svg?at=${Math.min(at, shown.positions - 1)}`
    : `/v1/games/${game?.id}/picture.svg?at=${game?.version}`;
  return html`<figure class="live-table">
    <img src=${address} alt=${words} width="720" height="758" />
    <figcaption><span>${words}</span>
      ${game && html`<a href=${toGame(game.id)}>${t("welcome.watch")}</a>`}
      <button class="plain" aria-pressed=${String(stopped)} onClick=${() => stop(!stopped)}>${t("welcome.stop")}</button>
    </figcaption>
  </figure>`;
}

/** @param {string[]} games */
const ofToday = (games) => games[Math.floor(Date.now() / A_DAY) % games.length];

/**
 * A picture of a game of bots in its middle, always the same.
 * @param {string} name
 */
export const still = (name) => `/v1/rules/${name}/exhibition.svg?at=40`;

/**
 * @param {string[]} games
 * @returns {Promise<{name: string, game?: GameSummary, shown?: Exhibition}>}
 */
async function watchable(games) {
  const { items } = await call("GET", `/v1/games?status=running&limit=${LOOKED_THROUGH}`);
  const game = items.find((/** @type {GameSummary} */ it) => it.seats.some(({ kind }) => kind === "human"));
  if (game) return { name: game.rules, game };
  const name = ofToday(games);
  return { name, shown: await call("GET", `/v1/rules/${name}/exhibition`) };
}
