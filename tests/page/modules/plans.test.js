// How a turn and a plan are made from steps of Sternenglanz.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { choices, farther } from "./page/sternenglanz/building.js";
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

test("a tap on a space that a star reaches in several lines takes the shortest path", () => {
  const move = (slot, ...path) => ({ steps: [{ cmd: "act", slot, do: "move", path }] });
  const all = choices([move(2, "a", "b", "c", "d"), move(2, "a", "c", "d"), move(2, "a", "b"), move(2, "x", "y", "z"), move(3, "a", "b", "e")]);
  const taps = (...fields) => [{ kind: "slot", value: 2 }, ...fields.map((value) => ({ kind: "field", value }))];
  assert.deepEqual([...farther(all, taps("a"))], [["d", taps("a", "c", "d")]]);
  assert.deepEqual([...farther(all, taps("a", "b"))], [["d", taps("a", "b", "c", "d")]]);
  assert.equal(farther(all, taps()).size, 0);
});
