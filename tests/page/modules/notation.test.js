// Moves as mails write them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stepOf, written } from "./page/sternenglanz/plan.js";

test("a step of Sternenglanz is read and written alike", () => {
  const lines = [
    "choose geburt#3 loch-a#1", "1 lay punkt b1", "2 move a1 b2 c3", "3 remove c1", "1 nova d4", "2 lapse", "finish",
    "lay geburt#4 -", "lay - wanderung-2#1", "drop lay geburt#4 loch-c#2",
  ];
  for (const line of lines) assert.equal(written({ steps: [stepOf(line)] }), line);
  assert.deepEqual(stepOf(" 1  Lay punkt B1 "), { cmd: "act", slot: 1, do: "lay", class: "punkt", field: "b1" });
});

test("what is no step is none", () => {
  for (const line of ["", "4 lay punkt b1", "1 lay punkt", "lay", "2 move a1", "1 remove", "finish it"]) {
    assert.equal(stepOf(line), null);
  }
});
