// The end of recorded games of Sternenglanz, told like a story: `recorded.json` has them, and the rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { tale } from "./page/sternenglanz/tale/tale.js";
import { learn, speak } from "./page/ui/words.js";

const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve"];
const { cards, stories } = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf-8")).sternenglanz;

before(async () => {
  await speak("en");
  await Promise.all(["sternenglanz", "tale"].map(learn));
});

for (const [scenario, { events, outcome }] of Object.entries(stories)) {
  test(`the tale of scenario ${scenario} names its winners, and no more points than anybody had`, () => {
    const names = NAMES.slice(0, outcome.scores.length);
    const told = tale(events, names, cards);
    const winners = names.filter((_, seat) => outcome.places[seat] === 1);
    assert.ok(told.length <= 12, told.join(" "));
    assert.match(told.at(-1), new RegExp(`${winners[0]}.* won`));
    for (const sentence of told) assert.doesNotMatch(sentence, /\{|undefined|NaN/);
    const completed = events.filter((it) => it.type === "sternbild-completed").length;
    assert.equal(told.filter((it) => it.includes("completed") && it.startsWith("In turn")).length, completed);
    const points = [...told.join(" ").matchAll(/took the lead with (\d+) point/g)].map((it) => Number(it[1]));
    assert.deepEqual(points, [...points].sort((one, other) => one - other));
  });
}
