// What the service worker of a release caches while the previous release still responds beside it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const told = { release: "new", files: ["main.1.js"], words: {}, rules: ["/v1/rules/sternenhimmel"] };
const of = (/** @type {string} */ release) => (/** @type {string} */ path) => new Response(path, { headers: path === "/"
  ? { "Sternenpost-Release": release } : { "Cache-Control": path.startsWith("/page/") ? "max-age=1, immutable" : "no-cache" } });

/**
 * Install the worker with `answer` as the server, and return what it caches.
 * @param {(path: string) => Response} answer
 */
async function installed(answer) {
  const kept = new Map();
  /** @type {Record<string, (event: any) => void>} */
  const hears = {};
  const worker = { told, addEventListener: (name, hear) => (hears[name] = hear) };
  const caches = { open: async () => ({ put: async (path, it) => kept.set(path, it) }) };
  const code = await readFile(new URL("./page/service-worker.js", import.meta.url), "utf-8");
  new Function("self", "caches", "fetch", "navigator", code)(worker, caches, async (path) => answer(path), { language: "en" });
  let done;
  hears.install({ waitUntil: (it) => (done = it) });
  await done;
  return [...kept.keys()].sort();
}

test("a release caches the page that names its own modules", async () => {
  assert.deepEqual(await installed(of("new")), [
    "/", "/manifest.webmanifest", "/page/main.1.js", "/static/star.svg", "/v1/rules/sternenhimmel",
  ]);
});

test("a release that gets a page or module of another release is not installed", async () => {
  await assert.rejects(installed(of("old")), /\/ is of another release/);
  const aged = (path) => (path.startsWith("/page/") ? new Response(path, { headers: { "Cache-Control": "no-cache" } }) : of("new")(path));
  await assert.rejects(installed(aged), /main.1.js is of another release/);
});
