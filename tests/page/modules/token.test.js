// Which token a page uses when an invitation link opens it.
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

test("whoever is nobody yet is the invited player for good", async () => {
  assert.deepEqual(await opened({}, {}), ["invited", "invited", undefined]);
});

test("whoever is signed in for good stays so in other windows", async () => {
  assert.deepEqual(await opened({ [KEY]: "other" }, {}), ["invited", "other", "invited"]);
});

test("whoever was signed in for a while is the invited player from here on", async () => {
  assert.deepEqual(await opened({}, { [KEY]: "other" }), ["invited", "invited", undefined]);
});
