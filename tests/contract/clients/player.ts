// Take a seat in each of two open games and play them to the end, with openapi-fetch and types from openapi-typescript.
// Prints each game's scores as JSON: by outcome, by story and by the last view.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

type Game = components["schemas"]["Game"];

const GAMES = 2;
const PAUSE = 50; // milliseconds

const [baseUrl = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

async function seated(): Promise<string[]> {
  const found = new Set<string>();
  while (found.size < GAMES) {
    const { data, error } = await client.GET("/v1/games", { params: { query: { status: "open" } } });
    if (!data) throw new Error(error?.detail);
    for (const { id } of data.items) {
      const taken = await client.POST("/v1/games/{game_id}/seats", { params: { path: { game_id: id } }, body: {} });
      if (taken.data) found.add(taken.data.id);
      else if (taken.error.code !== "already-seated") throw new Error(taken.error.detail);
    }
    await pause();
  }
  return [...found];
}

// Make a move if the game waits for one.
async function play(game_id: string): Promise<boolean> {
  const params = { path: { game_id } };
  const { data: legal, error } = await client.GET("/v1/games/{game_id}/legal-moves", { params });
  if (!legal) throw new Error(error?.detail);
  const move = legal.moves[Math.floor(legal.moves.length / 2)];
  if (legal.turn === null || !move) return false;
  const played = await client.POST("/v1/games/{game_id}/moves", { params, body: { turn: legal.turn, move } });
  if (played.error) throw new Error(`${played.error.code}: ${played.error.detail}`);
  return true;
}

async function seen(game_id: string): Promise<Game> {
  const { data, error } = await client.GET("/v1/games/{game_id}", { params: { path: { game_id } } });
  if (!data) throw new Error(error?.detail);
  return data;
}

async function report(game: Game) {
  const { data: story } = await client.GET("/v1/games/{game_id}/events", { params: { path: { game_id: game.id } } });
  const ends = story?.items.flatMap((event) => (event.type === "game-ended" ? [event.scores] : []));
  const view = game.rules === "sternenhimmel" ? game.view?.coins : game.view?.points;
  return { outcome: game.outcome?.scores, story: ends?.[0], view };
}

const games = await seated();
let running = true;
while (running) {
  const played = [];
  for (const game of games) played.push(await play(game));
  if (!played.includes(true)) await pause();
  running = (await Promise.all(games.map(seen))).some((game) => game.status !== "finished");
}
const reports: Record<string, unknown> = {};
for (const game of await Promise.all(games.map(seen))) reports[game.rules] = await report(game);
console.log(JSON.stringify(reports));
