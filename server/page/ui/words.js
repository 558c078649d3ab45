// The words of the page, in four languages: words/ has a catalogue for each of them and each room of the page.
import { forGood } from "./local-storage.js";
import { addressOf } from "./files.js";
import { store } from "./store.js";
/** @import { Locale } from "./types" */
/** @typedef {Record<string, any>} Catalogue strings, `{one, other}`, or the text of rules */

/** @type {Record<string, string>} */
const NAMES = { de: "Deutsch", en: "English", fr: "Français", it: "Italiano" };
const KEY = "sternenpost.locale";
const FOREIGN = /\{(\w+)\}/g;

export const LANGUAGES = Object.entries(NAMES);

export const spoken = store(/** @type {Locale | null} */ (null)); // the language whose catalogues are here
const rooms = new Set(["page"]); // whose words are here
/** @type {Catalogue} */
let catalogue = {};
/** @type {Intl.PluralRules} */
let plurals;
/** @type {Intl.ListFormat} */
let lists;

export const locale = () => spoken.get() ?? wished();

/** @returns {Locale} */
function wished() {
  const kept = forGood.getItem(KEY);
  const asked = navigator.languages.map((it) => it.slice(0, 2).toLowerCase());
  return /** @type {Locale} */ ([kept, ...asked].find((it) => it && it in NAMES) ?? "en");
}

let before = /** @type {Promise<unknown>} */ (Promise.resolve()); // a change of the language

/**
 * From here on the page speaks this language, whatever was wished for before; by default what the reader wishes. Throws if
 * the network is away.
 * @param {Locale} wanted
 */
export function speak(wanted = wished()) {
  words("page", wanted).catch(() => {}); // they come at once; whoever waits for them hears
  const change = before.then(() => changeTo(wanted));
  before = change.catch(() => {});
  return change;
}

/** @param {Locale} wanted */
async function changeTo(wanted) {
  if (wanted === spoken.get()) return;
  const inWords = new Intl.PluralRules(wanted); // they take long to be made: meanwhile the words are on their way
  const inLists = new Intl.ListFormat(wanted, { type: "conjunction" });
  let found, known;
  do {
    known = rooms.size;
    found = await Promise.all([...rooms].map((room) => words(room, wanted)));
  } while (known < rooms.size); // one was entered meanwhile
  catalogue = Object.assign({}, ...found);
  plurals = inWords;
  lists = inLists;
  document.documentElement.lang = wanted;
  forGood.setItem(KEY, wanted);
  spoken.set(wanted);
}

/** @type {Map<string, Promise<void>>} */
const coming = new Map();

/**
 * From here on the words of this room are here, too. Throws if the network is away.
 * @param {string} room
 */
export function learn(room) {
  const learnt = coming.get(room) ?? fetched(room);
  coming.set(room, learnt);
  learnt.catch(() => coming.delete(room));
  return learnt;
}

/**
 * @param {string} room
 * @returns {Promise<void>}
 */
async function fetched(room) {
  const language = spoken.get();
  const found = await words(room, language ?? locale());
  if (language !== spoken.get()) return fetched(room); // it was changed meanwhile
  Object.assign(catalogue, found);
  rooms.add(room);
}

/** @type {Map<string, Promise<Catalogue>>} */
const asked = new Map();

/**
 * @param {string} room
 * @param {string} language
 */
function words(room, language) {
  const address = addressOf(`words/${language}/${room}.json`);
  const found = asked.get(address) ?? fetch(address).then((answer) => {
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  });
  asked.set(address, found);
  found.catch(() => asked.delete(address));
  return found;
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
export const listed = (items) => lists.format(items);
