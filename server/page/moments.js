// Times and lengths of time, as the reader writes them.
import { me } from "./session.js";
import { locale, t } from "./words.js";

const MINUTE = 60_000;
const STEPS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];
const PARTS = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** The language as the reader's country writes it, if his browser tells. */
const region = () => navigator.languages.find((it) => it.startsWith(locale())) ?? locale();

/** `Monday, 23 November, 20:42`, by the clocks of the reader's zone. */
export function absolute(moment) {
  return new Intl.DateTimeFormat(region(), {
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    timeZone: me.get()?.zone,
  }).format(new Date(moment));
}

/** `in 5 hours`. */
export function relative(moment) {
  const away = new Date(moment) - Date.now();
  const [unit, size] = STEPS.find(([, size]) => Math.abs(away) >= 1.5 * size) ?? STEPS.at(-1);
  return new Intl.RelativeTimeFormat(locale(), { numeric: "always" }).format(Math.round(away / size), unit);
}

/** An ISO 8601 duration such as `P1DT12H` in words. */
export function length(duration) {
  const [, weeks, days, hours, minutes, seconds] = PARTS.exec(duration) ?? [];
  const said = { week: weeks, day: days, hour: hours, minute: minutes, second: seconds };
  return Object.entries(said)
    .filter(([, number]) => Number(number))
    .map(([unit, number]) =>
      new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" }).format(number))
    .join(" ");
}

/** How long a turn may take. */
export function clockInWords(clock) {
  if (clock.per_move) return t("clock.per-move", { time: length(clock.per_move) });
  return t("clock.bank", { bank: length(clock.bank), increment: length(clock.increment), cap: length(clock.cap) });
}

/** What time-outs do, one after the other. */
export function timeoutsInWords(rungs) {
  return rungs
    .map((it) => t(`timeout.${it.do}`, { time: it.by && length(it.by), count: it.times, bot: it.bot }))
    .join(" → ");
}
