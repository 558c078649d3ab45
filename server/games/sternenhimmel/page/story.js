// Sentences of Sternenhimmel.
import { knows, listed, locale, t, tell } from "../ui/words.js";
/** @import { Board, BoardScored, Rules, SternenhimmelEvent } from "./types" */
/** @import { SentencesOf } from "../ui/types" */
/** @typedef {Pick<BoardScored, "board" | "totals" | "payouts" | "outcome" | "transfers">} Totals */

/** @param {string | null} star */
export const starName = (star) => {
  if (star === null) return t("star.hidden");
  return knows(`star.${star}`) ? t(`star.${star}`) : t("star.number", { value: star });
};

/**
 * @param {string} id
 * @param {Rules} rules
 */
export const boardName = (id, rules) => rules.boards.find((it) => it.id === id)?.name[locale()] ?? id;

/**
 * Return the constellation with this id.
 * @param {string} id
 * @param {Rules} rules
 */
export const boardOf = (id, rules) => /** @type {Board} */ (rules.boards.find((it) => it.id === id));

/**
 * Return whether no star was left to score.
 * @param {Totals} scored
 */
export const isVoid = (scored) => scored.totals.every((it) => it === null);

/**
 * The sentences by event type.
 * @type {SentencesOf<SternenhimmelEvent, Rules>}
 */
export const SENTENCES = {
  "board-dealt": ({ board }, names, rules) => t("story.board-dealt", { board: boardName(board, rules) }),
  "star-placed": ({ seat, board, space, star }, names, rules, isOwn) =>
    tell("story.star-placed", isOwn, { name: names[seat], board: boardName(board, rules), space, star: starName(star) }),
  "board-scored": (item, names, rules) => scored(item, names, rules),
  "seat-skipped": ({ seat }, names, rules, isOwn) => tell("story.seat-skipped", isOwn, { name: names[seat] }),
};

/**
 * @param {Totals} item
 * @param {string[]} names
 * @param {Rules} rules
 * @param {"story" | "would"} mood past or conditional
 */
export const scored = (item, names, rules, mood = "story") => [
  t(`${mood}.board-${isVoid(item) ? "void" : "scored"}`,
    { board: boardName(item.board, rules), totals: listed(totals(item, names)) }),
  knows(`outcome.${item.outcome}`) && t(`outcome.${item.outcome}`),
].filter(Boolean).join(" ");

/**
 * @param {Totals} item
 * @param {string[]} names
 */
const totals = (item, names) =>
  item.totals.flatMap((total, seat) => {
    const gained = item.payouts[seat];
    if (total === null) return [];
    const name = names.some((it) => /\d$/.test(it)) ? t("colon", { what: names[seat] }) : names[seat]; // "Greedy 1: 7"
    return [`${name} ${total}${gained ? ` (${reason(item, seat)})` : ""}`];
  });

/**
 * Return what a seat received as prizes, and what it paid to the others for their stars.
 * @param {Pick<Totals, "transfers">} item
 * @param {number} seat
 */
export function prizesOf({ transfers }, seat) {
  const sum = (/** @type {Totals["transfers"]} */ some) => some.reduce((all, it) => all + it.amount, 0);
  const prizes = transfers.filter((it) => it.to === seat && (it.reason === "first" || it.reason === "second"));
  return { prize: sum(prizes), paid: sum(transfers.filter((it) => it.from === seat)) };
}

/**
 * Describe the coins that a seat gained, and why if they differ from its prize.
 * @param {Totals} item
 * @param {number} seat
 */
function reason(item, seat) {
  const gained = item.payouts[seat];
  const coins = t("coins-gained", { count: signed(gained) });
  const { prize, paid } = prizesOf(item, seat);
  if (paid) return t("coins-gained.less", { coins, prize, paid });
  return prize ? coins : t("coins-gained.stars", { coins, count: gained });
}

/** @param {number} number */
export const signed = (number) => (number > 0 ? `+${number}` : String(number));
