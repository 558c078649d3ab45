// What the browser keeps for the page, for good or until its window is closed. If it refuses, until the page is left.

const inMemory = () => {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
};

function storage(name) {
  try {
    window[name].getItem("");
    return window[name];
  } catch {
    return inMemory();
  }
}

export const forGood = storage("localStorage");
export const forNow = storage("sessionStorage");
