// Sentences of Sternenglanz about events, previews and possible steps.
import { knows, listed, locale, t, tell } from "../ui/words.js";
import { bildName, cardName } from "./cards.js";
/** @import { Cards, Firmament, Item, Move, Piece, Rules, SternenglanzEvent } from "./types" */
/** @import { Item as Event, SentencesOf } from "../ui/types" */

/** @param {string} kind */
const star = (kind) => t(`piece.${kind}`);
/**
 * @param {string} id
 * @param {Cards} cards
 */
const quoted = (id, cards) => t("quoted", { name: bildName(id, cards) });

/**
 * Return the end of a sentence that says how many points were gained.
 * @param {number} points
 */
const gained = (points) => (points ? t("story.gained", { count: points }) : "");

/**
 * As `gained`, for a laid star. A Leuchtstern on a special field gains a bonus in some scenarios.
 * @param {{star: Piece, field: string, points: number}} item
 * @param {Firmament} firmament
 */
function gainedByLaying({ star: kind, field, points }, firmament) {
  const bonus = kind === "leucht" ? (firmament.fields.find((it) => it.id === field)?.bonus ?? 0) : 0;
  if (!bonus || points < bonus) return gained(points);
  return t("story.gained.special", { count: points, bonus });
}

/**
 * List the cards by name, or return their number if they are hidden.
 * @param {(string | null)[]} copies
 * @param {Cards} cards
 */
function named(copies, cards) {
  const known = copies.filter((it) => it !== null).map((it) => cardName(it, cards));
  const counted = [...new Set(known)].map((name) => [known.filter((it) => it === name).length, name]);
  return known.length ? listed(counted.map(([count, name]) => (count === 1 ? `${name}` : `${count} × ${name}`)))
    : t("story.cards", { count: copies.length });
}

/** @param {Cards} cards */
const printed = (cards) => t("slot.printed", { card: cardName("geburt#1", cards) });

/**
 * @param {{slot: number, card: string | null}} item
 * @param {Cards} cards
 */
const by = ({ slot, card }, cards) =>
  t("story.by", { slot, card: card ? cardName(card, cards) : printed(cards) });

/**
 * The sentences by event type.
 * @type {SentencesOf<SternenglanzEvent, Rules>}
 */
