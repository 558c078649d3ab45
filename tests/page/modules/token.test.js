// Whose token a page uses after an invitation opened it.
import assert from "node:assert/strict";
import { test } from "node:test";

const KEY = "sternenpost.token";

/**
 * Open a page by an invitation, and return its token and the stored ones.
 * @param {Record<string, string>} forGood
 * @param {Record<string, string>} forNow
 */
async function opened(forGood, forNow) {
  const storage = (kept) => ({
    getItem: (key) => kept[key] ?? null,
    setItem: (key, value) => void (kept[key] = value),
    removeItem: (key) => void delete kept[key],
  });
  Object.assign(globalThis, { document: { querySelector: () => ({ content: "invited" }), documentElement: {} } });
  for (const [name, kept] of [["localStorage", forGood], ["sessionStorage", forNow]]) {
    Object.defineProperty(globalThis, name, { value: storage(kept), configurable: true });
  }
  const { token } = await import(`./page/ui/token.js?${Math.random()}`);
  return [token(), forGood[KEY], forNow[KEY]];
}

test("a visitor becomes the invited player permanently", async () => {
  assert.deepEqual(await opened({}, {}), ["invited", "invited", undefined]);
});

test("a signed-in player becomes the invited player only in this window", async () => {
  assert.deepEqual(await opened({ [KEY]: "other" }, {}), ["invited", "other", "invited"]);
});

test("a temporarily signed-in player becomes the invited player permanently", async () => {
  assert.deepEqual(await opened({}, { [KEY]: "other" }), ["invited", "invited", undefined]);
});
