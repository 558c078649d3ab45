// The games in which one sits: those that wait for one first, the most urgent at the top.
import { html, useEffect } from "../html.js";
import { all, call } from "../api.js";
import { follow } from "../stream.js";
import { me } from "../session.js";
import { t } from "../words.js";
import { GameCard, mySeat } from "./game-card.js";
import { Sorry, useLoaded } from "./parts.js";

const SOON = 400; // milliseconds in which several events are one reason to look again

export function MyGames() {
  const [games, error, again] = useLoaded(load, [me.get()?.id]);
  useEffect(() => {
    let timer = null;
    const stream = follow("/v1/stream", () => {
      clearTimeout(timer);
      timer = setTimeout(again, SOON);
    });
    return () => {
      clearTimeout(timer);
      stream.stop();
    };
  }, []);
  if (!games) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  const groups = grouped(games);
  return html`
    <h1>${t("games")}</h1>
    ${error && html`<${Sorry} error=${error} />`}
    ${games.length === 0 && html`<p>${t("games.none")} <a href="#/lobby">${t("nav.lobby")}</a> · <a
      href="#/open">${t("nav.open")}</a></p>`}
    ${Object.entries(groups).map(([name, found]) => found.length > 0 && html`
      <section class="games ${name}" key=${name}>
        <h2>${t(`games.${name}`)} <small>${found.length}</small></h2>
        <ul class="cards">${found.map((game) => html`<${GameCard} key=${game.id} game=${game} />`)}</ul>
      </section>`)}`;
}

/** All that go on or will, and of those that are over the latest. */
async function load() {
  const found = await Promise.all([
    ...["running", "paused", "open"].map((it) => all(`/v1/games?mine=true&limit=100&status=${it}`)),
    ...["finished", "abandoned"].map((it) => latest(`/v1/games?mine=true&limit=12&status=${it}`)),
  ]);
  return found.flat();
}

const latest = async (path) => (await call("GET", path)).items;

/** By what they ask of the reader. */
function grouped(games) {
  const groups = { waiting: [], running: [], open: [], over: [] };
  for (const game of games) {
    const own = mySeat(game);
    if (game.status === "running") groups[own?.to_act && !own.stand_in ? "waiting" : "running"].push(game);
    else if (game.status === "open") groups.open.push(game);
    else groups[game.status === "paused" ? "running" : "over"].push(game);
  }
  groups.waiting.sort((one, other) => (mySeat(one).due_at ?? "9").localeCompare(mySeat(other).due_at ?? "9"));
  return groups;
}
