// Stubs for the browser globals that the page's modules read when loaded. The catalogues are the real ones.
import { readFile } from "node:fs/promises";

const GAMES = JSON.stringify({
  sternenhimmel: { seats: [3, 5], room: true, score: "coins", held: "in-hand" },
  sternenglanz: { seats: [2, 4], room: true, score: "points", held: "cards-in-hand", early: ["hand-dealt"] },
});
const value = { languages: ["en-GB"], onLine: true };
Object.defineProperty(globalThis, "navigator", { value, configurable: true });
Object.assign(globalThis, {
  window: globalThis,
  location: new URL("http://localhost/#/"),
  document: { querySelector: (selector) => (selector === "meta[name=games]" ? { content: GAMES } : null), documentElement: {} },
  addEventListener() {},
  fetch: async (address) => {
    const { pathname } = new URL(address, "http://localhost/");
    return new Response(await readFile(new URL(`.${pathname}`, import.meta.url)));
  },
});
