// Buttons with icons in the status line of a table.
import { html } from "../ui/html.js";

const ICONS = {
  chat: "M4 5h16v11h-9l-4.5 4v-4H4zM8 9h8M8 12h5",
  hint: "M9.5 18h5M10.5 21h3M8.5 15.5a6.5 6.5 0 1 1 7 0V18h-7z",
  earlier: "M12 4a8 8 0 1 1-7.4 5M4 4v5h5M12 8v4l3 2",
  more: "M5 6h14M5 12h14M5 18h9",
  up: "M12 19V5M6 11l6-6l6 6",
  undo: "M9 5l-5 5l5 5M4 10h10a5.5 5.5 0 0 1 0 11h-3",
  rules: "M5 5c3-1 5-1 7 .5c2-1.5 4-1.5 7-.5v13c-3-1-5-1-7 .5c-2-1.5-4-1.5-7-.5zM12 5.5v13",
};

/**
 * A button with an icon, and with a label where there is room.
 * @param {{icon: keyof typeof ICONS, words: string, children?: unknown} & Record<string, unknown>} props
 */
export const Tool = ({ icon, words, children, ...props }) => html`<button class="plain tool" data-tool=${icon} title=${words} ...${props}>
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d=${ICONS[icon]} /></svg>
  <span class="words">${words}</span>${children}</button>`;
