// Forms: the request that they send, and where its errors are shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFree, isHidden, iso, ladderOf, ownSeat, wantedOf } from "./page/new-game/draft.js";
import { Problem } from "./page/ui/api.js";
import { byPlace, wrongAt } from "./page/ui/field-errors.js";

const draft = {
  rules: "sternenhimmel", options: {}, title: " ", isPrivate: false, salt: "", clock: "own-time", openFor: "P14D",
  own: { per_move: { number: "90", unit: "M" } }, ladder: "own", last: { do: "abandon" },
  rungs: [{ do: "extend", by: { number: "1", unit: "D" }, times: "1" }, { do: "bot-move", bot: "greedy", times: "2" }],
  seats: [{ kind: "me" }, { kind: "open" }, { kind: "invite", email: " ben@example.org ", greeting: " " }, { kind: "greedy" }],
};

test("a filled-in form becomes the body of the request for a new game", () => {
  const wanted = wantedOf(draft);
  assert.deepEqual(wanted.seats, [{ player: "me" }, { open: true }, { email: "ben@example.org" }, { bot: "greedy" }]);
  const greeted = wantedOf({ ...draft, seats: [{ kind: "invite", email: "a@b.org", greeting: "Hello!" }] });
  assert.deepEqual(greeted.seats, [{ email: "a@b.org", greeting: "Hello!" }]);
  assert.deepEqual(wanted.clock, { per_move: "PT90M" });
  assert.deepEqual(wanted.on_timeout, [
    { do: "extend", by: "P1D", times: 1 }, { do: "bot-move", bot: "greedy", times: 2 }, { do: "abandon" },
  ]);
  assert.ok(!("title" in wanted));
  assert.equal(wanted.programs, true);
  assert.equal(wantedOf({ ...draft, options: { nameless: true } }).programs, false);
  assert.equal(wantedOf({ ...draft, options: { nameless: true }, programs: true }).programs, true);
  assert.deepEqual(draft.seats.map(isFree), [false, true, true, false]);
});

test("a game among invited players is private unless the host says otherwise", () => {
  const seats = [{ kind: "me" }, { kind: "invite" }, { kind: "level-2" }];
  assert.equal(wantedOf({ ...draft, isPrivate: null, seats }).private, true);
  assert.equal(isHidden({ isPrivate: false, seats }), false);
  assert.equal(isHidden({ seats: [...seats, { kind: "open" }] }), false);
  assert.equal(isHidden({ seats: [{ kind: "me" }, { kind: "level-2" }] }), false);
});

test("a host with a salt takes a seat after opening the game", () => {
  const salted = { ...draft, salt: "a word" };
  assert.deepEqual(wantedOf(salted).seats[0], { open: true });
  assert.deepEqual([ownSeat(draft), ownSeat(salted)], [-1, 0]);
});

test("days, hours and minutes are sent as ISO 8601", () => {
  assert.deepEqual(["D", "H", "M"].map((unit) => iso({ number: "2", unit })), ["P2D", "PT2H", "PT2M"]);
  assert.deepEqual(ladderOf({ ladder: "strict" }), [{ do: "bot-takes-over", bot: "greedy" }]);
});

test("an error is shown beside its field, however deeply nested", () => {
  const refused = (body) => byPlace(new Problem(422, { title: "No", ...body }));
  assert.deepEqual(refused({ detail: "Not so", field: "title" }), { title: "Not so" });
  assert.deepEqual(refused({ detail: "Too many", code: "bad-option", reason: "bad-seats" }), { seats: "Too many" });
  const wrongs = refused({ errors: { json: { title: ["Too", "long."], seats: { 1: { email: ["No address."] } } } } });
  assert.deepEqual(wrongs, { title: "Too long.", "seats.1.email": "No address." });
  assert.equal(wrongAt(wrongs, "seats.1"), "No address.");
  assert.equal(wrongAt(wrongs, "seats.10"), "");
  assert.deepEqual(byPlace(new TypeError()), {});
});
