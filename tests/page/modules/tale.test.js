// The tales of recorded games of Sternenglanz. `recorded.json` has the games and the rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { tale } from "./page/sternenglanz/tale/tale.js";
import { latestFirst, roundInWords } from "./page/sternenglanz/story.js";
import { learn, speak } from "./page/ui/words.js";

const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve"];
const { cards, stories } = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf-8")).sternenglanz;

before(async () => {
  await speak("en");
  await Promise.all(["sternenglanz", "tale"].map(learn));
});

for (const [scenario, { events, outcome }] of Object.entries(stories)) {
  test(`the tale of scenario ${scenario} names its winners and a rising lead`, () => {
    const names = NAMES.slice(0, outcome.scores.length);
    const told = tale(events, names, cards);
    const winners = names.filter((_, seat) => outcome.places[seat] === 1);
    assert.ok(told.length <= 12, told.join(" "));
    assert.match(told.at(-1), new RegExp(`${winners[0]}.* won`));
    const own = outcome.places.indexOf(1);
    const toWinner = tale(events, names, cards, own);
    assert.match(toWinner.at(-1), winners.length > 1 ? /won/ : /You won\.$/);
    assert.ok(winners.length > 1 || !toWinner.join(" ").includes(names[own]), toWinner.join(" "));
    for (const sentence of told) assert.doesNotMatch(sentence, /\{|undefined|NaN/);
    const completed = events.filter((it) => it.type === "sternbild-completed").length;
    assert.equal(told.filter((it) => it.includes("completed") && it.startsWith("In turn")).length, completed);
    const points = [...told.join(" ").matchAll(/took the lead with (\d+) point/g)].map((it) => Number(it[1]));
    assert.deepEqual(points, [...points].sort((one, other) => one - other));
  });
}

test("news begin with the latest player, and tell each turn in order", () => {
  const items = [1, 1, 2, 2].map((seat, nth) => ({ seat, nth }));
  assert.deepEqual(latestFirst(items).map((it) => it.nth), [2, 3, 0, 1]);
});

test("the summary of a round names all players with points, highest first, and the reader as you", () => {
  const laid = (seat, points) => ({ type: "star-laid", seat, points });
  const turns = [0, 1, 2].flatMap((seat) => [{ type: "turn-began", seat, turn: seat + 1 }, laid(seat, seat + 1)]);
  const story = [...turns, { type: "turn-began", seat: 0, turn: 4 }, laid(0, 9),
    { type: "turn-began", seat: 1, turn: 5 }, { type: "supernova-laid", seat: 1, points: [-2, 3, 0] }];
  const told = (seat, isMine) => roundInWords(story, { seat, names: NAMES.slice(0, 3), isMine, cards });
  assert.equal(told(1, true), "Last round: Ada +9, Cleo +3, you +2.");
  assert.equal(told(0, false), "This round: you +7, Ben +3.");
  assert.equal(told(2, false), "This round: Ada +7, Ben +3, you +3.");
  assert.equal(roundInWords(turns.slice(0, 1), { seat: 0, names: NAMES, isMine: true, cards }), null);
  const [bild] = cards.sternbilder;
  const done = [...turns, { type: "sternbild-completed", seat: 2, sternbild: bild.id, points: 0, fields: [] }];
  assert.match(roundInWords(done, { seat: 2, names: NAMES, isMine: false, cards }), /^This round: you \+3 \(“.+”\)\.$/);
});
