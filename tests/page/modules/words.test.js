// Catalogues that are still loading when a room is entered or the language changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learn, speak, t } from "./page/ui/words.js";

const { fetch } = globalThis;

/**
 * Hold back responses from these addresses.
 * @param {RegExp} addresses
 * @returns {() => void} lets it arrive
 */
function held(addresses) {
  let arrive;
  const arrived = new Promise((done) => (arrive = done));
  globalThis.fetch = async (address) => {
    if (addresses.test(address)) await arrived;
    return fetch(address);
  };
  return arrive;
}

test("a room entered while the page learns a language keeps its words", async () => {
  const arrive = held(/[/]page[.]json$/);
  const speaking = speak("en");
  await learn("scoring");
  arrive();
  await speaking;
  assert.deepEqual([t("sign-out"), t("scoring.close")], ["Sign out", "Close"]);
});

test("of two languages that were wished for the later one is spoken, whichever comes first", async () => {
  const arrive = held(/[/]fr[/]/);
  const both = [speak("fr"), speak("de")];
  setTimeout(arrive, 20);
  await Promise.all(both);
  assert.equal(t("sign-out"), "Abmelden");
});
