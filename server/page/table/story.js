// The story of a game, one sentence per event.
import { eventTypes, GAMES } from "../ui/games.js";
import { store } from "../ui/store.js";
import { botName, knows, listed, t, tell, whoPlays } from "../ui/words.js";
/** @import { GameEvent, Item, RulesDescription, Seat, Sentences, Store } from "../ui/types" */

/**
 * Return the version of a seat's last move, or 0.
 * @param {GameEvent[]} story
 * @param {number} [seat]
 */
export const lastMove = (story, seat) => story.findLast((it) => it.seat === seat && OWN.has(it.type))?.version ?? 0;

/**
 * Return the events up to version `at` without those that had been taken back by then.
 * @template {{type: string, version: number}} T
 * @param {T[]} story
 * @param {number} [at]
 */
export function standing(story, at = Infinity) {
  /** @type {T[]} */
  let found = [];
  for (const it of story) {
    if (it.version > at) break;
    if (it.type === "move-taken-back") found = found.filter(({ version }) => version <= /** @type {any} */ (it).to);
    found.push(it);
  }
  return found;
}

/**
 * Return whether the player of this seat has resigned, and isn't back.
 * @param {GameEvent[]} story
 * @param {number} seat
 */
export const hasResigned = (story, seat) =>
  /** @type {any} */ (story.findLast((it) => it.seat === seat && HANDS.has(it.type)))?.why === "resigned";

/**
 * Return the events, each with the `bots` that were playing for absent players, by seat.
 * @param {GameEvent[]} story
 */
export function withBots(story) {
  /** @type {Record<number, string | undefined>} */
  let bots = {};
  return story.map((it) => {
    if (HANDS.has(it.type)) bots = { ...bots, [it.seat ?? -1]: undefined };
    const found = { ...it, bots };
    if (it.type === "seat-handed-over") bots = { ...bots, [it.seat ?? -1]: it.bot };
    return found;
  });
}

/**
 * Say that a bot is playing for the player of this seat, and whether they resigned.
 * @param {GameEvent[]} story
 * @param {Seat} seat
 */
export const awayInWords = (story, { seat, stand_in }) =>
  [hasResigned(story, seat) && t("resigned"), t("stand-in", { bot: botName(stand_in) })].filter(Boolean).join(", ");

/**
 * Return the number of the turn at this version, 0 before the first, or null if the game doesn't number its turns.
 * @param {GameEvent[]} story
 * @param {number} at
 */
export const turnAt = (story, at) => {
  const isTurn = (/** @type {GameEvent} */ it) => typeof it.turn === "number"; // an event that numbers a turn begins it
  return story.some((it) => isTurn(it) || EARLY.has(it.type)) ? standing(story, at).findLast(isTurn)?.turn ?? 0 : null;
};

/**
 * Return the turn of version `at`, if the game numbers its turns, and which of the turn's versions it is.
 * @param {GameEvent[]} story
 * @param {number} at
 * @param {number} version the latest
 */
export function placeOf(story, at, version) {
  const turn = turnAt(story, at);
  const isSame = (/** @type {number} */ it) => it >= 1 && it <= version && turnAt(story, it) === turn;
  let [first, last] = [at, at];
  while (turn !== null && isSame(first - 1)) first -= 1;
  while (turn !== null && isSame(last + 1)) last += 1;
  return { turn, part: first < last ? ` · ${at - first + 1}/${last - first + 1}` : "" };
}

/**
 * Describe the place of version `at` in the game, as the table counts it.
 * @param {GameEvent[]} story
 * @param {number} at
 * @param {number} version the latest
 */
export function placeInWords(story, at, version) {
  const { turn, part } = placeOf(story, at, version);
  if (turn === null) return t("history.at", { at, version });
  const turns = Math.max(turn, turnAt(story, version) ?? 0); // fewer after a take-back
  return (turn ? t("history.turn", { turn, turns }) : t("history.start")) + part;
}

/**
 * Return the events since the player's last move, or all events for a spectator.
 * @param {GameEvent[]} story
 * @param {number} [seat]
 */
export function sinceOwnTurn(story, seat) {
  const last = lastMove(story, seat);
  return story.filter((it) => it.version > last);
}

/**
 * Return whether other players have moved since the player's last move.
 * @param {GameEvent[]} story
 * @param {number} seat
 */
export const hasMissed = (story, seat) => sinceOwnTurn(story, seat).some((it) => it.seat !== seat && OWN.has(it.type));

const OWN = eventTypes("moves");
const HANDS = new Set(["seat-handed-over", "seat-taken-back", "seat-taken-over"]);
const EARLY = eventTypes("early");

export const rooms = store(/** @type {Sentences} */ ({})); // the games' own sentences, by event type
/** @type {Store<Record<string, (props: any) => any>>} */
export const ways = store({}); // components beside a sentence, by event type

/**
 * Register a game's sentences, and components to show beside them (`beside`).
 * @param {Sentences} sentences
 * @param {Record<string, (props: any) => any>} [beside]
 */
export function tellToo(sentences, beside) {
  ways.set({ ...ways.get(), ...beside });
  rooms.set({ ...rooms.get(), ...sentences });
}

/**
 * Describe an event in a sentence, or return null if it is not worth showing. The seat `own` is the reader's.
 * @param {Item} item
 * @param {string[]} all the names of the seats
 * @param {RulesDescription} rules
 * @param {number} [own]
 * @returns {string | null}
 */
export function sentence(item, all, rules, own) {
  const bots = item.bots ?? {};
  const names = all.map((name, seat) => (seat === own && !bots[seat] ? t("you") : whoPlays(name, bots[seat])));
  const isOwn = own !== undefined && item.seat === own && !bots[own];
  const key = `story.${item.type}`;
  const name = names[item.seat ?? -1]; // undefined if the event is about no seat
  const tells = rooms.get()[item.type];
  if (tells) return tells(item, names, rules, isOwn);
  if (item.type === "time-ran-out" && item.bot) return tell("story.bot-moved", isOwn, { name, bot: botName(item.bot) });
  if (item.why === "resigned") return tell("story.resigned", isOwn, { name, bot: botName(item.bot) });
  if (item.type === "stand-in-began" && item.by) return t("story.stand-in-began.by", { name: all[item.seat] });
  if (!knows(key)) return null;
  return tell(key, isOwn && knows(`${key}.you`), {
    name,
    bot: botName(item.bot),
    names: item.places && listed(names.filter((_, seat) => item.places[seat] === 1)),
    score: item.scores && t(GAMES[rules.name]?.score ?? "points", { count: Math.max(...item.scores) }),
  });
}
