// The stars in the player's hand.
import { html } from "../ui/html.js";
import { t } from "../ui/words.js";
import { Piece } from "./pieces.js";
import { useRoving } from "../ui/roving-tabindex.js";
import { starName } from "./story.js";
/** @import { Star } from "./types" */

/**
 * @param {{hand: Star[], seat: number, isOpen: (star: Star) => boolean, chosen: number | null,
 *   hinted: number, choose: (nth: number) => void}} props
 */
export function Hand({ hand, seat, isOpen, chosen, hinted, choose }) {
  const roving = useRoving(hand.map((_, i) => ({ id: String(i), x: i, y: 0 })));
  return html`<div class="hand" role="group" aria-label=${t("hand")} onKeyDown=${roving.onKeyDown}
    onFocusIn=${roving.onFocusIn}>
    ${hand.map((star, i) => html`<button key=${i} class="star ${isOpen(star) ? "open" : ""} ${hinted === i ? "hinted" : ""}" data-at=${String(i)}
      data-star=${star}
      tabindex=${roving.tabIndex(String(i))} aria-label=${starName(star)}
        aria-disabled=${!isOpen(star)} aria-pressed=${chosen === i}
      onClick=${() => choose(i)}>
      <svg viewBox="-12 -12 24 24" aria-hidden="true"><${Piece} seat=${seat} star=${star} r="8.4" /></svg>
    </button>`)}
  </div>`;
}