export const SENTENCES = {
  "hand-dealt": ({ seat, cards: dealt }, names, { cards }, isOwn) =>
    tell("story.hand-dealt", isOwn, { name: names[seat], cards: named(dealt, cards) }),
  "sternbild-drawn": ({ seat, sternbild }, names, { cards }, isOwn) => sternbild
    ? tell("story.sternbild-drawn", isOwn, { name: names[seat], bild: quoted(sternbild, cards) })
    : tell("story.sternbild-drawn.secret", isOwn, { name: names[seat] }),
  "sternbild-turned-up": ({ sternbild }, names, { cards }) =>
    t("story.sternbild-turned-up", { bild: quoted(sternbild, cards) }),
  "cards-chosen": ({ seat, slot2, slot3 }, names, { cards }, isOwn) => slot2 && slot3
    ? tell("story.cards-chosen", isOwn, { name: names[seat], slot2: cardName(slot2, cards), slot3: cardName(slot3, cards) })
    : tell("story.cards-chosen.secret", isOwn, { name: names[seat] }),
  "choices-shown": ({ choices }, names, { cards }) => t("story.choices-shown", {
    choices: choices.map((chosen, seat) => `${t("colon", { what: names[seat] })} ${named(chosen, cards)}`).join(t("semicolon")),
  }),
  "turn-began": ({ seat, turn }, names, rules, isOwn) => tell("story.turn-began", isOwn, { turn, name: names[seat] }),
  "star-laid": (item, names, { cards, firmament }, isOwn) => tell("story.star-laid", isOwn, {
    name: names[item.seat], star: star(item.star), field: item.field, by: by(item, cards),
    gained: gainedByLaying(item, firmament),
  }),
  "star-removed": (item, names, { cards }, isOwn) => tell("story.star-removed", isOwn, {
    name: names[item.seat], star: star(item.star), field: item.field, by: by(item, cards), gained: gained(item.points),
  }),
  "star-moved": (item, names, { cards }, isOwn) => tell("story.star-moved", isOwn, {
    name: names[item.seat], star: star(item.star), path: item.path.join(" → "), by: by(item, cards),
  }),
  "supernova-laid": ({ seat, field, removed, points }, names, rules, isOwn) => tell("story.supernova-laid", isOwn, {
    name: names[seat], field,
    removed: removed.length ? listed(removed.map(([at, kind]) => t("story.piece-at", { star: star(kind), field: at })))
      : t("story.nothing-removed"),
    gained: points.map((it, other) => (it ? `${t("semicolon")}${names[other]} ${it > 0 ? "+" : "−"}${Math.abs(it)}` : "")).join(""),
  }),
  "action-lapsed": (item, names, { cards }, isOwn) =>
    tell("story.action-lapsed", isOwn, { name: names[item.seat], by: by(item, cards) }),
  "sternbild-completed": ({ seat, sternbild, fields, points }, names, { cards }, isOwn) => tell("story.sternbild-completed", isOwn, {
    name: names[seat], bild: quoted(sternbild, cards), fields: fields.join(" "), gained: gained(points),
  }),
  "supernova-granted": ({ seat }, names, { cards }, isOwn) =>
    tell("story.supernova-granted", isOwn, { name: names[seat], count: cards.supernovaAt }),
  "cards-laid": ({ seat, dropped, slot2, slot1 }, names, { cards }, isOwn) => {
    const words = { name: names[seat], cards: laidInWords({ slot2, slot1 }, cards) };
    return tell(dropped ? "story.cards-laid.dropped" : "story.cards-laid", isOwn, words);
  },
  "discards-shuffled": ({ deck }) => t("story.discards-shuffled", { count: deck }),
  "cards-drawn": ({ seat, cards: drawn }, names, { cards }, isOwn) =>
    drawn.length ? tell("story.cards-drawn", isOwn, { name: names[seat], cards: named(drawn, cards) }) : null,
  "game-decided": ({ reason, winners, sternbilder }, names, { cards }) => {
    const secret = sternbilder.map((it, seat) => it && `${names[seat]} ${quoted(it, cards)}`).filter(Boolean);
    const left = secret.length ? ` ${t("story.left", { bilder: secret.join(", ") })}` : "";
    return t("story.game-decided", { why: t(`story.why.${reason}`), names: listed(winners.map((it) => names[it])) })
      + left;
  },
};

/**
 * Return what each seat gains or loses by this event.
 * @param {SternenglanzEvent} item
 * @returns {[seat: number, points: number][]}
 */
export function gains(item) {
  if (item.type === "supernova-laid") return item.points.map((it, seat) => [seat, it]);
  const brings = item.type === "star-laid" || item.type === "star-removed" || item.type === "sternbild-completed";
  return brings ? [[item.seat, item.points]] : [];
}

/**
 * Return the events since the player's last turn began, excluding their current turn.
 * @template {{type: string, seat: number | null}} T
 * @param {T[]} story
 * @param {number} seat
 * @param {boolean} isMine
 * @returns {T[]}
 */
export function sinceLastTurn(story, seat, isMine) {
  const begins = story.flatMap((it, i) => (it.type === "turn-began" && it.seat === seat ? [i] : []));
  return isMine ? story.slice(begins.at(-2) ?? 0, begins.at(-1)) : story.slice(begins.at(-1) ?? 0);
}

/**
 * Return the latest player's events first, and each player's events in order. Each has played one turn.
 * @template {{seat: number | null}} T
 * @param {T[]} items
 */
export function latestFirst(items) {
  const first = (/** @type {T} */ it) => items.findIndex((one) => one.seat === it.seat);
  return items.toSorted((one, other) => first(other) - first(one));
}

/**
 * Summarise the points scored since the player's last turn began, highest first, excluding their current turn.
 * Empty if there were none.
 * @param {SternenglanzEvent[]} story
 * @param {{seat: number, names: string[], isMine: boolean, cards: Cards}} about
 */
export function roundInWords(story, { seat, names, isMine, cards }) {
  const round = sinceLastTurn(story, seat, isMine);
  const scored = names.map((name, whose) => ({
    name: whose === seat ? t("you") : name,
    points: round.flatMap(gains).reduce((sum, [to, points]) => (to === whose ? sum + points : sum), 0),
    bilder: round.flatMap((it) => (it.type === "sternbild-completed" && it.seat === whose ? [quoted(it.sternbild, cards)] : [])),
  })).filter((it) => it.points || it.bilder.length).sort((one, other) => other.points - one.points);
  const told = scored.map(({ name, points, bilder }) => [name, points && `${points > 0 ? "+" : "−"}${Math.abs(points)}`,
    bilder.length && `(${listed(bilder)})`].filter(Boolean).join(" "));
  return told.length ? t(isMine ? "round.last" : "round.now", { gains: told.join(", ") }) : null;
}

