// localStorage and sessionStorage, with a fallback to memory if the browser blocks them.

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
  const memory = inMemory(); // also used when the quota is exceeded
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

const MOST = 200; // games to remember

/**
 * Track a player's progress in each game, under `name`: `of(game)` reads it, `upTo(game, number)` writes it.
 * @param {string} name
 * @param {string} [player] the player's id
 */
export function seen(name, player) {
  const key = `sternenpost.${name}.${player ?? ""}`;
  /** @returns {Map<string, number>} */
  const read = () => {
    try {
      return new Map(JSON.parse(forGood.getItem(key) ?? "[]"));
    } catch {
      return new Map(); // written by another release
    }
  };
  return {
    of: (/** @type {string} */ game) => read().get(game) ?? 0,
    upTo: (/** @type {string} */ game, /** @type {number} */ number) => {
      const known = read();
      known.delete(game); // moves it to the end, where it is dropped last
      forGood.setItem(key, JSON.stringify([...known.set(game, number)].slice(-MOST)));
    },
  };
}
