// A turn as it is put together by taps, until it is sent. The server says which steps are open; taps narrow them down.
import { useEffect, useRef, useState } from "../ui/html.js";
import { call, isTransient } from "../ui/api.js";
import { isOnline } from "../ui/connection.js";
import { isStale } from "../table/game.js";
/** @import { Choice, Foresight, Level, Move, Table, Tap } from "./types" */

/** @type {Tap["kind"][]} */
const KINDS = ["slot", "action", "field", "card"];
const OUTRIGHT = new Set(["lapse", "finish", "keep", "drop", "bare"]); // what is done only if it is tapped

/**
 * What has to be tapped for a step, by kind; null for one that a newer server may have invented.
 * @param {any} step one that any server may have invented
 */
function wanted({ cmd, slot, do: action, ...step }) {
  if (cmd === "choose") return { slot: [], action: [], field: [], card: [step.slot2, step.slot3], into: [2, 3] };
  if (cmd === "act") {
    const field = step.path ?? (step.field ? [step.field] : []);
    return { slot: [slot], action: [step.class ?? action], field, card: [], into: [] };
  }
  if (cmd === "finish") return { slot: [], action: ["finish"], field: [], card: [], into: [] };
  if (cmd !== "lay") return null;
  const laid = [[2, step.slot2], [1, step.slot1]].filter(([, card]) => card);
  const nova = step.mayDrop && (step.dropNova ? "drop" : "keep");
  const isBare = !step.slot1 && (step.mayCover || !laid.length);
  return { slot: [], action: [nova, isBare && "bare"].filter(Boolean), field: [],
    card: laid.map(([, card]) => card), into: laid.map(([place]) => place) };
}

/**
 * The steps that taps can lead to: `{move, step, slot, action, field, card, into}`.
 * @param {Move[]} moves
 * @returns {Choice[]}
 */
function choices(moves) {
  const single = moves.filter((it) => it.steps?.length === 1);
  const laying = single.flatMap(({ steps: [it] }) => (it.cmd === "lay" ? [it] : []));
  return single.flatMap((move) => {
    const [step] = move.steps;
    const mayDrop = laying.some((it) => it.dropNova);
    const mayCover = laying.some((it) => step.cmd === "lay" && it.dropNova === step.dropNova && it.slot1);
    const taps = wanted({ ...step, mayDrop, mayCover });
    return taps ? [{ move, step, ...taps }] : [];
  });
}

/**
 * @param {Tap[]} taps
 * @param {Tap["kind"]} kind
 */
const tapped = (taps, kind) => taps.filter((it) => it.kind === kind).map((it) => it.value);

/**
 * @param {Choice[]} all
 * @param {Tap[]} taps
 */
function fitting(all, taps) {
  return all.filter((it) => KINDS.every((kind) => tapped(taps, kind).every((value, i) => it[kind][i] === value)));
}

/**
 * The one step that nothing is left to be chosen for.
 * @param {Choice[]} fits
 * @param {Tap[]} taps
 */
function whole(fits, taps) {
  const is = (/** @type {Choice} */ it) =>
    tapped(taps, "field").length === it.field.length && tapped(taps, "card").length === it.card.length &&
    (tapped(taps, "action").length === it.action.length || !it.action.some((action) => OUTRIGHT.has(action)));
  return fits.length === 1 && is(fits[0]) ? fits[0] : null;
}

/** @param {Move[]} moves */
export const joined = (moves) => ({ steps: moves.flatMap((it) => it.steps) });

/**
 * The turn that is being built: its whole steps (`begun`, each with the events it would cause), the taps of the next
 * one, what is `open` to be tapped; `tap`, `add`, `undo`, `clear`, `send` change it. Nothing is played before `send`. A step
 * for which nobody answers is kept all the same (`isKept`): nothing is foreseen of it, and nothing can follow until then.
 * @param {Table} table
 * @param {number | null} turn
 * @param {Move[]} moves
 * @param {(steps: Move[]) => Promise<{moves: Move[], foresight: Foresight}>} [ask] what follows these steps
 */
