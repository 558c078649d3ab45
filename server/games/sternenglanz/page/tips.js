// Tooltips at a table of Sternenglanz.
import { Problem } from "../ui/api.js";
import { listed, t } from "../ui/words.js";
import { cardName, kindOf } from "./cards.js";
import { className } from "./story.js";
/** @import { Building, Cards, Field, Table, View } from "./types" */

/**
 * Explain an element of the table, and why it can't be used now. `data` is its dataset.
 * @param {DOMStringMap} data
 * @param {{cards: Cards, view: View, seat?: number, name: (field: Field) => string, building: Building, table: Table, turn: number | null,
 *   isAimed: boolean, isPlanned: boolean, field?: Field, pieces: string[], decks: () => string}} about
 */
export async function explain({ card, slot, nth = slot, tip, seat: whose }, { cards, view, seat, name, building, table, turn, isAimed,
  isPlanned, field, pieces, decks }) {
  if (card) return cardTip(card, cards);
  if (nth) return slotTip(view, Number(whose ?? seat), Number(nth), cards);
  if (tip === "decks") return decks();
  if (tip === "supply") return supplyTip(pieces, view, cards);
  if (!field) return null;
  const said = name(field);
  const isAsked = building.busy || building.sending; // waiting for the server
  if (turn === null || isAsked || building.isOpen("field", field.id)) return said;
  const why = !isAimed ? building.open("slot").size > 0 && t("tip.slot-first")
    : !isPlanned && await whyClosed(field.id, building, table, turn).catch(() => null);
  return [said, why].filter(Boolean).join(". ");
}

/**
 * Describe what a card does.
 * @param {string} copy
 * @param {Cards} cards
 */
function cardTip(copy, cards) {
  const kind = kindOf(copy, cards);
  if (!kind) return cardName(copy, cards);
  const rows = kind.constellations?.map((it) => t("tip.hole", { top: t(`piece.${it.top}`), points: t("points", { count: it.points }),
    beside: listed([...new Set(it.with)].map((each) => t(`tip.beside.${each}`, { count: it.with.filter((one) => one === each).length }))) })) ?? [];
  return t(`tip.card.${kind.type}`, { card: cardName(copy, cards), steps: kind.steps?.join("/"), rows: rows.map((it) => `\n${it}`).join(""),
    points: t("points", { count: kind.points ?? 0 }), leucht: cards.birthNeeds.leucht.count,
    pracht: cards.birthNeeds.pracht.count });
}

/**
 * Return the tooltip of a slot.
 * @param {View} view
 * @param {number} seat
 * @param {number} slot
 * @param {Cards} cards
 */
function slotTip(view, seat, slot, cards) {
  const copy = view.slots[seat]?.[slot - 1] ?? (slot === 1 ? "geburt#1" : null);
  return [t("tip.slot", { slot }), copy ? cardTip(copy, cards) : t("tip.slot.empty")].join("\n");
}

/**
 * Say how many of these pieces are left in the supply.
 * @param {string[]} pieces
 * @param {View} view
 * @param {Cards} cards
 */
function supplyTip(pieces, view, cards) {
  /** @type {Record<string, number>[]} */
  const [supply, limits] = [view.supply, cards.limits];
  return pieces.map((it) => t("tip.supply", { star: className(it, cards), count: supply[it], limit: limits[it] })).join("\n");
}

/**
 * Return the reason why the current step can't use a field.
 * @param {string} id
 * @param {Building} building
 * @param {Table} table
 * @param {number} turn
 */
async function whyClosed(id, building, table, turn) {
  const step = building.fits[0]?.step;
  if (!step) return null;
  if (step.path) return t(building.tapped("field").length ? "ask.missed.way" : "ask.missed", { field: id });
  const steps = [...building.begun.flatMap((it) => it.move.steps), { ...step, field: id }];
  try {
    await table.preview(turn, { steps });
  } catch (refused) {
    return refused instanceof Problem ? refused.detail : null;
  }
  return null;
}