/**
 * Describe the effect of the steps built so far. Empty if there is nothing to say.
 * @param {(Event | Item)[]} would
 * @param {number} seat
 * @param {string[]} names
 * @param {Rules} rules
 * @param {boolean} hasPoints whether a black hole can gain points
 */
export function foreseen(would, seat, names, { cards }, hasPoints) {
  /** @type {Record<string, (it: any) => Record<string, unknown>>} */
  const said = {
    "star-laid": (it) => ({ star: star(it.star), field: it.field }),
    "star-removed": (it) => ({ star: star(it.star), field: it.field }),
    "star-moved": (it) => ({ star: star(it.star), from: it.path[0], to: it.path.at(-1) }),
    "supernova-laid": (it) => ({ field: it.field }),
    "action-lapsed": (it) => ({ slot: it.slot }),
    "act-finished": () => ({}),
    "cards-chosen": (it) => ({ slot2: cardName(it.slot2, cards), slot3: cardName(it.slot3, cards) }),
    "cards-laid": (it) => ({ cards: laidInWords(it, cards) }),
    "sternbild-completed": (it) => ({ bild: quoted(it.sternbild, cards) }),
    "supernova-granted": () => ({}),
  };
  const steps = would.filter((it) => it.seat === seat && it.type in said).map((it) => {
    const { points, dropped } = /** @type {any} */ (it);
    const count = Array.isArray(points) ? points[seat] : points;
    const gained = count ? ` (${count > 0 ? "+" : "−"}${Math.abs(count)})`
      : hasPoints && it.type === "star-removed" ? ` (${t("points", { count: 0 })})` : "";
    return t(`would.${it.type}${dropped ? ".dropped" : ""}`, { ...said[it.type](it), gained });
  });
  const end = would.find((it) => it.type === "game-decided");
  return [
    steps.length > 0 && t("would.turn", { steps: listed(steps) }),
    end && t("would.game-decided", { names: listed(/** @type {any} */ (end).winners.map((/** @type {number} */ it) => names[it])) }),
  ].filter(Boolean).join(" ");
}

/**
 * @param {{slot2: string | null, slot1: string | null}} laid
 * @param {Cards} cards
 */
function laidInWords({ slot2, slot1 }, cards) {
  const laid = [{ slot: 2, copy: slot2 }, { slot: 1, copy: slot1 }]
    .flatMap(({ slot, copy }) => (copy ? [t("step.card", { slot, card: cardName(copy, cards) })] : []));
  return laid.length ? listed(laid) : t("step.bare");
}

/**
 * Return what steps of a turn do, in short, with the cards and the slots that they go into.
 * @param {any[]} steps
 * @param {Cards} cards
 */
export function inShort(steps, cards) {
  const piece = (/** @type {string} */ kind) => {
    const name = className(kind, cards);
    return locale() === "de" || kind === "nova" ? name : name[0].toLowerCase() + name.slice(1);
  };
  const told = (/** @type {any} */ it, /** @type {any} */ before) => {
    const { cmd, do: action, class: kind = action, field, path, dropNova } = it;
    if (action === "lay" && before?.class === kind) return field; // after the same class
    if (action === "lay" || action === "nova") return `${piece(kind)}\u00a0${field}`;
    if (action === "move") return `${path[0]}\u00a0→\u00a0${path.at(-1)}`;
    if (action === "remove") return t("step.removal", it);
    if (cmd !== "choose" && cmd !== "lay") return stepName(it, cards);
    const into = [1, 2, 3].flatMap((slot) => (it[`slot${slot}`] ? [`${cardName(it[`slot${slot}`], cards)}\u00a0→\u00a0${slot}`] : []));
    return [dropNova && t("step.drop"), ...(into.length ? into : [t("step.bare")])].filter(Boolean).join(" · ");
  };
  return steps.map((it, nth) => told(it, steps[nth - 1])).join(" · ");
}

/**
 * Tell in short what other players did, with the points that it brought them.
 * @param {any[]} items events, those of a player together
 * @param {string[]} names
 * @param {Rules} rules
 */
