// Sentences about events, as a player and a spectator read them. `recorded.json` has recorded games.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { foreseen, SENTENCES } from "./page/sternenglanz/story.js";
import { placeInWords, placeOf, sentence, standing, tellToo } from "./page/table/story.js";
import { course } from "./page/ui/course.js";
import { LANGUAGES, learn, speak } from "./page/ui/words.js";

const NAMES = ["Ada", "Ben", "Cleo", "Dan"];
const rules = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf-8")).sternenglanz;

await speak("en");
await learn("sternenglanz");
tellToo(SENTENCES);

test("sentences about the reader's own seat say you", () => {
  const laid = { type: "star-laid", seat: 0, star: "punkt", field: "b1", slot: 1, card: null, points: 0 };
  assert.match(sentence(laid, NAMES, rules, 0), /^You placed a dot star on b1 /);
  assert.match(sentence(laid, NAMES, rules, 1), /^Ada placed /);
  assert.match(sentence(laid, NAMES, rules), /^Ada placed /);
  const nova = { type: "supernova-laid", seat: 1, field: "b1", removed: [], points: [-2, 3] };
  assert.match(sentence(nova, NAMES, rules, 0), /^Ben set off .*; you −2; Ben \+3\.$/);
  assert.equal(sentence({ type: "time-ran-out", seat: 0 }, NAMES, rules, 0), "You ran out of time.");
});

test("a stand-in and the player they replace read whose seat is played by whom", () => {
  const began = { type: "stand-in-began", seat: 0 };
  assert.equal(sentence({ ...began, by: "stand-in" }, NAMES, rules, 0), "You're now playing for Ada.");
  assert.equal(sentence(began, NAMES, rules, 0), "A stand-in is now playing for you.");
  assert.equal(sentence(began, NAMES, rules, 1), "A stand-in is now playing for Ada.");
});

test("every event is described to its player in every language without gaps", async () => {
  for (const [language] of LANGUAGES) {
    await speak(language);
    for (const { events } of Object.values(rules.stories)) {
      for (const item of events) {
        const words = sentence(item, NAMES, rules, item.seat ?? undefined);
        if (words !== null) assert.doesNotMatch(words, /[{}]|\b(undefined|null|NaN)\b|^$|\.you/);
        if (item.seat !== null && words) assert.ok(!words.startsWith(NAMES[item.seat]), words);
      }
    }
  }
  await speak("en");
});

test("a deal counts copies of a card", () => {
  const [one, other] = rules.cards.actions.filter((it) => it.count > 1).map((it) => it.id);
  const item = { type: "hand-dealt", seat: 0, cards: [`${one}#1`, `${other}#1`, `${one}#2`] };
  assert.match(sentence(item, NAMES, rules), /^Ada was dealt 2 × [^×]+ and [^×]+\.$/);
});

test("a preview says that a black hole gains no points, unless the scenario has none", () => {
  const removed = { type: "star-removed", seat: 0, star: "punkt", field: "b1", slot: 2, card: "loch-a#1", points: 0 };
  assert.equal(foreseen([removed], 0, NAMES, rules, true), "You would remove a dot star from b1 (0 points).");
  assert.equal(foreseen([{ ...removed, points: 2 }], 0, NAMES, rules, true), "You would remove a dot star from b1 (+2).");
  assert.equal(foreseen([removed], 0, NAMES, rules, false), "You would remove a dot star from b1.");
});

test("undone moves are left out of the news, and their scores are taken back", () => {
  const laid = (version, points) => ({ version, type: "star-laid", seat: 0, points });
  const story = [laid(2, 1), laid(3, 2), laid(4, 3), { version: 5, type: "move-taken-back", seat: 0, to: 2 }, laid(6, 5)];
  const seats = [{ seat: 0 }, { seat: 1 }];
  assert.deepEqual(standing(story).map((it) => it.version), [2, 5, 6]);
  assert.deepEqual(standing(story, 4).map((it) => it.version), [2, 3, 4]);
  assert.deepEqual(course(story, seats).map((it) => [it.version, it.scores[0]]), [[1, 0], [2, 1], [3, 3], [4, 6], [5, 1], [6, 6]]);
  const free = [laid(2, 1), laid(3, 0), { version: 4, type: "move-taken-back", seat: 0, to: 2 }];
  assert.deepEqual(course(free, seats).map((it) => it.version), [1, 2]);
});

test("a game that numbers its turns is counted by them, and another by its moves", () => {
  const began = (version, turn) => ({ version, type: "turn-began", seat: 0, turn });
  const story = [{ version: 1, type: "hand-dealt" }, began(3, 1), began(5, 2), began(6, 3)];
  assert.deepEqual([1, 2, 3, 4, 5, 6].map((at) => placeInWords(story, at, 6)),
    ["start · 1/2", "start · 2/2", "turn 1 of 3 · 1/2", "turn 1 of 3 · 2/2", "turn 2 of 3", "turn 3 of 3"]);
  assert.deepEqual(placeOf(story, 4, 6), { turn: 1, part: " · 2/2" });
  const undone = [...story, { version: 7, type: "move-taken-back", seat: 0, to: 5 }];
  assert.deepEqual([5, 6, 7].map((at) => placeInWords(undone, at, 7)), ["turn 2 of 2", "turn 3 of 3", "turn 2 of 2"]);
  assert.deepEqual([1, 2].map((at) => placeInWords(story.slice(0, 1), at, 2)), ["start · 1/2", "start · 2/2"]);
  assert.equal(placeInWords([{ version: 2, type: "star-placed", seat: 0 }], 2, 3), "move 2 of 3");
});
