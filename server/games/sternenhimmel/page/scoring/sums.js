// The sums of a scoring: each seat's total on a board, and its payout.
import { html, useEffect, useLayoutEffect, useRef } from "../../ui/html.js";
import { t } from "../../ui/words.js";
import { SeatMark } from "../../ui/seat-shapes.js";
import { signed } from "../story.js";
import { placeOf } from "./steps.js";
/** @import { Board, BoardScored, Payment, StepKind } from "../types" */

const FLIGHT = 900; // milliseconds per coin
const APART = 450; // milliseconds between coins
const BESIDE = 20; // pixels from the bank's name to the centre of its first coin
const WIDE = 32; // pixels from one coin to the next, so that each can be counted

/**
 * Show the sums. `reached` is as in Constellation, and `isStill` turns animations off.
 * @param {{item: BoardScored, board: Board, names: string[], reached: StepKind[], isStill: boolean}} props
 */
export function Sums({ item, board, names, reached, isStill }) {
  const list = useRef();
  const has = (/** @type {StepKind} */ kind) => reached.includes(kind);
  const seats = names.map((_, seat) => seat).filter((seat) => item.placements.some((it) => it.seat === seat)
    || item.payouts[seat]);
  const order = has("totals") ? seats.toSorted((one, other) => rank(item, one) - rank(item, other)) : seats;
  const most = Math.max(1, ...item.totals.map((it) => it ?? 0));
  const isPaid = (/** @type {"first" | "second"} */ prize) =>
    has("pay") && item.transfers.some((it) => it.reason === prize);
  useEffect(() => { if (has("totals")) list.current.scrollIntoView({ block: "nearest" }); }, [has("totals")]);
  useSliding(list, order.join(), isStill);
  useFlights(list, item.transfers, has("pay") && !isStill);
  return html`<div class="sums" ref=${list}>
    <p class="till"><span class=${`coin first ${isPaid("first") ? "given" : ""}`} data-purse="first">${
      board.prizes.first}</span><span class=${`coin ${isPaid("second") ? "given" : ""}`} data-purse="second">${
      board.prizes.second}</span><span class="bank" data-purse="bank">${t("scoring.bank")}</span>
      <span class="unseen">${t("prizes", board.prizes)}</span></p>
    <ol>${order.map((seat) => html`<li key=${seat} data-seat=${seat} class=${item.totals[seat] === null ? "out" : ""}>
      <span class="rank">${has("totals") ? placeOf(seat, item.ranking) : ""}</span>
      <${SeatMark} seat=${seat} />
      <span class="who"><strong>${names[seat]}</strong>
        <small>${has("worth") || has("void") ? sum(item, seat) : ""}</small></span>
      <span class="bar" aria-hidden="true"><i style=${{ "--part":
        has("totals") ? (item.totals[seat] ?? 0) / most : 0 }}></i></span>
      <span class="total">${has("totals") && item.totals[seat] !== null && html`<strong>${item.totals[seat]}</strong>
        <small>${t("scoring.stars", { count: item.stars[seat] })}</small>`}</span>
      <span class="gain" data-purse=${seat}>${has("pay") && item.payouts[seat] !== 0 && html`<b class="coin first"
        aria-hidden="true">${signed(item.payouts[seat])}</b><span class="unseen">${
        t("coins-gained", { count: signed(item.payouts[seat]) })}</span>`}</span>
    </li>`)}</ol>
  </div>`;
}

/**
 * @param {BoardScored} item
 * @param {number} seat
 */
const rank = (item, seat) => placeOf(seat, item.ranking) ?? Infinity;

/**
 * Describe a seat's total as the sum of its remaining stars.
 * @param {BoardScored} item
 * @param {number} seat
 */
function sum({ placements, values }, seat) {
  const worth = placements.filter((it) => it.seat === seat && it.space in values).map((it) => values[it.space]);
  return worth.length ? worth.join(" + ") : t("scoring.none");
}

/**
 * Animate rows to their new places.
 * @param {{current: HTMLElement}} list
 * @param {string} order
 * @param {boolean} isStill
 */
function useSliding(list, order, isStill) {
  const before = useRef(/** @type {Record<string, number>} */ ({}));
  useLayoutEffect(() => {
    const rows = [...list.current.querySelectorAll("li")];
    const seatOf = (/** @type {HTMLElement} */ row) => row.dataset.seat ?? "";
    const tops = Object.fromEntries(rows.map((it) => [seatOf(it), it.offsetTop]));
    for (const row of isStill ? [] : rows) {
      const moved = (before.current[seatOf(row)] ?? row.offsetTop) - row.offsetTop;
      if (moved) row.animate({ translate: [`0 ${moved}px`, "0 0"] }, { duration: 600, easing: "ease-in-out" });
    }
    before.current = tops;
  }, [order]);
}

/**
 * Animate coins from the prizes, the bank or a seat to their receivers, one by one. Until it leaves, a coin lies beside
 * the others of its purse.
 * @param {{current: HTMLElement}} list
 * @param {Payment[]} transfers
 * @param {boolean} goes
 */
function useFlights(list, transfers, goes) {
  useEffect(() => {
    if (!goes) return;
    const place = list.current;
    const purse = (/** @type {string | number} */ id) =>
      /** @type {Element} */ (place.querySelector(`[data-purse="${id}"]`)).getBoundingClientRect();
    const origin = place.getBoundingClientRect();
    /** @type {Record<string, number>} */
    const lying = {}; // coins by purse
    const coins = transfers.map(({ reason, from, to, amount }, i) => {
      const source = reason === "first" || reason === "second" ? reason : from;
      const [start, end] = [purse(source), purse(to)];
      const coin = place.appendChild(document.createElement("span"));
      coin.className = `coin flying ${reason === "second" ? "" : "first"}`;
      coin.textContent = String(amount);
      const point = (/** @type {DOMRect} */ rect) =>
        [rect.x + rect.width / 2 - origin.x, rect.y + rect.height / 2 - origin.y];
      const [[middle, y], [toX, toY]] = [point(start), point(end)];
      const nth = (lying[source] ?? -1) + 1;
      lying[source] = nth;
      const x = source === "bank" ? start.right - origin.x + BESIDE + nth * WIDE : middle - nth * WIDE; // seats: at the right
      const via = `${(x + toX) / 2 - 40}px ${(y + toY) / 2 - 24}px`;
      coin.animate({ translate: [`${x}px ${y}px`, via, `${toX}px ${toY}px`], opacity: [1, 1, 1, 0] },
        { duration: FLIGHT, delay: i * APART, easing: "ease-in-out", fill: "backwards" }).finished
        .then(() => coin.remove(), () => {});
      return coin;
    });
    return () => coins.forEach((it) => it.remove());
  }, [goes]);
}
