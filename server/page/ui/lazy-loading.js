// Lazy loading of rooms: the module, the style and the words of one come when it is entered.
import { html } from "./html.js";
import { addressOf } from "./files.js";
import { Sorry, useLoaded } from "./parts.js";
import { store, useStore } from "./store.js";
import { learn, t } from "./words.js";

/** @type {Map<string, any>} */
const entered = new Map(); // the modules of rooms of which all has come: they are shown at once

/**
 * A component of a room that most do without: its module, style and words come only when it is shown.
 * @param {string} room
 * @param {string} name
 * @param {string[]} words
 */
export const later = (room, name, ...words) =>
  function Later(/** @type {object} */ props) {
    const [module, error] = useLoaded(() => enter(room, words), [], entered.get(room));
    if (!module) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
    return html`<${module[name]} ...${props} />`;
  };

/** Whether what is looked at first is there. */
export const settled = store(false);

/**
 * A component that only adds to what is there: it comes once that is settled, and nothing is shown until it has come, or if
 * it does not.
 * @param {() => Promise<any>} load its module
 * @param {string} name
 */
export const quietly = (load, name) =>
  function Quietly(/** @type {object} */ props) {
    const comes = useStore(settled);
    const [module] = useLoaded(async () => comes && load(), [comes]);
    return module && html`<${module[name]} ...${props} />`;
  };

/**
 * @param {string} room
 * @param {string[]} words
 */
export async function enter(room, words = []) {
  const needed = [import(addressOf(`${room}/${own(room)}.js`)), dress(room), ...[own(room), ...words].map(learn)];
  const [module] = await Promise.all(needed);
  entered.set(room, module);
  return module;
}

/**
 * What the module, the style and the words of a room are called: `tale` for `game/tale`.
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
      const href = addressOf(`${room}/${own(room)}.css`);
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: done });
      document.head.append(link);
    }));
  }
  return dressed.get(room);
}
