// Players' tableaus and hands.
import { html } from "../ui/html.js";
import { t } from "../ui/words.js";
import { seatName } from "../ui/game-words.js";
import { SeatMark } from "../ui/seat-shapes.js";
import { useRoving } from "../ui/roving-tabindex.js";
import { Bild, cardName, Face } from "./cards.js";
/** @import { Cards, Table, View } from "./types" */

const SLOTS = [1, 2, 3];

/**
 * Describe what lies on a slot: a card, the printed Sterngeburt, a secretly chosen card, or nothing.
 * @param {View} view
 * @param {number} seat
 * @param {number} slot
 * @param {Cards} cards
 */
export function onSlot(view, seat, slot, cards) {
  const copy = view.slots[seat][slot - 1];
  if (copy) return cardName(copy, cards);
  if (slot === 1) return t("slot.printed", { card: cardName("geburt#1", cards) });
  return t(view.chosen[seat] ? "slot.secret" : "slot.empty");
}

/**
 * Return whether a slot was performed in this turn and its card is still there.
 * @param {View} view
 * @param {number} seat
 * @param {number} slot
 */
const isUsed = (view, seat, slot) =>
  view.next === seat && view.phase === "act" && view.log.performed.some((it) => it.slot === slot);

/**
 * Draw a slot. A tick marks it as performed in this turn. `planned` is a card that is not laid yet.
 * @param {{view: View, seat: number, slot: number, cards: Cards, planned?: string}} props
 */
function Slot({ view, seat, slot, cards, planned }) {
  const copy = planned ?? view.slots[seat][slot - 1];
  const isBlank = !copy && slot !== 1;
  const used = isUsed(view, seat, slot);
  const marks = [!copy && "bare", planned && "planned", used && "used"].filter(Boolean).join(" ");
  return html`<span class=${`card-face ${marks}`} data-copy=${copy}>
    <span class="head" aria-hidden="true">${slot}${used && html` <span class="tick">✓</span>`}</span>
    ${isBlank
      ? html`<svg class="face" viewBox="0 0 104 84" aria-hidden="true">${view.chosen[seat] && html`<text x="52" y="54"
        class="large" text-anchor="middle">?</text>`}</svg>`
      : html`<${Face} copy=${copy} cards=${cards} />`}
  </span>`;
}

/**
 * @param {View} view
 * @param {number} seat
 * @param {number} slot
 * @param {Cards} cards
 */
const slotName = (view, seat, slot, cards) => {
  const card = onSlot(view, seat, slot, cards);
  return t(isUsed(view, seat, slot) ? "slot.used" : "slot.name", { slot, card });
};

/**
 * Show the player's slots as buttons.
 * @param {{view: View, seat: number, cards: Cards, planned: Record<number, string>,
 *   marks: (slot: number) => string, act: (slot: number) => unknown}} props
 */
export function OwnSlots({ view, seat, cards, planned, marks, act }) {
  return html`<div class="slots beside-hint" role="group" data-label=${t("slots")} aria-label=${t("slots")}>
    ${SLOTS.map((slot) => html`<button key=${slot} class=${`slot ${marks(slot)}`} data-slot=${slot}
      aria-label=${planned[slot] ? t("slot.planned", { slot, card: cardName(planned[slot], cards) })
        : slotName(view, seat, slot, cards)}
      aria-disabled=${!marks(slot).includes("open")} aria-pressed=${marks(slot).includes("chosen")}
      onClick=${() => act(slot)}>
      <${Slot} view=${view} seat=${seat} slot=${slot} cards=${cards} planned=${planned[slot]} />
    </button>`)}
  </div>`;
}

/**
 * Show the player's cards as buttons. A laid card leaves a gap, so that the others don't move. `into` has the slots for
 * which a hint suggests cards.
 * @param {{hand: string[], isHere: (copy: string) => boolean, cards: Cards, into: Record<string, number>, marks: (copy: string) => string,
 *   act: (copy: string) => unknown}} props
 */
export function Hand({ hand, isHere, cards, into, marks, act }) {
  const roving = useRoving(hand.filter(isHere).map((copy, i) => ({ id: copy, x: i, y: 0 })));
  return html`<div class="own-hand" role="group" data-label=${t("hand.short")} aria-label=${t("hand.cards")} onKeyDown=${roving.onKeyDown}
    onFocusIn=${roving.onFocusIn}>
    ${hand.map((copy) => !isHere(copy) ? html`<span key=${copy} class="held gone-from-hand" />` : html`<button key=${copy} class=${`held ${marks(copy)}`} data-at=${copy} data-card=${copy}
      data-into=${into[copy]} tabindex=${roving.tabIndex(copy)} aria-label=${cardName(copy, cards)}
      aria-disabled=${!marks(copy).includes("open")} aria-pressed=${marks(copy).includes("chosen")}
      onClick=${() => act(copy)}>
      <span class="card-face" data-copy=${copy}><${Face} copy=${copy} cards=${cards} /></span>
    </button>`)}
  </div>`;
}

/**
 * Show the tableau of a seat, read-only. Within a panel of its own (`isFramed`), it is neither a region nor a heading.
 * @param {{game: Table["game"], view: View, seat: number, cards: Cards, isFramed?: boolean}} props
 */
export function Tableau({ game, view, seat, cards, isFramed = false }) {
  const { own, done } = view.sternbilder;
  const it = game.seats[seat];
  const [region, heading] = isFramed ? ["div", "strong"] : ["section", "h3"];
  return html`<${region} class=${`card tableau ${view.next === seat ? "next" : ""}`} data-seat=${seat}
    aria-label=${isFramed ? null : t("tableau", { number: seat + 1, name: seatName(it) })}>
    <header><${SeatMark} seat=${seat} /> <${heading} class="owner">${seatName(it)}${seat === game.you?.seat ? ` (${t("you")})` : ""}<//>
      <strong>${t("points", { count: view.points[seat] })}</strong></header>
    <ul class="slots" aria-label=${t("slots")}>
      ${SLOTS.map((slot) => html`<li key=${slot} class="slot" data-tip="slot" data-nth=${slot} data-seat=${seat}>
        <${Slot} view=${view} seat=${seat} slot=${slot} cards=${cards} />
        <span class="unseen">${slotName(view, seat, slot, cards)}</span></li>`)}
    </ul>
    <p class="faint">${t("cards-in-hand", { count: view.hand_sizes[seat] })} · ${t("discards", {
      count: view.discards[seat] })}${view.granted[seat] ? ` · ${t("granted")}` : ""}</p>
    ${(own[seat] || done[seat].length > 0) && html`<div class="bilder">
      ${own[seat] && html`<${Bild} id=${own[seat].sternbild} cards=${cards} />`}
      ${done[seat].map((id) => html`<${Bild} key=${id} id=${id} cards=${cards} isDone />`)}
    </div>`}
  <//>`;
}
