// Moves of others are shown one after another.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { PAUSE, pauses } from "./page/table/motion.js";

const seats = [{ kind: "human" }, { kind: "bot" }, { kind: "bot" }, { kind: "human" }];
const of = (...moves) => moves.map((seat) => ({ seat }));
let now = 0;
performance.now = () => now;

beforeEach(() => { now += 1_000_000; });

test("moves that arrive together are shown one after another, and a bot's move after a pause", () => {
  assert.deepEqual(pauses(of(1, 2), seats), [PAUSE, 2 * PAUSE]);
  now += 1_000_000;
  assert.deepEqual(pauses(of(3, 2), seats), [0, PAUSE]);
});

test("moves that arrive while others wait to be shown follow these", () => {
  assert.deepEqual(pauses(of(1, 2), seats), [PAUSE, 2 * PAUSE]);
  now += 100;
  assert.deepEqual(pauses(of(3), seats), [3 * PAUSE - 100]);
  now += 5 * PAUSE;
  assert.deepEqual(pauses(of(3), seats), [0]);
});

test("nothing to show delays nothing", () => {
  assert.deepEqual(pauses([], seats), []);
  assert.deepEqual(pauses(of(3), seats), [0]);
});