export function useBuilding(table, turn, moves, ask = async (steps) => {
  const [next, foresight] = await Promise.all([
    call("POST", `${table.base}/legal-moves`, { begun: steps }),
    table.preview(/** @type {number} */ (turn), joined(steps)),
  ]);
  return { moves: next.moves, foresight };
}) {
  /** @type {{turn: number | null, levels: Level[], taps: Tap[]}} */
  const start = { turn, levels: [/** @type {Level} */ ({ moves, told: 0 })], taps: [] };
  const [kept, keep] = useState(start);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [sending, setSending] = useState(/** @type {"sent" | "unanswered" | null} */ (null));
  const [busy, setBusy] = useState(false);
  const latest = useRef(turn);
  latest.current = turn;
  const { levels: before, taps } = kept.turn === turn ? kept : start; // what was built for another turn is gone
  const level = before[before.length - 1];
  const begun = before.slice(1);
  const all = choices(level.moves);
  const fits = fitting(all, taps);
  const isLocked = busy || !!sending || turn === null;

  /**
   * A tap goes on with the step; if that is not possible, it takes the place of others.
   * @param {Tap} tap
   */
  const after = (tap) => ways(tap.kind).map((it) => [...it, tap]).find((it) => fitting(all, it).length);

  /**
   * What a tap of this kind may follow.
   * @param {Tap["kind"]} kind
   */
  const ways = (kind) => [taps, taps.filter((it) => it.kind !== kind), []];

  /** @type {Map<Tap["kind"], Set<unknown>>} */
  const opens = new Map(); // a field is asked about when it is drawn, and there are many

  /**
   * All that can be tapped, of this kind.
   * @param {Tap["kind"]} kind
   */
  function openOf(kind) {
    const known = opens.get(kind) ?? new Set(ways(kind).flatMap((way) =>
      fitting(all, way).map((it) => it[kind][tapped(way, kind).length])));
    opens.set(kind, known);
    return known;
  }

  /**
   * @param {Move} move
   * @param {Tap[]} by
   * @param {Level[]} levels those that it follows
   */
  async function add(move, by = [], levels = before) {
    if (isLocked) return;
    const level = levels[levels.length - 1];
    setBusy(true);
    setError(null);
    keep({ turn, levels, taps: by });
    const steps = [...levels.slice(1).map((it) => it.move), move];
    try {
      const { moves: next, foresight } = await ask(steps);
      const would = foresight.would.slice(level.told);
      const reached = { move, by, moves: next, foresight, would, told: foresight.would.length };
      keep((it) => (it.turn === turn ? { turn, levels: [...levels, reached], taps: [] } : it));
    } catch (wrong) {
      const isAway = isTransient(wrong);
      setError(isAway ? null : wrong); // that nobody answers is said above
      const kept = { ...level, move, by, moves: [], would: [], isKept: true };
      keep((it) => (it.turn === turn ? { turn, levels: isAway ? [...levels, kept] : levels, taps: [] } : it));
      if (isStale(wrong)) table.look();
    }
    setBusy(false);
  }

  const again = useRef();
  again.current = () => {
    if (level.isKept && !isLocked) add(level.move, level.by, before.slice(0, -1));
  };
  useEffect(() => isOnline.watch((online) => online && again.current()), []);

  /**
   * @param {Tap["kind"]} kind
   * @param {unknown} value
   */
  function tap(kind, value) {
    const taken = !isLocked && after({ kind, value });
    if (!taken) return;
    setError(null);
    const found = whole(fitting(all, taken), taken);
    if (found) add(found.move, taken);
    else keep({ turn, levels: before, taps: taken });
  }

  function undo() {
    if (isLocked) return;
    setError(null);
    if (taps.length) keep({ turn, levels: before, taps: taps.slice(0, -1) });
    else if (begun.length) keep({ turn, levels: before.slice(0, -1), taps: level.by.slice(0, -1) });
  }

  function clear() {
    if (!isLocked) keep(start);
  }

  async function send() {
    if (isLocked || !begun.length) return;
    setSending("sent");
    setError(null);
    try {
      await table.play(turn, joined(begun.map((it) => it.move)), () => setSending("unanswered"));
    } catch (wrong) {
      setError(wrong);
      if (isStale(wrong)) keep(start);
    }
    setSending(null);
  }

  return {
    begun, taps, fits, error, sending, busy, tap, add, undo, clear, send,
    moves: level.moves,
    isKept: !!level.isKept,
    foresight: level.foresight ?? null,
    tapped: (/** @type {Tap["kind"]} */ kind) => tapped(taps, kind),
    /** What can be tapped next, of this kind. */
    open: (/** @type {Tap["kind"]} */ kind) => {
      const nth = tapped(taps, kind).length;
      /** @type {Set<unknown>} */
      const next = new Set(fits.map((it) => it[kind][nth]));
      next.delete(undefined);
      return next;
    },
    /** What can be done, and what could have been done instead. */
    actions: () => new Set([...tapped(taps, "action"), null].flatMap((_, nth) => {
      const kept = taps.filter((it) => it.kind !== "action" || tapped(taps, "action").indexOf(it.value) < nth);
      return fitting(all, kept).filter((it) => !it.slot.length || taps.length).map((it) => it.action[nth]);
    })),
    isOpen: (/** @type {Tap["kind"]} */ kind, /** @type {unknown} */ value) =>
      !isLocked && openOf(kind).has(value),
    /** Nothing can follow before it is sent. */
    isWhole: begun.length > 0 && !level.moves.length && !level.isKept,
  };
}
