// Times and durations, as the reader writes them.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { clockInWords, hours, length, timeoutsInWords } from "./page/ui/durations.js";
import { left, relative } from "./page/ui/times.js";
import { speak } from "./page/ui/words.js";

before(() => speak("en"));

test("a duration is converted to hours", () => {
  assert.deepEqual(["PT1H", "PT90M", "P1DT12H", "P2W", "PT36S"].map(hours), [1, 1.5, 36, 336, 0.01]);
  assert.ok(["", "1 day", "P1Y"].map(hours).every(Number.isNaN));
});

test("a duration is written in words in the reader's language", async () => {
  assert.equal(length("P1DT12H"), "1 day 12 hours");
  await speak("de");
  assert.equal(length("P7D"), "7 Tage");
  await speak("en");
});

test("moments in the near past or future are shown as this minute", () => {
  const away = (seconds) => relative(new Date(Date.now() + seconds * 1000));
  assert.deepEqual([-5, 5, -125, 172_900].map(away), ["this minute", "this minute", "2 minutes ago", "in 2 days"]);
});

test("the time left is rounded down and has two units below two days", () => {
  const at = (minutes) => left(new Date(Date.now() + minutes * 60_000 + 500));
  assert.deepEqual([37 * 60, 2 * 1440 - 4, 3 * 1440 - 60, 1440, 119, 60, 0].map(at), ["1 day 13 hours left", "2 days left",
    "2 days left", "1 day left", "1 hour 59 minutes left", "1 hour left", "1 minute left"]);
  assert.equal(left(new Date(Date.now() + 47 * 3_600_000 + 500), "short"), "1 day 23 hr left");
  assert.equal(left(new Date(Date.now() - 1000)), "time is up");
});

test("every clock and every time-out step is described in words", () => {
  for (const clock of [{ per_move: "P2D" }, { bank: "P3D", increment: "PT12H", cap: "P5D" }]) {
    assert.match(clockInWords(clock), /^[^{}]+$/);
  }
  const rungs = [
    { do: "extend", by: "P1D", times: 1 },
    { do: "bot-move", bot: "greedy", times: 2 },
    { do: "bot-takes-over", bot: "greedy" },
    { do: "abandon" },
  ];
  assert.match(timeoutsInWords(rungs), /^1 day more.*2 turns.*then the game is abandoned$/);
  assert.doesNotMatch(timeoutsInWords(rungs), /[{}]|undefined/);
});
