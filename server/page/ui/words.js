// The words of the page, in four languages: words/ has a catalogue for each of them and each room of the page.
import { forGood } from "./local-storage.js";
import { store } from "./store.js";
/** @import { Locale } from "./types" */
/** @typedef {Record<string, any>} Catalogue strings, `{one, other}`, or the text of rules */

/** @type {Record<string, string>} */
const NAMES = { de: "Deutsch", en: "English", fr: "Français", it: "Italiano" };
const KEY = "sternenpost.locale";
const FOREIGN = /\{(\w+)\}/g;

export const LANGUAGES = Object.entries(NAMES);

const spoken = store(/** @type {Locale | null} */ (null)); // the language whose catalogues are here
const rooms = new Set(["page"]); // whose words are here
/** @type {Catalogue} */
let catalogue = {};
/** @type {Intl.PluralRules} */
let plurals;

export const locale = () => spoken.get() ?? wished();
export { spoken };

/** @returns {Locale} */
function wished() {
  const kept = forGood.getItem(KEY);
  const asked = navigator.languages.map((it) => it.slice(0, 2).toLowerCase());
  return /** @type {Locale} */ ([kept, ...asked].find((it) => it && it in NAMES) ?? "en");
}

/**
 * From here on the page speaks this language; by default what the reader wishes. Throws if the network is away.
 * @param {Locale} wanted
 */
export async function speak(wanted = wished()) {
  if (wanted === spoken.get()) return;
  catalogue = Object.assign({}, ...(await Promise.all([...rooms].map((room) => words(room, wanted)))));
  plurals = new Intl.PluralRules(wanted);
  document.documentElement.lang = wanted;
  forGood.setItem(KEY, wanted);
  spoken.set(wanted);
}

/**
 * From here on the words of this room are here, too. Throws if the network is away.
 * @param {string} room
 * @returns {Promise<void>}
 */
export async function learn(room) {
  if (rooms.has(room)) return;
  const language = spoken.get();
  const found = await words(room, language ?? locale());
  if (language !== spoken.get()) return learn(room); // it was changed meanwhile
  Object.assign(catalogue, found);
  rooms.add(room);
}

/**
 * @param {string} room
 * @param {string} language
 * @returns {Promise<Catalogue>}
 */
async function words(room, language) {
  const answer = await fetch(`/page/words/${language}/${room}.json`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

/**
 * The words of this key; of what another release of the server invented, such as `status.frozen`, its own name. `count`
 * chooses between the forms `one` and `other`.
 * @param {string} key
 * @param {Record<string, any>} values
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = catalogue[key];
  const words = typeof found === "object" ? found[plurals.select(values.count) === "one" ? "one" : "other"] : found;
  /** @type {string} */
  const said = words ?? key.slice(key.indexOf(".") + 1);
  return said.replace(FOREIGN, (whole, name) => values[name] ?? whole);
}

/**
 * A text of several parts, as its catalogue has it.
 * @param {string} key
 */
export const text = (key) => catalogue[key];

/**
 * Whether there are words for what another release of the server may have invented.
 * @param {string} key
 */
export const knows = (key) => key in catalogue;

/**
 * `Ada, Ben and Cleo`.
 * @param {string[]} items
 */
export const listed = (items) => new Intl.ListFormat(locale(), { type: "conjunction" }).format(items);
