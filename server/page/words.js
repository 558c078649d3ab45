// What the page says, in four languages: a catalogue each, in words/.
import { store } from "./store.js";

const NAMES = { de: "Deutsch", en: "English", fr: "Français", it: "Italiano" };
const KEY = "sternenpost.locale";
const FOREIGN = /\{(\w+)\}/g;

export const LANGUAGES = Object.entries(NAMES);

const spoken = store(null); // the language whose catalogue is here
let catalogue = {};
let plurals = null;

export const locale = () => spoken.get() ?? wished();
export { spoken };

function wished() {
  const kept = localStorage.getItem(KEY);
  const asked = navigator.languages.map((it) => it.slice(0, 2).toLowerCase());
  return [kept, ...asked].find((it) => it in NAMES) ?? "en";
}

/** From here on the page speaks this language; by default what the reader wishes. Throws if the network is away. */
export async function speak(wanted = wished()) {
  if (wanted === spoken.get()) return;
  const answer = await fetch(`/page/words/${wanted}.json`);
  catalogue = await answer.json();
  plurals = new Intl.PluralRules(wanted);
  document.documentElement.lang = wanted;
  localStorage.setItem(KEY, wanted);
  spoken.set(wanted);
}

/** The words of this key. `count` chooses between the forms `one` and `other`. */
export function t(key, values = {}) {
  const found = catalogue[key];
  const words = typeof found === "object" ? found[plurals.select(values.count) === "one" ? "one" : "other"] : found;
  return (words ?? key).replace(FOREIGN, (whole, name) => values[name] ?? whole);
}

/** Whether there are words for what another release of the server may have invented. */
export const knows = (key) => key in catalogue;

/** `Ada, Ben and Cleo`. */
export const listed = (items) => new Intl.ListFormat(locale(), { type: "conjunction" }).format(items);
