// How a plan is made from steps of Sternenglanz.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { draft, isFree } from "./page/sternenglanz/plan.js";

const { sternenglanz: rules } = JSON.parse(readFileSync("recorded.json", "utf-8"));
const { start, lines } = rules.firmament;
const beside = lines.find((it) => it.includes(start)).find((it) => it !== start);
const view = (scenario) => ({ scenario, board: { [start]: "punkt" } });
const birth = { cmd: "act", slot: 1, do: "lay", class: "punkt", field: beside };
const hole = { cmd: "act", slot: 3, do: "remove", field: start };
const laid = { cmd: "lay", dropNova: false, slot2: "geburt#4", slot1: null };

test("a turn is planned as one move, or as several if a secret Sternbild may be completed", () => {
  const all = [birth, hole, laid].map((it) => ({ steps: [it] }));
  assert.deepEqual(draft(all, view(1), rules), [{ steps: [birth, hole, laid] }]);
  assert.deepEqual(draft(all, view(4), rules), all);
  assert.deepEqual(draft([], view(1), rules), []);
});

test("only fields that are free now become conditions", () => {
  assert.deepEqual(isFree({ steps: [birth, hole] }, view(1)), [{ at: `/board/${beside}`, is: null }]);
  assert.deepEqual(isFree({ steps: [{ ...birth, field: start }] }, view(1)), []);
});
