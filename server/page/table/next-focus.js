// Moves the focus to what is needed next while a player chooses a move by keyboard.
import { useLayoutEffect, useRef } from "../ui/html.js";
import { isIn } from "../ui/focus.js";

const COVERED = 48; // pixels at the top that the bar may cover
const HAND = [".tray .lit", ".tray [data-at][tabindex='0']", ".tray .slot"]; // the first one that can have the focus

/**
 * Focus the first match of the `wanted` selectors after each change of `state`, but only if the player uses the keyboard
 * within `place`. The key Home leads to the player's hand there. Returns handlers for that element, and `byKeys`, which
 * says whether the last input was a key.
 * @param {{current: any}} place
 * @param {string} state
 * @param {string[]} wanted
 * @param {boolean} [waits] whether a response is still missing
 */
export function useNextFocus(place, state, wanted, waits = false) {
  const byKeys = useRef(false);
  const known = useRef(/** @type {string | null} */ (null));
  useLayoutEffect(() => {
    if (waits || known.current === state) return;
    const isFirst = known.current === null;
    known.current = state;
    if (isFirst || !byKeys.current || !isIn(place.current)) return;
    const selector = wanted.find((it) => place.current.querySelector(it));
    if (!selector || document.activeElement?.matches(selector)) return;
    const next = place.current.querySelector(selector);
    const { top, bottom } = next.getBoundingClientRect();
    next.focus({ preventScroll: top >= COVERED && bottom <= innerHeight }); // visible already
  });
  useLayoutEffect(() => { // after the next frame, a key pressed as soon as the hand shows would be lost
    const goHome = (/** @type {any} */ event) => {
      if (event.key !== "Home" || event.target.closest("input, select, textarea, dialog, [role=dialog]")) return;
      const hand = HAND.flatMap((it) => [...place.current.querySelectorAll(it)]);
      if (!hand.length) return;
      event.preventDefault();
      byKeys.current = true;
      hand.some((it) => {
        it.focus();
        return document.activeElement === it;
      });
    };
    document.addEventListener("keydown", goHome);
    return () => document.removeEventListener("keydown", goHome);
  }, []);
  return {
    byKeys,
    onPointerDown: () => void (byKeys.current = false),
    onKeyDown: () => void (byKeys.current = true),
  };
}
