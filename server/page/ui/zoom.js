// Zooming with two fingers, a double tap or a button.
import { useEffect, useLayoutEffect, useRef, useState } from "./html.js";

const MOST = 4; // maximum scale
const DOUBLE = 2.2; // scale after a double tap

/**
 * Return the scale of the content of `ref` and a setter. The element scrolls so that the point between the fingers
 * stays in place.
 * @param {{current: any}} ref
 * @returns {[scale: number, set: (scale: number) => void]}
 */
export function useZoom(ref) {
  const [scale, set] = useState(1);
  // the fixed point, as fractions of the content and of the frame
  const kept = useRef({ scale: 1, x: 0.5, y: 0.5, left: 0.5, top: 0.5 });
  const latest = useRef();
  latest.current = scale;

  /** @type {(wanted: number, x: number, y: number) => void} */
  const about = (wanted, x, y) => {
    const frame = ref.current;
    const { left, top, width, height } = frame.getBoundingClientRect();
    kept.current = { scale: wanted, x: (frame.scrollLeft + x - left) / frame.scrollWidth,
      y: (frame.scrollTop + y - top) / frame.scrollHeight, left: (x - left) / width, top: (y - top) / height };
    set(Math.min(MOST, Math.max(1, wanted)));
  };
  useLayoutEffect(() => {
    const frame = ref.current;
    const { x, y, left, top } = kept.current;
    frame.scrollTo(x * frame.scrollWidth - left * frame.clientWidth, y * frame.scrollHeight - top * frame.clientHeight);
  }, [scale]);
  useEffect(() => {
    const frame = ref.current;
    let from = { apart: 0, scale: 1 };
    const apart = (/** @type {TouchList} */ [one, other]) =>
      Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const start = (/** @type {TouchEvent} */ { touches }) => {
      if (touches.length === 2) from = { apart: apart(touches), scale: latest.current };
    };
    const move = (/** @type {TouchEvent} */ event) => {
      const { touches } = event;
      if (touches.length !== 2) return;
      event.preventDefault(); // don't zoom the page itself
      const [one, other] = touches;
      about((from.scale * apart(touches)) / from.apart, (one.clientX + other.clientX) / 2,
        (one.clientY + other.clientY) / 2);
    };
    const twice = (/** @type {MouseEvent} */ { clientX, clientY }) => about(latest.current > 1 ? 1 : DOUBLE, clientX, clientY);
    frame.addEventListener("touchstart", start, { passive: true });
    frame.addEventListener("touchmove", move, { passive: false });
    frame.addEventListener("dblclick", twice);
    return () => {
      frame.removeEventListener("touchstart", start);
      frame.removeEventListener("touchmove", move);
      frame.removeEventListener("dblclick", twice);
    };
  }, []);
  const middle = (/** @type {number} */ wanted) => {
    const { left, top, width, height } = ref.current.getBoundingClientRect();
    about(wanted, left + width / 2, top + height / 2);
  };
  return [scale, middle];
}
