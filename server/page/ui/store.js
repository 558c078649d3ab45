// An observable value.
import { useEffect, useState } from "./html.js";
/** @import { Store } from "./types" */

/**
 * @template T
 * @param {T} value
 * @returns {Store<T>}
 */
export function store(value) {
  /** @type {Set<(value: T) => void>} */
  const watchers = new Set();
  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      watchers.forEach((tell) => tell(value));
    },
    watch(tell) {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
  };
}

/**
 * Return the value of a store, and re-render when it changes.
 * @template T
 * @param {Store<T>} it
 */
export function useStore(it) {
  const [value, set] = useState(it.get());
  useEffect(() => {
    set(it.get());
    return it.watch(set);
  }, [it]);
  return value;
}
