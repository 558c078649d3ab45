// Keep the focus nearby when the focused element is removed or disabled, so that users of keyboards and screen readers
// don't start over at the top of the page.

/** @type {any[]} */
let last = []; // the last focused element, then its ancestors

/** @param {HTMLElement} root */
export function keepFocus(root) {
  root.addEventListener("focusin", (event) => (last = event.composedPath()));
  // Until the next element has the focus, nothing has. What changes meanwhile, such as a tooltip, must not bring it back.
  root.addEventListener("focusout", (event) => event.relatedTarget && (last = []), true);
  addEventListener("pointerdown", () => (last = []), true); // a click outside drops the focus on purpose
  const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] };
  new MutationObserver(mend).observe(root, changes);
}

/**
 * Return whether we may move the focus within `place`: it is already there, or nowhere.
 * @param {Element} place
 */
export const isIn = (place) => document.activeElement === document.body || place.contains(document.activeElement);

function mend() {
  const [had, ...around] = last;
  if (!had || document.activeElement !== document.body) return;
  if (had.isConnected) return had.focus(); // a disabled button gets the focus back once it is enabled
  const near = around.find((it) => it.isConnected);
  if (near.tabIndex < 0) near.tabIndex = -1;
  near.focus({ preventScroll: true });
}
