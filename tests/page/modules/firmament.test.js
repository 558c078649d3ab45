// Where the Firmament of Sternenglanz writes a bonus. `recorded.json` has its fields.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { outwards } from "./page/sternenglanz/firmament.js";

const { firmament } = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf-8")).sternenglanz;

test("each field has a place for its bonus, also the one at the centre", () => {
  for (const { id, x, y } of firmament.fields) {
    const place = outwards(100 * x - 50, 100 * y - 50, 6.6);
    assert.ok(Math.hypot(place.x, place.y - 1.05) > 6 && Math.hypot(place.x, place.y - 1.05) < 8, `${id}: ${place.x} ${place.y}`);
  }
});
