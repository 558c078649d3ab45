// The focus stays near when what has it goes away: whoever uses keys, or hears the page, is not sent back to its top.

/** @type {any[]} */
let last = []; // what had the focus, then all that was around it

/** @param {HTMLElement} root */
export function keepFocus(root) {
  root.addEventListener("focusin", (event) => (last = event.composedPath()));
  addEventListener("pointerdown", () => (last = []), true); // a click beside everything leaves it on purpose
  const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] };
  new MutationObserver(mend).observe(root, changes);
}

/**
 * Whether the focus may be led on in this place: it is there, or nowhere.
 * @param {Element} place
 */
export const isIn = (place) => document.activeElement === document.body || place.contains(document.activeElement);

function mend() {
  const [had, ...around] = last;
  if (!had || document.activeElement !== document.body) return;
  if (had.isConnected) return had.focus(); // a button that waited for its answer has it again, once it can
  const near = around.find((it) => it.isConnected);
  if (near.tabIndex < 0) near.tabIndex = -1;
  near.focus({ preventScroll: true });
}
