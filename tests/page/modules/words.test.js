// Texts that are still loading when a room is opened or another language is chosen.
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

test("a room opened while the page loads a language keeps its texts", async () => {
  const arrive = held(/[/]page[.]json$/);
  const speaking = speak("en");
  await learn("scoring");
  arrive();
  await speaking;
  assert.deepEqual([t("sign-out"), t("scoring.close")], ["Sign out", "Close"]);
});

test("of two chosen languages the later one is used, even if the other loads last", async () => {
  const arrive = held(/[/]fr[/]/);
  const both = [speak("fr"), speak("de")];
  setTimeout(arrive, 20);
  await Promise.all(both);
  assert.equal(t("sign-out"), "Abmelden");
});

test("a name that ends with a full stop takes the place of the one after it", async () => {
  await speak("en");
  await learn("details");
  assert.equal(t("asks.take-back", { names: "Paula W." }), "Paula W. asks to take back a move.");
  assert.equal(t("standing-in.sits", { name: "Ada", until: "1 Dec." }), "Ada is playing until 1 Dec.");
  assert.equal(t("standing-in.sits", { name: "Ada", until: "1 May" }), "Ada is playing until 1 May.");
});
