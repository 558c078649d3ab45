// What a plan needs to know of a turn: which steps may follow, as far as the table of today tells. The server has the last
// word when the turn comes.
import { moveName } from "./story.js";
/** @import { Cards, Firmament, Foresight, Move, Piece, Planned, Rules, View } from "./types" */
/** @typedef {Move["steps"][number]} Step */

/** @type {Piece[]} */
const STARS = ["punkt", "leucht", "pracht"];

/**
 * What the reader's next turn begins with: the slots as they are, and the hand without what is planned already.
 * @param {View} view
 * @param {number} seat
 * @param {Rules} rules
 * @param {Move[]} planned
 * @returns {Planned}
 */
export function begin(view, seat, rules, planned) {
  /** @type {Planned} */
  const now = { rules, view, seat, board: view.board, slots: view.slots[seat], hand: view.hand ?? [], done: [],
    isLaying: false, would: [] };
  return { ...planned.flatMap((it) => it.steps).reduce(after, now), would: [] };
}

/**
 * The steps that may come next, each as a move.
 * @param {Planned} now
 * @returns {Move[]}
 */
export const offers = (now) => (now.isLaying ? layings(now) : actions(now)).map((step) => ({ steps: [step] }));

/**
 * What would be after a step, if it is possible then.
 * @param {Planned} now
 * @param {any} step one that any server may have invented
 * @returns {Planned}
 */
export function after(now, step) {
  if (step.cmd === "choose") return now; // nobody plans it: all choose at the same time
  if (step.cmd === "lay") return laid(now, step);
  const { board, seat, slots, would } = now;
  if (step.cmd === "finish") return { ...now, isLaying: true, would: [...would, { type: "act-finished", seat }] };
  const { slot } = step;
  const done = [...now.done, slot];
  const isLaying = done.length === 3 || (done.length === 2 && done.join() !== "1,2");
  const by = { seat, slot, card: slots[slot - 1], points: 0 };
  const next = { ...now, done, isLaying };
  if (step.do === "lay") {
    return { ...next, board: { ...board, [step.field]: step.class },
      would: [...would, { ...by, type: "star-laid", star: step.class, field: step.field }] };
  }
  if (step.do === "move") {
    const [from, to] = [step.path[0], step.path[step.path.length - 1]];
    const { [from]: star, ...left } = board;
    return { ...next, board: { ...left, [to]: star }, would: [...would, { ...by, type: "star-moved", star, path: step.path }] };
  }
  if (step.do === "remove") {
    const { [step.field]: star, ...left } = board;
    return { ...next, board: left, would: [...would, { ...by, type: "star-removed", star, field: step.field }] };
  }
  if (step.do === "lapse") return { ...next, would: [...would, { ...by, type: "action-lapsed" }] };
  const gone = near(now.rules.firmament, step.field).filter((it) => STARS.includes(board[it]));
  const left = Object.fromEntries(Object.entries(board).filter(([field]) => !gone.includes(field)));
  return { ...next, board: { ...left, [step.field]: "nova" }, slots: slots.map((it, i) => (i === slot - 1 ? null : it)),
    would: [...would, { ...by, type: "supernova-laid", field: step.field, points: [],
      removed: gone.map((it) => [it, board[it]]) }] };
}

/**
 * @param {Planned} now
 * @returns {Step[]}
 */
function actions({ board, slots, done, rules: { cards, firmament } }) {
  const next = done.length === 0 ? [1, 2, 3] : done.join() === "1" ? [2, 3] : done.join() === "1,2" ? [3]
    : [1, 2, 3].filter((it) => !done.includes(it));
  const fields = firmament.fields.map((it) => it.id);
  const free = fields.filter((it) => !board[it]);
  const loose = fields.filter((it) => board[it] === "punkt" || board[it] === "leucht");
  const steps = next.flatMap(/** @returns {object[]} */ (slot) => {
    const kind = cards.actions.find((it) => it.id === slots[slot - 1]?.split("#")[0]);
    const act = { cmd: "act", slot };
    if (kind?.type === "sternwanderung") {
      return loose.flatMap((from) => (kind.steps ?? []).flatMap((count) => paths([from], count, board, firmament)))
        .map((path) => ({ ...act, do: "move", path }));
    }
    if (kind?.type === "schwarzes-loch") return loose.map((field) => ({ ...act, do: "remove", field }));
    if (kind?.type === "supernova") return free.map((field) => ({ ...act, do: "nova", field }));
    if (slot !== 1 && !kind) return [];
    return STARS.flatMap((star) => free.map((field) => ({ ...act, do: "lay", class: star, field })));
  });
  return /** @type {Step[]} */ (done.join() === "1,2" ? [...steps, { cmd: "finish" }] : steps);
}

