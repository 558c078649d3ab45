// Validation errors from the server, shown beside the fields that they concern.
import { html } from "./html.js";
import { Problem } from "./api.js";
/** @import { Told } from "./types" */

/**
 * Return the messages of an error by field path, such as `title` or `seats.1.email`.
 * @param {unknown} error
 * @returns {Record<string, string>}
 */
export function byPlace(error) {
  if (!(error instanceof Problem)) return {};
  if (error.field) return { [error.field]: error.message };
  if (error.code === "bad-option") return { [error.reason === "bad-seats" ? "seats" : "options"]: error.message };
  return Object.fromEntries(Object.values(error.errors ?? {}).flatMap((those) => flat(those, "")));
}

/**
 * @param {Told} told
 * @param {string} place
 * @returns {[place: string, words: string][]}
 */
const flat = (told, place) =>
  Array.isArray(told) || typeof told === "string"
    ? [[place, [told].flat().join(" ")]]
    : Object.entries(told).flatMap(([name, those]) => flat(those, place ? `${place}.${name}` : name));

/**
 * Return the messages for a field and the fields within it.
 * @param {Record<string, string>} wrongs
 * @param {string} place
 */
export const wrongAt = (wrongs, place) =>
  Object.entries(wrongs)
    .filter(([it]) => it === place || it.startsWith(`${place}.`))
    .map(([, words]) => words)
    .join(" ");

/**
 * Return the ARIA attributes that mark a field as invalid and link it to its message.
 * @param {Record<string, string>} wrongs
 * @param {string} place
 */
export const marked = (wrongs, place) => {
  const isWrong = !!wrongAt(wrongs, place);
  return { "aria-invalid": isWrong ? "true" : null, "aria-describedby": isWrong ? `wrong-${place}` : null };
};

/** @param {{wrongs: Record<string, string>, place: string}} props */
export function Wrong({ wrongs, place }) {
  const words = wrongAt(wrongs, place);
  return words && html`<span class="wrong" id=${`wrong-${place}`}>${words}</span>`;
}
