// A list of all possible steps, as an alternative to the Firmament.
import { html, useState } from "../../ui/html.js";
import { t } from "../../ui/words.js";
import { moveName } from "../story.js";
/** @import { Input } from "../../ui/types" */
/** @import { Cards, Move } from "../types" */

const MANY = 24; // steps from which a search field is shown

/** @param {{moves: Move[], cards: Cards, add: (move: Move) => unknown, isLocked: boolean}} props */
export function Steps({ moves, cards, add, isLocked }) {
  const [wanted, setWanted] = useState("");
  const named = moves.map((move) => ({ move, name: moveName(move, cards) }));
  const shown = named.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return html`
    ${named.length > MANY && html`<label>${t("steps.search")} <input value=${wanted}
      onInput=${(/** @type {Input} */ event) => setWanted(event.target.value)} /></label>`}
    <div class="steps" role="group" aria-label=${t("steps")}>
      ${shown.map(({ move, name }) => html`<button key=${JSON.stringify(move)} class="plain" disabled=${isLocked}
        onClick=${() => add(move)}>${name}</button>`)}
    </div>`;
}
