// What the window is like, by a media query.
import { useEffect, useState } from "./html.js";

/**
 * Whether the query holds; the component is drawn anew when that changes.
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
