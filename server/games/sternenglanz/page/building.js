// Builds a turn from taps until it is sent. The server lists the possible steps, and taps narrow them down.
import { useEffect, useRef, useState } from "../ui/html.js";
import { call, isTransient } from "../ui/api.js";
import { isOnline } from "../ui/connection.js";
import { isStale } from "../table/game.js";
import { useInterrupted } from "../table/hinted.js";
/** @import { Choice, Foresight, Level, Move, Table, Tap } from "./types" */

/** @type {Tap["kind"][]} */
const KINDS = ["slot", "action", "field", "card"];
const OUTRIGHT = new Set(["lapse", "finish", "keep", "drop", "bare"]); // never chosen automatically

/**
 * Return the taps that a step needs, by kind, or null if the step is unknown.
 * @param {any} step a step, possibly from a newer server
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
 * Return the steps that taps can lead to, each with the taps it needs.
 * @param {Move[]} moves
 * @returns {Choice[]}
 */
export function choices(moves) {
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
 * Return the only fitting step if its taps are complete.
 * @param {Choice[]} fits
 * @param {Tap[]} taps
 */
function whole(fits, taps) {
  const is = (/** @type {Choice} */ it) =>
    tapped(taps, "field").length === it.field.length && tapped(taps, "card").length === it.card.length &&
    (tapped(taps, "action").length === it.action.length || !it.action.some((action) => OUTRIGHT.has(action)));
  return fits.length === 1 && is(fits[0]) ? fits[0] : null;
}

/**
 * Return the further fields that a star can reach in several lines, each with the shortest taps that lead there.
 * @param {Choice[]} all
 * @param {Tap[]} taps
 * @returns {Map<string, Tap[]>}
 */
export function farther(all, taps) {
  const [begun, before] = [tapped(taps, "field").length, taps.filter((it) => it.kind !== "field")];
  const found = new Map();
  if (!begun) return found;
  const further = fitting(all, taps).filter((it) => it.step.path && it.field.length > begun + 1);
  for (const { field } of further.sort((one, other) => one.field.length - other.field.length)) {
    const end = field[field.length - 1];
    if (!found.has(end)) found.set(end, [...before, ...field.map((value) => ({ kind: "field", value }))]);
  }
  return found;
}

/** @param {Move[]} moves */
export const joined = (moves) => ({ steps: moves.flatMap((it) => it.steps) });

/**
 * Return the turn being built: its complete steps (`begun`, each with the events it would cause), the taps of the next
 * step, and what is `open` to be tapped. Nothing is played before `send`.
 * Without a response from the server, a step is kept without a preview (`isKept`), and no step can follow it.
 * @param {Table} table
 * @param {number | null} turn
 * @param {Move[]} moves
 * @param {(steps: Move[]) => Promise<{moves: Move[], foresight: Foresight}>} [ask] fetches what can follow
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
  const [missed, miss] = useState(/** @type {{taps: Tap[], field: unknown} | null} */ (null)); // a field that can't follow the taps
  const [lost, lose] = useState(/** @type {number | null} */ (null)); // the turn in which steps were no longer possible
  const played = useRef(/** @type {number | null} */ (null)); // the turn whose steps were sent
  const latest = useRef(turn);
  latest.current = turn;
  const { levels: before, taps } = kept.turn === turn ? kept : start; // discard another turn's steps
  const level = before[before.length - 1];
  const begun = before.slice(1);
  const all = choices(level.moves);
  const fits = fitting(all, taps);
  const isLocked = busy || !!sending || turn === null;

  /**
   * Return the taps after this one: it continues the step, ends the path further on or, if that is impossible, replaces
   * earlier taps.
   * @param {Tap} tap
   */
  const after = (tap) => {
    const next = [...taps, tap];
    if (fitting(all, next).length) return next;
    return (tap.kind === "field" && farther(all, taps).get(tap.value))
      || ways(tap.kind).map((it) => [...it, tap]).find((it) => fitting(all, it).length);
  };

  /**
   * Return the taps that a tap of this kind may follow, most preferred first. A field neither drops a slot nor a path.
   * @param {Tap["kind"]} kind
   */
  const ways = (kind) => {
    const path = tapped(taps, "field").length;
    if (kind !== "field" || (!path && !tapped(taps, "slot").length)) return [taps, taps.filter((it) => it.kind !== kind), []];
    return path > 1 ? [taps] : [taps, taps.filter((it) => it.kind !== kind)];
  };

  /** @type {Map<Tap["kind"], Set<unknown>>} */
  const opens = new Map(); // cached, since it is read for every field drawn

  /**
   * Return everything of this kind that can be tapped.
   * @param {Tap["kind"]} kind
   */
  function openOf(kind) {
    const known = opens.get(kind) ?? new Set(ways(kind).flatMap((way) =>
      fitting(all, way).map((it) => it[kind][tapped(way, kind).length])));
    if (kind === "field") farther(all, taps).forEach((_, end) => known.add(end));
    opens.set(kind, known);
    return known;
  }

  /**
   * Return the steps with this one, or null if it could not be added.
   * @param {Move} move
   * @param {Tap[]} by
   * @param {Level[]} levels the steps before it
   * @returns {Promise<Level[] | null>}
   */
  async function add(move, by = [], levels = before) {
    if (isLocked) return null;
    let added = null;
    const level = levels[levels.length - 1];
    setBusy(true);
    setError(null);
    keep({ turn, levels, taps: by });
    const steps = [...levels.slice(1).map((it) => it.move), move];
    try {
      const { moves: next, foresight } = await ask(steps);
      const would = foresight.would.slice(level.told);
      const reached = { move, by, moves: next, foresight, would, told: foresight.would.length };
      const all = [...levels, reached];
      keep((it) => (it.turn === turn ? { turn, levels: all, taps: [] } : it));
      added = all;
    } catch (wrong) {
      const isAway = isTransient(wrong);
      setError(isAway ? null : wrong); // the page shows that we are offline
      const kept = { ...level, move, by, moves: [], would: [], isKept: true };
      keep((it) => (it.turn === turn ? { turn, levels: isAway ? [...levels, kept] : levels, taps: [] } : it));
      if (isStale(wrong)) table.look();
    }
    setBusy(false);
    return added;
  }

  /** @param {Move[]} moves */
  async function addAll(moves) {
    /** @type {Level[] | null} */
    let levels = before;
    for (const move of moves) levels = levels && (await add(move, [], levels));
    return levels;
  }

  useInterrupted(table, kept.turn, turn, async () => {
    const steps = kept.levels.slice(1).map((it) => it.move);
    if (steps.length && played.current !== kept.turn && !(await addAll(steps))) lose(turn);
  });

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
    if (!taken) {
      if (!isLocked && kind === "field" && taps.length) miss({ taps, field: value });
      return;
    }
    setError(null);
    miss(null);
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

  /** @returns {Promise<boolean>} whether the steps were played */
  async function send() {
    if (isLocked || !begun.length) return false;
    setSending("sent");
    setError(null);
    let isPlayed = false;
    try {
      await table.play(turn, joined(begun.map((it) => it.move)), () => setSending("unanswered"));
      isPlayed = true;
      played.current = turn;
    } catch (wrong) {
      setError(wrong);
      if (isStale(wrong)) keep(start);
    }
    setSending(null);
    return isPlayed;
  }

  return {
    begun, taps, fits, error, sending, busy, tap, add, addAll, undo, clear, send,
    moves: level.moves,
    isKept: !!level.isKept,
    /** Whether steps from before a take-back are no longer possible. */
    isLost: lost !== null && lost === turn && !taps.length,
    /** The field tapped last, if it can't follow the taps. */
    missed: missed?.taps === taps ? missed.field : null,
    foresight: level.foresight ?? null,
    tapped: (/** @type {Tap["kind"]} */ kind) => tapped(taps, kind),
    /** Return what can be tapped next, of this kind. */
    open: (/** @type {Tap["kind"]} */ kind) => {
      const nth = tapped(taps, kind).length;
      /** @type {Set<unknown>} */
      const next = new Set(fits.map((it) => it[kind][nth]));
      next.delete(undefined);
      if (kind === "field") farther(all, taps).forEach((_, end) => next.add(end));
      return next;
    },
    /** Return the possible actions, including alternatives to the chosen ones. */
    actions: () => new Set([...tapped(taps, "action"), null].flatMap((_, nth) => {
      const kept = taps.filter((it) => it.kind !== "action" || tapped(taps, "action").indexOf(it.value) < nth);
      return fitting(all, kept).filter((it) => !it.slot.length || taps.length).map((it) => it.action[nth]);
    })),
    isOpen: (/** @type {Tap["kind"]} */ kind, /** @type {unknown} */ value) =>
      !isLocked && openOf(kind).has(value),
    /** Whether the turn is complete, so that no step can follow. */
    isWhole: begun.length > 0 && !level.moves.length && !level.isKept,
  };
}
