// The size of an element or of the window, for drawings that fit it.
import { useEffect, useLayoutEffect, useRef, useState } from "./html.js";

/**
 * Return the inner size in pixels of the element with `ref`, or null before it is rendered.
 * @returns {[ref: {current: any}, size: {width: number, height: number} | null]}
 */
export function useSize() {
  const ref = useRef();
  const [size, set] = useState(/** @type {{width: number, height: number} | null} */ (null));
  useLayoutEffect(() => {
    const look = () => {
      const { clientWidth: width, clientHeight: height } = ref.current;
      set((it) => (it && it.width === width && it.height === height ? it : { width, height }));
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return [ref, size];
}

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
