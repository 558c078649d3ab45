// The size of an element, for drawings that fit it.
import { useLayoutEffect, useRef, useState } from "./html.js";

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
