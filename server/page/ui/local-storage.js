// localStorage and sessionStorage: what the browser keeps for the page, for good or until its window is closed. If it
// refuses, until the page is left.

const inMemory = () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  };
};

/** @param {"localStorage" | "sessionStorage"} name */
function storage(name) {
  const memory = inMemory(); // also of what has no room any more
  /**
   * @template T
   * @param {(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">) => T} use
   */
  const tried = (use) => {
    try {
      return use(window[name]);
    } catch {
      return use(memory);
    }
  };
  return {
    getItem: (/** @type {string} */ key) => memory.getItem(key) ?? tried((it) => it.getItem(key)),
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => {
      memory.removeItem(key);
      tried((it) => it.setItem(key, value));
    },
    removeItem: (/** @type {string} */ key) => {
      memory.removeItem(key);
      tried((it) => it.removeItem(key));
    },
  };
}

export const forGood = storage("localStorage");
export const forNow = storage("sessionStorage");

const MOST = 200; // games of which it is remembered how far somebody has seen them

/**
 * How far a player has seen each game, by `name`: `seen(name, player)` gives `of(game)` and `upTo(game, number)`.
 * @param {string} name
 * @param {string} [player] his id
 */
export function seen(name, player) {
  const key = `sternenpost.${name}.${player ?? ""}`;
  /** @returns {Map<string, number>} */
  const read = () => {
    try {
      return new Map(JSON.parse(forGood.getItem(key) ?? "[]"));
    } catch {
      return new Map(); // another release may have kept something else
    }
  };
  return {
    of: (/** @type {string} */ game) => read().get(game) ?? 0,
    upTo: (/** @type {string} */ game, /** @type {number} */ number) => {
      const known = read();
      known.delete(game); // so that it is the latest
      forGood.setItem(key, JSON.stringify([...known.set(game, number)].slice(-MOST)));
    },
  };
}
