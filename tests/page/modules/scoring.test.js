// The steps of scorings in recorded games of Sternenhimmel. `recorded.json` has the games and the rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { placeOf, stepsOf, told } from "./page/sternenhimmel/scoring/steps.js";
import { boardOf, isVoid, SENTENCES } from "./page/sternenhimmel/story.js";
import { LANGUAGES, learn, speak } from "./page/ui/words.js";

const ORDER = ["reveal", "vanish", "swallow", "double", "worth", "totals", "pay", "void"];
const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve"];
const { rules, scorings } = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf-8"));
const all = scorings.map((item) => {
  const board = boardOf(item.board, rules);
  return { item, board, steps: stepsOf(item, board, rules) };
});

before(async () => {
  await speak("en");
  await Promise.all(["sternenhimmel", "scoring"].map(learn));
});

test("the recorded scorings contain every step except one", () => {
  assert.deepEqual(new Set(all.flatMap(({ steps }) => steps.map((it) => it.kind))), new Set(ORDER.slice(0, -1)));
});

test("if no player has a star left, the scoring says so and pays nothing", () => {
  const [{ item, board }] = all;
  const gone = { remaining: [], values: {}, totals: item.totals.map(() => null), ranking: [], transfers: [] };
  const steps = stepsOf({ ...item, ...gone }, board, rules);
  assert.deepEqual([steps.at(-1).kind, steps.some((it) => it.kind === "pay")], ["void", false]);
});

test("steps are in order and end with the payout or with nothing left", () => {
  for (const { item, steps } of all) {
    const places = steps.map((it) => ORDER.indexOf(it.kind));
    assert.deepEqual(places, places.toSorted((one, other) => one - other));
    assert.equal(steps[0].kind, "reveal");
    assert.equal(steps.at(-1).kind, isVoid(item) ? "void" : "pay");
  }
});

test("a step shows only stars that belong together", () => {
  for (const { item, board, steps } of all) {
    const joined = (one, other) => board.lines.some((ends) => ends.includes(one) && ends.includes(other));
    const star = (space) => item.placements.find((it) => it.space === space).star;
    const having = (kind) => steps.find((it) => it.kind === kind);
    for (const [one, other] of having("vanish")?.arcs ?? []) assert.deepEqual([star(one), star(other)], ["B", "B"]);
    for (const { space, hole } of having("swallow")?.pulls ?? []) assert.ok(joined(space, hole) && star(hole) === "B");
    for (const { space, times, by } of having("double")?.doubled ?? []) {
      assert.ok(by.length > 0 && by.every((it) => joined(space, it) && star(it) === "D"));
      assert.ok(times === 2 * by.length || times === 2 ** by.length);
    }
  }
});

test("every step is described in every language without gaps", async () => {
  for (const [language] of LANGUAGES) {
    await speak(language);
    for (const { item, steps } of all) {
      const sentences = steps.flatMap((step) => told(step, item, NAMES));
      assert.ok(sentences.length >= steps.filter((it) => it.kind !== "pay").length);
      for (const words of [...sentences, SENTENCES["board-scored"](item, NAMES, rules)]) {
        assert.doesNotMatch(words, /[{}]|\b(undefined|null|NaN)\b|^$/);
      }
    }
  }
});

test("places follow the ranking, and players without a remaining star have none", () => {
  assert.deepEqual([0, 1, 2, 3].map((seat) => placeOf(seat, [[2], [0, 3]])), [2, undefined, 1, 2]);
  for (const { item } of all) {
    item.totals.forEach((total, seat) => assert.equal(total === null, placeOf(seat, item.ranking) === undefined));
  }
});
