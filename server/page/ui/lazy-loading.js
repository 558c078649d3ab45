// Lazy loading of rooms. A room is a part of the page with its own module, stylesheet and catalogue.
import { html } from "./html.js";
import { addressOf } from "./files.js";
import { Sorry, useLoaded } from "./parts.js";
import { store, useStore } from "./store.js";
import { learn, t } from "./words.js";

/** @type {Map<string, any>} */
const entered = new Map(); // modules of rooms that are fully loaded and render immediately

/**
 * Return a component that loads its room when first rendered.
 * @param {string} room
 * @param {string} name
 * @param {string[]} words
 */
export const later = (room, name, ...words) =>
  function Later(/** @type {object} */ props) {
    const [module, error] = useLoaded(() => enter(room, words), [], entered.get(room));
    if (!module) return error ? html`<${Sorry} error=${error} />` : html`<p class="later">${t("loading")}</p>`;
    return html`<${module[name]} ...${props} />`;
  };

/** Whether the first screen is complete, so that deferred parts may load. */
export const settled = store(false);

/**
 * Return an optional component that loads once the page is settled. It renders nothing before, or if loading fails.
 * @param {() => Promise<any>} load loads its module
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
 * Return the base name of a room's files: `tale` for `game/tale`.
 * @param {string} room
 */
const own = (room) => room.replace(/.*\//, "");

/** @type {Map<string, Promise<unknown>>} */
const dressed = new Map();

/**
 * Load the stylesheet of a room. The room also works without it.
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
