// Durations, clocks and time-out policies in the user's language.
import { locale, t } from "./words.js";
/** @import { Clock, TimeoutStep } from "./types" */

const PARTS = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/**
 * Describe an ISO 8601 duration such as `P1DT12H` in words.
 * @param {string} duration
 */
export function length(duration) {
  const [, weeks, days, hours, minutes, seconds] = PARTS.exec(duration) ?? [];
  const said = { week: weeks, day: days, hour: hours, minute: minutes, second: seconds };
  return Object.entries(said)
    .filter(([, number]) => Number(number))
    .map(([unit, number]) =>
      new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" }).format(Number(number)))
    .join(" ");
}

/**
 * Convert an ISO 8601 duration to hours, or NaN if it is invalid.
 * @param {string} duration
 */
export function hours(duration) {
  const [, ...parts] = PARTS.exec(duration) ?? [, NaN];
  const [weeks, days, hours, minutes, seconds] = parts.map((it) => Number(it ?? 0));
  return weeks * 168 + days * 24 + hours + minutes / 60 + seconds / 3600;
}

/**
 * Describe how long a turn may take.
 * @param {Clock} clock
 */
export function clockInWords(clock) {
  if ("per_move" in clock) return t("clock.per-move", { time: length(clock.per_move) });
  return t("clock.bank", { bank: length(clock.bank), increment: length(clock.increment), cap: length(clock.cap) });
}

/**
 * Describe the steps of a time-out policy, one phrase for each.
 * @param {TimeoutStep[]} rungs
 */
export const timeoutSteps = (rungs) => rungs.map((it, i) => {
  const what = t(`timeout.${it.do}`, { time: it.by && length(it.by), count: it.times, bot: it.bot });
  return i > 0 ? t("timeout.then", { what }) : what;
});

/**
 * Describe a time-out policy in one line.
 * @param {TimeoutStep[]} rungs
 */
export const timeoutsInWords = (rungs) => timeoutSteps(rungs).join(", ");
