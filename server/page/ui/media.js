// Media queries as a hook.
import { useEffect, useState } from "./html.js";

/**
 * Return whether the query matches, and re-render when that changes.
 * @param {string} query
 */
export function useMedia(query) {
  const [holds, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const look = () => set(list.matches);
    list.addEventListener("change", look);
    return () => list.removeEventListener("change", look);
  }, [query]);
  return holds;
}