/**
 * Every way on along this many lines, over free fields, that takes no line twice and ends elsewhere.
 * @param {string[]} path
 * @param {number} count
 * @param {Record<string, Piece>} board
 * @param {Firmament} firmament
 * @returns {string[][]}
 */
function paths(path, count, board, firmament) {
  const at = path[path.length - 1];
  if (!count) return at === path[0] ? [] : [path];
  const isUsed = (/** @type {string} */ to) => path.some((it, i) => i > 0
    && ((it === to && path[i - 1] === at) || (it === at && path[i - 1] === to)));
  return near(firmament, at).filter((to) => (!board[to] || to === path[0]) && !isUsed(to))
    .flatMap((to) => paths([...path, to], count - 1, board, firmament));
}

/**
 * @param {Firmament} firmament
 * @param {string} field
 */
const near = (firmament, field) =>
  firmament.lines.filter((it) => it.includes(field)).map(([one, other]) => (one === field ? other : one));

/**
 * The cards that may be laid after the shift, which leaves a Supernova card on slot 1.
 * @param {Planned} now
 * @returns {Step[]}
 */
function layings({ slots: [first], hand }) {
  const isNova = (/** @type {string | null} */ it) => !!it?.startsWith("supernova#");
  const isFilled = !!first && !isNova(first);
  return (isNova(first) ? [false, true] : [false]).flatMap((dropNova) =>
    (isFilled ? [null] : hand.filter((it) => !isNova(it))).flatMap((slot2) =>
      (isNova(first) && !dropNova ? [null] : [null, ...hand.filter((it) => it !== slot2)])
        .map((slot1) => /** @type {Step} */ ({ cmd: "lay", dropNova, slot2, slot1 }))));
}

/**
 * @param {Planned} now
 * @param {Extract<Step, {cmd: "lay"}>} step
 * @returns {Planned}
 */
function laid({ slots: [first, second], ...now }, { dropNova, slot2, slot1 }) {
  const stays = first?.startsWith("supernova#") && !dropNova;
  return { ...now, done: [], isLaying: false, hand: now.hand.filter((it) => it !== slot1 && it !== slot2),
    slots: [stays ? first : slot1, slot2 ?? (stays || dropNova ? null : first), second],
    would: [...now.would, { type: "cards-laid", seat: now.seat, dropped: dropNova ? first : null, slot2, slot1 }] };
}

/**
 * What is foreseen of these steps: no points, since the others move before them.
 * @param {Planned} now
 * @param {Move[]} begun
 */
export function foreseen(now, begun) {
  const then = begun.flatMap((it) => it.steps).reduce(after, now);
  const { board, would } = then;
  return { moves: begun.at(-1)?.steps[0].cmd === "lay" ? [] : offers(then),
    foresight: /** @type {Foresight} */ (/** @type {unknown} */ ({ would, would_reveal: false, view: { ...now.view, board } })) };
}

/**
 * The moves that a plan has of these steps. A secret Sternbild may be completed by any of them, so each is a move then.
 * @param {Move[]} steps
 * @param {Planned} now
 */
export const draft = (steps, { view, rules: { cards } }) =>
  (cards.scenarios.find((it) => it.id === view.scenario)?.sternbild === "own-secret" || !steps.length ? steps
    : [{ steps: steps.flatMap((it) => it.steps) }]);

/**
 * @param {Move} move
 * @param {Rules} rules
 */
export const written = (move, { cards }) => moveName(move, cards);

/**
 * What every spectator sees while the fields of this move are free; nothing for one that takes no field.
 * @param {Move} move
 * @param {View} view
 */
export const isFree = (move, view) => move.steps.flatMap((it) => {
  const field = !("do" in it) ? null : it.do === "lay" || it.do === "nova" ? it.field : it.do === "move" ? it.path?.at(-1) : null;
  return field && !view.board[field] ? [{ at: `/board/${field}`, is: null }] : [];
});
