// The steps of a scoring, and their texts. All results come from the server; only the order is decided here.
import { listed, t } from "../../ui/words.js";
import { isVoid, prizesOf, starName } from "../story.js";
/** @import { Board, BoardScored, Payment, Rules, Step } from "../types" */

/**
 * Return the steps of a scored board, without empty ones: `arcs` between black holes that vanish, `pulls` into those
 * that remain, and numbers `doubled` by adjacent double stars.
 * @param {BoardScored} item
 * @param {Board} board
 * @param {Rules} rules
 * @returns {Step[]}
 */
export function stepsOf(item, board, rules) {
  const star = Object.fromEntries(item.placements.map((it) => [it.space, it.star]));
  const printed = (/** @type {string} */ space) => rules.stars.find((it) => it.star === star[space])?.value ?? 0;
  const beside = (/** @type {string} */ space) =>
    board.lines.filter((it) => it.includes(space)).map(([a, b]) => (a === space ? b : a));
  const left = (/** @type {string} */ kind) => (/** @type {string} */ space) =>
    item.remaining.includes(space) && star[space] === kind;
  const holeOf = (/** @type {string} */ space) => /** @type {string} */ (beside(space).find(left("B")));
  const pulls = item.swallowed.map((space) => ({ space, hole: holeOf(space) }));
  const doubled = item.remaining.filter((space) => item.values[space] !== printed(space))
    .map((space) => ({ space, times: item.values[space] / printed(space), by: beside(space).filter(left("D")) }));
  const down = board.spaces.filter((it) => it.size === "large").map((it) => it.id);
  /** @type {Partial<Step>[]} */
  const end = isVoid(item) ? [{ kind: "void" }] : [{ kind: "worth" }, { kind: "totals" }, { kind: "pay" }];
  /** @type {(false | Partial<Step>)[]} */
  const steps = [
    { kind: "reveal", down },
    item.annihilated.length > 0 && { kind: "vanish",
      arcs: board.lines.filter((ends) => ends.every((it) => item.annihilated.includes(it))) },
    pulls.length > 0 && { kind: "swallow", pulls },
    doubled.length > 0 && { kind: "double", doubled },
    ...end,
  ];
  return /** @type {Step[]} */ (steps.filter(Boolean));
}

/**
 * Describe a step in a few sentences.
 * @param {Step} step
 * @param {BoardScored} item
 * @param {string[]} names
 * @returns {string[]}
 */
export function told(step, item, names) {
  const lying = Object.fromEntries(item.placements.map((it) => [it.space, it]));
  const star = (/** @type {string} */ space) =>
    t("scoring.star", { star: starName(lying[space].star), name: names[lying[space].seat], space });
  const tells = {
    reveal: () => [t("scoring.reveal", { count: step.down.length })],
    vanish: () => [t("scoring.vanish", { stars: listed(item.annihilated.map(star)) })],
    swallow: () => [...new Set(step.pulls.map((it) => it.hole))].map((hole) => t("scoring.swallow", {
      hole, stars: listed(step.pulls.filter((it) => it.hole === hole).map((it) => star(it.space))),
    })),
    double: () => step.doubled.map(({ space, times, by }) => t("scoring.double", {
      star: star(space), count: by.length, times, value: item.values[space],
    })),
    worth: () => [t("scoring.worth")],
    totals: () => ranked(item, names),
    pay: () => [...exceptions(item), ...item.transfers.map((it) => paid(it, names)), ...kept(item, names)],
    void: () => [t("scoring.void")],
  };
  return tells[step.kind]();
}

/**
 * Describe the ranking, with the tie-break for equal totals.
 * @param {BoardScored} item
 * @param {string[]} names
 */
function ranked({ ranking, totals, stars }, names) {
  const [first, second = []] = ranking;
  const all = (/** @type {number[]} */ seats) => listed(seats.map((seat) => names[seat]));
  const total = totals[first[0]];
  const without = names.filter((_, seat) => totals[seat] === null && stars[seat] === 0);
  const said = [];
  if (first.length > 1) said.push(t("scoring.tie", { names: all(first), total }));
  else if (!second.length) said.push(t("scoring.alone", { name: all(first), total }));
  else if (totals[second[0]] === total) {
    const equal = ranking.filter(([seat]) => totals[seat] === total).flat();
    said.push(t("scoring.by-stars", { names: all(equal), total, name: all(first) }));
  } else said.push(t("scoring.first", { name: all(first), total }));
  if (first.length === 1 && second.length > 1) said.push(t("scoring.second-tie", { names: all(second) }));
  if (without.length) said.push(t("scoring.without", { names: listed(without) }));
  return said;
}

/**
 * Describe exceptions to the usual payment.
 * @param {BoardScored} item
 */
function exceptions({ outcome, transfers, second }) {
  if (outcome === "first_tie") return [t("scoring.no-prizes"), ...(transfers.length ? [] : [t("scoring.nothing")])];
  if (outcome === "second_tie" || (outcome === "sole" && second === null)) return [t("scoring.no-second")];
  return [];
}

/**
 * @param {Payment} payment
 * @param {string[]} names
 */
function paid({ reason, from, to, amount }, names) {
  const payer = from === "bank" ? t("scoring.from.bank") : t("scoring.from", { name: names[from] });
  return t(`scoring.paid.${reason}`, { name: names[to], count: amount, from: payer });
}

/**
 * Say what is left of the first prize if its winner pays the others.
 * @param {BoardScored} item
 * @param {string[]} names
 */
const kept = (item, names) => names.flatMap((name, seat) => {
  const { prize, paid } = prizesOf(item, seat);
  return paid ? [t("scoring.kept", { name, count: item.payouts[seat], prize, paid })] : [];
});

/**
 * Return the place of a seat on this board, or undefined if it has no star left.
 * @param {number} seat
 * @param {number[][]} ranking
 */
export function placeOf(seat, ranking) {
  const group = ranking.findIndex((it) => it.includes(seat));
  return group < 0 ? undefined : 1 + ranking.slice(0, group).flat().length;
}
