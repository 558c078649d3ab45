// The page's messages in four languages. words/ has a catalogue for each language and room of the page.
import { forGood } from "./local-storage.js";
import { addressOf } from "./files.js";
import { store } from "./store.js";
/** @import { Locale } from "./types" */
/** @typedef {Record<string, any>} Catalogue strings, `{one, other}`, or the text of rules */

/** @type {Record<string, string>} */
const NAMES = { de: "Deutsch", en: "English", fr: "Français", it: "Italiano" };
const KEY = "sternenpost.locale";
const FOREIGN = /\{(\w+)\}(\.?)/g;

export const LANGUAGES = Object.entries(NAMES);

export const spoken = store(/** @type {Locale | null} */ (null)); // the language of the loaded catalogues
const rooms = new Set(["page"]); // rooms whose catalogues are loaded
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

/** Return to the browser's language when the account that chose another one is signed out. */
export function forgetLanguage() {
  forGood.removeItem(KEY);
  return speak().catch(() => {}); // offline
}

let before = /** @type {Promise<unknown>} */ (Promise.resolve()); // the last language change

/**
 * Switch the page to a language, by default the user's preferred one. The latest call wins. Throws if offline.
 * @param {Locale} wanted
 */
export function speak(wanted = wished()) {
  words("page", wanted).catch(() => {}); // prefetch; errors are reported where it is awaited
  const change = before.then(() => changeTo(wanted));
  before = change.catch(() => {});
  return change;
}

/** @param {Locale} wanted */
async function changeTo(wanted) {
  if (wanted === spoken.get()) return;
  const inWords = new Intl.PluralRules(wanted); // slow to create, so done while the catalogues load
  const inLists = new Intl.ListFormat(wanted, { type: "conjunction" });
  let found, known;
  do {
    known = rooms.size;
    found = await Promise.all([...rooms].map((room) => words(room, wanted)));
  } while (known < rooms.size); // another room was entered in the meantime
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
 * Load the catalogue of a room. Throws if offline.
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
  if (language !== spoken.get()) return fetched(room); // it changed in the meantime
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
 * Return a bot's name as players read it: "Greedy", "Level 3".
 * @param {string | null | undefined} bot
 */
export const botName = (bot) => (bot ? (bot[0].toUpperCase() + bot.slice(1)).replace("-", " ") : "");

/**
 * Name the bot that plays in a seat, and for whom, or else only the player.
 * @param {string} name
 * @param {string | null} [bot]
 */
export const whoPlays = (name, bot) => (bot ? t("bot.for", { bot: botName(bot), name }) : name);

/**
 * Return the message for a key, or the last part of the key if it is unknown, for example from a newer server.
 * `count` selects the form `one` or `other`.
 * @param {string} key
 * @param {Record<string, any>} values
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = catalogue[key];
  const words = typeof found === "object" ? found[plurals.select(values.count) === "one" ? "one" : "other"] : found;
  /** @type {string} */
  const said = words ?? key.slice(key.indexOf(".") + 1);
  return said.replace(FOREIGN, (whole, name, stop) => {
    const value = values[name] ?? whole.slice(0, whole.length - stop.length);
    return stop && !`${value}`.endsWith(".") ? value + stop : value; // a name such as "Paula W." ends a sentence by itself
  });
}

/**
 * As `t`, for a sentence about a seat: the reader's own seat has the message `KEY.you`.
 * @param {string} key
 * @param {boolean} isOwn
 * @param {Record<string, any>} values
 */
export const tell = (key, isOwn, values) => t(isOwn ? `${key}.you` : key, values);

/**
 * Return a structured text from the catalogue.
 * @param {string} key
 */
export const text = (key) => catalogue[key];

/**
 * Return whether there is a message for a key, which may come from a newer server.
 * @param {string} key
 */
export const knows = (key) => key in catalogue;

/**
 * Join as `Ada, Ben and Cleo`.
 * @param {string[]} items
 */
export const listed = (items) => lists.format(items);
