// The story of a game: a sentence for each item.
import { store } from "../ui/store.js";
import { knows, listed, t } from "../ui/words.js";
/** @import { GameEvent, Item, RulesDescription, Sentences, Store } from "../ui/types" */

/**
 * The version of a seat's last move; 0 while it has made none.
 * @param {GameEvent[]} story
 * @param {number} [seat]
 */
export const lastMove = (story, seat) => story.findLast((it) => it.seat === seat && OWN.has(it.type))?.version ?? 0;

/**
 * The items since the reader's own last move; all of them for a spectator.
 * @param {GameEvent[]} story
 * @param {number} [seat]
 */
export function sinceOwnTurn(story, seat) {
  const last = lastMove(story, seat);
  return story.filter((it) => it.version > last);
}

/**
 * Whether somebody else has moved since.
 * @param {GameEvent[]} story
 * @param {number} seat
 */
export const hasMissed = (story, seat) => sinceOwnTurn(story, seat).some((it) => it.seat !== seat && OWN.has(it.type));

const OWN = new Set(["star-placed", "cards-laid", "cards-chosen", "star-laid", "star-moved", "star-removed",
  "supernova-laid", "action-lapsed", "act-finished"]);

export const rooms = store(/** @type {Sentences} */ ({})); // sentences of rooms, by the type of the item
/** @type {Store<Record<string, (props: any) => any>>} */
export const ways = store({}); // what rooms have beside a sentence, by the type of the item

/**
 * From here on `sentence` asks these, too: functions of the item, the names of the seats, and the rules. `beside` has
 * components that are shown beside sentences, given the item and the rules.
 * @param {Sentences} sentences
 * @param {Record<string, (props: any) => any>} [beside]
 */
export function tellToo(sentences, beside) {
  ways.set({ ...ways.get(), ...beside });
  rooms.set({ ...rooms.get(), ...sentences });
}

/**
 * The item as a sentence, or null where there is nothing worth telling.
 * @param {Item} item
 * @param {string[]} names
 * @param {RulesDescription} rules
 * @returns {string | null}
 */
export function sentence(item, names, rules) {
  const key = `story.${item.type}`;
  const name = names[item.seat ?? -1]; // of nobody, if it is about no seat
  const tells = rooms.get()[item.type];
  if (tells) return tells(item, names, rules);
  if (item.type === "time-ran-out" && item.bot) return t("story.bot-moved", { name, bot: item.bot });
  if (!knows(key)) return null;
  return t(key, {
    name,
    bot: item.bot,
    names: item.places && listed(names.filter((_, seat) => item.places[seat] === 1)),
    score: item.scores && Math.max(...item.scores),
  });
}
