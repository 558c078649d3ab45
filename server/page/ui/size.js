// How much room an element has: what is drawn in it fits it.
import { useLayoutEffect, useRef, useState } from "./html.js";

/**
 * The inner size of the element that `ref` is given to, in pixels; null until it is there.
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
