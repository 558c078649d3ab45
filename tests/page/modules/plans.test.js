// Turns of Sternenglanz as they are planned: what may follow, and what a plan has of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { begin, draft, foreseen, isFree, offers } from "./page/sternenglanz/plan.js";

const { sternenglanz: rules } = JSON.parse(readFileSync("recorded.json", "utf-8"));
const { start, lines } = rules.firmament;
const near = (field) => lines.filter((it) => it.includes(field)).map(([one, other]) => (one === field ? other : one));
const [beside] = near(start);
const view = (more = {}) => ({ scenario: 1, board: { [start]: "punkt" }, hand: ["geburt#4", "loch-b#1", "supernova#1"],
  slots: [[null, null, null], [null, "wanderung-2#1", "loch-a#1"]], ...more });
const now = (more, planned = []) => begin(view(more), 1, rules, planned);
const steps = (planned) => offers(planned).map((it) => it.steps[0]);
const birth = { cmd: "act", slot: 1, do: "lay", class: "punkt", field: beside };
const hole = { cmd: "act", slot: 3, do: "remove", field: start };
const laid = { cmd: "lay", dropNova: false, slot2: "geburt#4", slot1: null };
const moves = (...all) => all.map((it) => ({ steps: [it] }));

test("each slot offers what its card can do, and only free fields are taken", () => {
  const all = steps(now());
  assert.deepEqual(new Set(all.map((it) => `${it.slot} ${it.do}`)), new Set(["1 lay", "2 move", "3 remove"]));
  assert.ok(all.every((it) => it.do !== "lay" || it.field !== start));
  for (const { path } of all.filter((it) => it.do === "move")) {
    assert.equal(path.length, 3);
    assert.notEqual(path[0], path[2]);
    assert.ok(path.every((it, i) => !i || near(it).includes(path[i - 1])));
  }
});

test("after two slots come the cards, unless they are 1 and 2", () => {
  assert.equal(foreseen(now(), moves(birth)).moves[0].steps[0].slot, 2);
  const after12 = foreseen(now(), moves(birth, { cmd: "act", slot: 2, do: "lapse" })).moves.map((it) => it.steps[0]);
  assert.ok(after12.some((it) => it.cmd === "finish") && after12.some((it) => it.slot === 3));
  const then = foreseen(now(), moves(birth, hole));
  assert.ok(then.moves.every((it) => it.steps[0].cmd === "lay"));
  assert.deepEqual(then.foresight.view.board, { [beside]: "punkt" });
});

test("what a plan lays already is no more in hand, and the slots have shifted", () => {
  const next = now({}, moves(birth, hole, laid));
  assert.deepEqual(next.slots, [null, "geburt#4", "wanderung-2#1"]);
  assert.deepEqual(next.hand, ["loch-b#1", "supernova#1"]);
  assert.deepEqual(next.done, []);
  assert.equal(next.would.length, 0);
});

test("a card on slot 1 moves to slot 2, and a Supernova card stays or is dropped", () => {
  const full = { slots: [[null, null, null], ["geburt#9", "wanderung-2#1", "loch-a#1"]] };
  const then = foreseen(now(full), moves(birth, hole)).moves.map((it) => it.steps[0]);
  assert.ok(then.every((it) => it.slot2 === null));
  assert.ok(then.some((it) => it.slot1 === "supernova#1") && then.some((it) => it.slot1 === null));
  const nova = { slots: [[null, null, null], ["supernova#2", "wanderung-2#1", "loch-a#1"]] };
  const other = { cmd: "act", slot: 2, do: "move", path: [start, beside, near(beside).find((it) => it !== start)] };
  const cards = foreseen(now(nova), moves(other, { ...hole, field: other.path[2] })).moves.map((it) => it.steps[0]);
  assert.ok(cards.some((it) => it.dropNova) && cards.some((it) => !it.dropNova));
  assert.ok(cards.every((it) => it.slot2 && (it.dropNova || it.slot1 === null)));
});

test("a turn is one move, but several if a secret Sternbild may be completed", () => {
  const all = moves(birth, hole, laid);
  assert.deepEqual(draft(all, now()), [{ steps: [birth, hole, laid] }]);
  assert.deepEqual(draft(all, now({ scenario: 4 })), all);
  assert.deepEqual(draft([], now()), []);
});

test("a field that is taken now is no condition", () => {
  assert.deepEqual(isFree({ steps: [birth, hole] }, view()), [{ at: `/board/${beside}`, is: null }]);
  assert.deepEqual(isFree({ steps: [{ ...birth, field: start }] }, view()), []);
});
