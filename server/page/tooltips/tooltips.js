// Tooltips at a table, shown on hover, long press and keyboard focus.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/html.js";

const HOVER = 350; // milliseconds
const HOLD = 450; // milliseconds of a long press, to tell it from a tap or a scroll
const FAR = 10; // pixels a finger may move before it counts as scrolling
const EDGE = 8; // pixels around a tooltip
const EXPLAINED = "[data-at], [data-slot], [data-tip]";
const ID = "tip";

/**
 * Show tooltips within `place`. `explain` returns the text for an element with `data-at`, `data-slot` or `data-tip`,
 * or null. A tap on a disabled control, or on an element that is not a control, also shows its tooltip.
 * @param {{place: {current: any}, explain: (it: HTMLElement) => string | null | Promise<string | null>}} props
 */
export function Tooltips({ place, explain }) {
  const [tip, set] = useState(/** @type {{of: HTMLElement, words: string} | null} */ (null));
  const ask = useRef();
  ask.current = explain;
  useEffect(() => {
    const root = place.current;
    /** @type {number | undefined} */
    let timer;
    /** @type {HTMLElement | null} */
    let wanted = null;
    let isHeld = false;
    let from = [0, 0];
    const hide = () => {
      clearTimeout(timer);
      wanted = null;
      set(null);
    };
    const show = async (/** @type {HTMLElement} */ of) => {
      wanted = of;
      const words = await ask.current(of);
      if (wanted === of && of.isConnected) set(words ? { of, words } : null);
    };
    const found = (/** @type {any} */ { target }) => target.closest?.(EXPLAINED);
    const later = (/** @type {Event} */ event, /** @type {number} */ wait, held = false) => {
      const of = found(event);
      if (of && of === wanted) return;
      hide();
      if (!of) return;
      wanted = of;
      timer = setTimeout(() => {
        isHeld = held;
        show(of);
      }, wait);
    };
    /** @type {Record<string, (event: any) => void>} */
    const hears = {
      pointerover: (event) => event.pointerType === "mouse" && !event.buttons && later(event, HOVER),
      pointerleave: (event) => event.pointerType === "mouse" && hide(),
      pointerdown(event) {
        hide();
        isHeld = false;
        from = [event.clientX, event.clientY];
        if (event.pointerType !== "mouse") later(event, HOLD, true);
      },
      pointermove({ pointerType, clientX, clientY }) {
        if (pointerType !== "mouse" && Math.hypot(clientX - from[0], clientY - from[1]) > FAR && !isHeld) hide();
      },
      pointerup: ({ pointerType }) => pointerType === "mouse" ? clearTimeout(timer) : hide(), // a text is read while it is held
      pointercancel: () => isHeld || hide(),
      contextmenu: (event) => (isHeld || timer) && found(event) && event.pointerType !== "mouse" && event.preventDefault(),
      focusin: (event) => event.target.matches(":focus-visible") && later(event, HOVER),
      focusout: hide,
      keydown: (event) => event.key === "Escape" && hide(),
    };
    const click = (/** @type {any} */ event) => {
      if (isHeld) { // a long press explains, it does not activate
        isHeld = false;
        event.stopPropagation();
        event.preventDefault();
        return;
      }
      const of = found(event);
      if (of?.matches("[aria-disabled=true], :not([role=button], button)")) show(of);
      else hide();
    };
    const leave = (/** @type {any} */ { target }) => root.contains(target) || hide(); // a press on the rest of the page
    for (const [name, hear] of Object.entries(hears)) root.addEventListener(name, hear);
    root.addEventListener("click", click, true);
    for (const name of ["pointerdown", "focusin"]) document.addEventListener(name, leave);
    root.dataset.explained = ""; // tests wait for it
    return () => {
      clearTimeout(timer);
      for (const name of ["pointerdown", "focusin"]) document.removeEventListener(name, leave);
      for (const [name, hear] of Object.entries(hears)) root.removeEventListener(name, hear);
      root.removeEventListener("click", click, true);
    };
  }, []);
  return tip && html`<${Tip} key=${tip.words} ...${tip} />`;
}

/** @param {{of: HTMLElement, words: string}} props */
function Tip({ of, words }) {
  const bubble = useRef();
  useLayoutEffect(() => {
    const { left, width, top, bottom } = of.getBoundingClientRect();
    const own = bubble.current.getBoundingClientRect();
    const x = Math.max(EDGE, Math.min(left + width / 2 - own.width / 2, innerWidth - own.width - EDGE));
    const said = of.closest(".tray")?.querySelector("[data-said]")?.getBoundingClientRect();
    const covers = (/** @type {number} */ y) => !!said && of.getBoundingClientRect().top >= said.bottom - 1
      && y < said.bottom && y + own.height > said.top && x < said.right && x + own.width > said.left;
    const above = top - own.height - EDGE;
    const most = innerHeight - own.height - EDGE;
    const y = [above, bottom + EDGE].find((it) => it >= EDGE && it <= most && !covers(it))
      ?? (said && covers(above) ? said.top - own.height - EDGE : above < EDGE ? bottom + EDGE : above);
    Object.assign(bubble.current.style, { left: `${x}px`, top: `${Math.max(EDGE, Math.min(y, most))}px` });
    of.setAttribute("aria-describedby", ID);
    return () => of.removeAttribute("aria-describedby");
  }, [of, words]);
  return html`<div class="tip" role="tooltip" id=${ID} ref=${bubble}>${words}</div>`;
}
