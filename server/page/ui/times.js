// Times and lengths of time, as the reader writes them.
import { now } from "./connection.js";
import { me } from "./token.js";
import { locale, t } from "./words.js";

const MINUTE = 60_000;
const STEPS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];
const PARTS = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** The language as the reader's country writes it, if his browser tells. */
export const region = () => navigator.languages.find((it) => it.startsWith(locale())) ?? locale();

const DAY = { weekday: "short", day: "numeric", month: "short" };
const TIME = { hour: "2-digit", minute: "2-digit" };
const WHOLE = { ...DAY, ...TIME };

const formats = new Map(); // made once, since that takes longer than all that is written with one

/** By the clocks of the reader's zone. */
function written(moment, parts) {
  const zone = me.get()?.zone;
  const key = [region(), zone, ...Object.keys(parts)].join();
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(region(), { ...parts, timeZone: zone }));
  return formats.get(key).format(new Date(moment));
}

/** `Mon, 23 Nov, 20:42`. */
export const absolute = (moment) => written(moment, WHOLE);

/** Without the day if that is today. */
export const brief = (moment) =>
  written(moment, DAY) === written(now(), DAY) ? written(moment, TIME) : absolute(moment);

/** `in 5 hours`, `this minute`. */
export function relative(moment) {
  const away = new Date(moment) - now();
  const [unit, size] = STEPS.find(([, size]) => Math.abs(away) >= 1.5 * size) ?? STEPS.at(-1);
  const number = Math.round(away / size) || 0; // and not -0
  return new Intl.RelativeTimeFormat(locale(), { numeric: number ? "always" : "auto" }).format(number, unit);
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

/** An ISO 8601 duration in hours; NaN for what is none. */
export function hours(duration) {
  const [, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = PARTS.exec(duration) ?? [, NaN];
  return weeks * 168 + days * 24 + Number(hours) + minutes / 60 + seconds / 3600;
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
    .join(t("timeout.then"));
}
