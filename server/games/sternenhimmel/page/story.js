// Sentences of Sternenhimmel.
import { knows, listed, locale, t } from "../ui/words.js";
/** @import { Board, BoardScored, Rules, SternenhimmelEvent } from "./types" */
/** @import { SentencesOf } from "../ui/types" */
/** @typedef {Pick<BoardScored, "board" | "totals" | "payouts">} Totals */

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
  "star-placed": ({ seat, board, space, star }, names, rules) =>
    t("story.star-placed", { name: names[seat], board: boardName(board, rules), space, star: starName(star) }),
  "board-scored": (item, names, rules) => scored(item, names, rules),
  "seat-skipped": ({ seat }, names) => t("story.seat-skipped", { name: names[seat] }),
};

/**
 * @param {Totals} item
 * @param {string[]} names
 * @param {Rules} rules
 * @param {"story" | "would"} mood past or conditional
 */
export const scored = (item, names, rules, mood = "story") => t(`${mood}.board-${isVoid(item) ? "void" : "scored"}`,
  { board: boardName(item.board, rules), totals: listed(totals(item, names)) });

/**
 * @param {Totals} item
 * @param {string[]} names
 */
const totals = (item, names) =>
  item.totals.flatMap((total, seat) => {
    const gained = item.payouts[seat];
    if (total === null) return [];
    const name = names.some((it) => /\d$/.test(it)) ? t("colon", { what: names[seat] }) : names[seat]; // "Greedy 1: 7"
    return [`${name} ${total}${gained ? ` (${t("coins-gained", { count: signed(gained) })})` : ""}`];
  });

/** @param {number} number */
export const signed = (number) => (number > 0 ? `+${number}` : String(number));
