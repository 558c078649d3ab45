// Lazy loading of rooms: the module, the style and the words of one come when it is entered.
import { html } from "./html.js";
import { Sorry, useLoaded } from "./parts.js";
import { learn, t } from "./words.js";

/**
 * A component of a room that most do without: its module, style and words come only when it is shown.
 * @param {string} room
 * @param {string} name
 * @param {string[]} words
 */
export const later = (room, name, ...words) =>
  function Later(/** @type {object} */ props) {
    const [module, error] = useLoaded(() => enter(room, words), []);
    if (!module) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
    return html`<${module[name]} ...${props} />`;
  };

/**
 * @param {string} room
 * @param {string[]} words
 */
async function enter(room, words) {
  const needed = [import(`../${room}/${own(room)}.js`), dress(room), ...[own(room), ...words].map(learn)];
  const [module] = await Promise.all(needed);
  return module;
}

/**
 * What the module, the style and the words of a room are called: `scoring` for `sternenhimmel/scoring`.
 * @param {string} room
 */
const own = (room) => room.replace(/.*\//, "");

/** @type {Map<string, Promise<unknown>>} */
const dressed = new Map();

/**
 * The style of a room; without it, it is plain but works.
 * @param {string} room
 */
export function dress(room) {
  if (!dressed.has(room)) {
    dressed.set(room, new Promise((done) => {
      const href = `/page/${room}/${own(room)}.css`;
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: done });
      document.head.append(link);
    }));
  }
  return dressed.get(room);
}
