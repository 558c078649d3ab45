// localStorage and sessionStorage: what the browser keeps for the page, for good or until its window is closed. If it
// refuses, until the page is left.

const inMemory = () => {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
};

function storage(name) {
  const memory = inMemory(); // also of what has no room any more
  const tried = (method, ...what) => {
    try {
      return window[name][method](...what);
    } catch {
      return memory[method](...what);
    }
  };
  return {
    getItem: (key) => memory.getItem(key) ?? tried("getItem", key),
    setItem: (key, value) => {
      memory.removeItem(key);
      tried("setItem", key, value);
    },
    removeItem: (key) => {
      memory.removeItem(key);
      tried("removeItem", key);
    },
  };
}

export const forGood = storage("localStorage");
export const forNow = storage("sessionStorage");

const MOST = 200; // games of which it is remembered how far somebody has seen them

/** How far a player has seen each game, by `name`: `seen(name, player)` gives `of(game)` and `upTo(game, number)`. */
export function seen(name, player) {
  const key = `sternenpost.${name}.${player ?? ""}`;
  const read = () => {
    try {
      return new Map(JSON.parse(forGood.getItem(key)));
    } catch {
      return new Map(); // another release may have kept something else
    }
  };
  return {
    of: (game) => read().get(game) ?? 0,
    upTo: (game, number) => {
      const known = read();
      known.delete(game); // so that it is the latest
      forGood.setItem(key, JSON.stringify([...known.set(game, number)].slice(-MOST)));
    },
  };
}