export function movedInShort(items, names, { cards }) {
  const told = (/** @type {any} */ it) => {
    const { type, star, field, path, points } = it;
    const words = type === "star-removed" ? t("moved.removed", { field })
      : inShort([type === "star-moved" ? { do: "move", path } : { do: "lay", class: star, field }], cards);
    return points > 0 ? `${words}\u00a0(+${points})` : words;
  };
  const seats = [...new Set(items.map((it) => it.seat))];
  return seats.map((seat) => `${t("colon", { what: names[seat] })} ${items.filter((it) => it.seat === seat).map(told).join(" · ")}.`).join(" ");
}

/**
 * Return the pieces after these steps, and the removed ones by field.
 * @param {Record<string, Piece>} board
 * @param {any[]} steps
 * @param {Firmament} firmament
 */
export function afterSteps(board, steps, { lines }) {
  const [now, gone] = [{ ...board }, /** @type {Record<string, Piece>} */ ({})];
  const lose = (/** @type {string} */ field) => {
    gone[field] = now[field];
    delete now[field];
  };
  for (const { do: action, class: kind, field, path } of steps) {
    if (action === "lay") now[field] = kind;
    if (action === "remove") lose(field);
    if (action === "move") {
      now[path.at(-1)] = now[path[0]];
      delete now[path[0]];
    }
    if (action === "nova") {
      for (const it of lines.filter((one) => one.includes(field)).flat()) if (now[it] && now[it] !== "nova") lose(it);
      now[field] = "nova";
    }
  }
  return { now, gone };
}

/**
 * Describe a possible step: the slot, the action, the cards and the field.
 * @param {any} step a step, possibly from a newer server
 * @param {Cards} cards
 */
function stepName({ cmd, slot, do: action, path, field, ...rest }, cards) {
  const card = (/** @type {string} */ copy) => cardName(copy, cards);
  if (cmd === "choose") return t("step.choose", { slot2: card(rest.slot2), slot3: card(rest.slot3) });
  if (cmd === "lay") {
    const laid = [[2, rest.slot2], [1, rest.slot1]].filter(([, copy]) => copy)
      .map(([place, copy]) => t("step.card", { slot: place, card: card(copy) }));
    return [rest.dropNova && t("step.drop"), ...(laid.length ? laid : [t("step.bare")])].filter(Boolean).join(", ");
  }
  const key = `step.${action ?? cmd}`;
  if (!knows(key)) return [slot, action ?? cmd, path?.join(" → ") ?? field].filter(Boolean).join(" ");
  return t(key, { slot, field, path: path?.join(" → "), star: rest.class && star(rest.class) });
}

/**
 * @param {Move} move
 * @param {Cards} cards
 */
export const moveName = (move, cards) => move.steps.map((it) => stepName(it, cards)).join(t("semicolon"));

/**
 * Return the events of the last complete turn and the current one, which a spectator has probably not seen.
 * @template {{type: string, version: number}} T
 * @param {T[]} story
 */
export function lastTurns(story) {
  const before = story.filter((it) => it.type === "turn-began").at(-2)?.version ?? 0;
  return story.filter((it) => it.version > before);
}

/**
 * Return the changes to the Firmament: marks and removed pieces by field, and the paths of moved stars.
 * @param {Event[] | Item[]} items
 * @param {string} mark
 */
export function changes(items, mark) {
  /** @type {Record<string, string>} */
  const marks = {};
  /** @type {Record<string, Piece>} */
  const gone = {};
  /** @type {{fields: string[], kind: string}[]} */
  const ways = [];
  const lose = (/** @type {string} */ field, /** @type {any} */ kind) => {
    delete marks[field];
    gone[field] = kind;
  };
  for (const it of items) {
    if (it.type === "star-laid" || it.type === "supernova-laid") marks[it.field] = mark;
    if (it.type === "star-moved") {
      delete marks[it.path[0]];
      marks[it.path[it.path.length - 1]] = mark;
      ways.push({ fields: it.path, kind: mark });
    }
    if (it.type === "star-removed") lose(it.field, it.star);
    if (it.type === "supernova-laid") for (const [field, kind] of it.removed) lose(field, kind);
    if (it.type === "sternbild-completed") for (const field of it.fields) marks[field] = `${mark} figure`;
  }
  return { marks, gone, ways };
}

/**
 * Return the name of a class of stars, for use outside sentences.
 * @param {string} kind
 * @param {Cards} cards
 */
export const className = (kind, cards) => cards.classes[kind]?.[locale()] ?? kind;
