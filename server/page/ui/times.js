// Times in the user's language and time zone.
import { now } from "./connection.js";
import { me } from "./token.js";
import { locale, t } from "./words.js";

const MINUTE = 60_000;
const SHORT = 5 * MINUTE; // a day or more may be this much short: `2 days`, not `1 day 23 hours`
/** @type {["day" | "hour" | "minute", number][]} */
const STEPS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];

/** Return the page's language with the user's region, if the browser has it. */
export const region = () => navigator.languages.find((it) => it.startsWith(locale())) ?? locale();

/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "short", day: "numeric", month: "short" };
/** @type {Intl.DateTimeFormatOptions} */
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }; // as in emails
const WHOLE = { ...DAY, ...TIME };

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map(); // cached, since creating a formatter is slow
/** @type {Map<string, Intl.RelativeTimeFormat>} */
const relatives = new Map();

/**
 * Format a moment in the user's time zone.
 * @param {string | number} moment
 * @param {Intl.DateTimeFormatOptions} parts
 */
function written(moment, parts) {
  const zone = me.get()?.zone;
  const key = [region(), zone, ...Object.keys(parts)].join();
  const format = formats.get(key) ?? new Intl.DateTimeFormat(region(), { ...parts, timeZone: zone });
  formats.set(key, format);
  return format.format(new Date(moment));
}

/**
 * Format as `Mon, 23 Nov, 20:42`.
 * @param {string | number} moment
 */
export const absolute = (moment) => written(moment, WHOLE);

/**
 * Return the minute before, so that an end at midnight does not look like the next day.
 * @param {string} until
 */
export const lastMinute = (until) => new Date(until).getTime() - MINUTE;

/**
 * Format a moment, without the date if that is today.
 * @param {string | number} moment
 */
export const brief = (moment) =>
  written(moment, DAY) === written(now(), DAY) ? written(moment, TIME) : absolute(moment);

/**
 * Format as `in 5 hours` or `this minute`.
 * @param {string | Date} moment
 */
export function relative(moment) {
  const [number, unit] = distance(moment);
  const numeric = number ? "always" : "auto";
  const key = `${locale()} ${numeric}`;
  const format = relatives.get(key) ?? new Intl.RelativeTimeFormat(locale(), { numeric });
  relatives.set(key, format);
  return format.format(number, unit);
}

/**
 * Format as `1 day 13 hours left`. The time is rounded down, like the server's `span`, but never to less than a minute.
 * @param {string | Date} moment
 * @param {"long" | "short"} [unitDisplay]
 */
export function left(moment, unitDisplay = "long") {
  const away = new Date(moment).getTime() - now();
  if (away < 0) return t("left.none");
  const [day] = STEPS;
  const time = Math.max(away > day[1] - SHORT ? away + SHORT : away, MINUTE);
  const first = STEPS.findIndex(([, size]) => time >= size);
  const words = STEPS.slice(first, first + (time < 2 * day[1] ? 2 : 1)).flatMap(([unit, size], nth) => {
    const number = Math.floor((nth ? time % STEPS[first][1] : time) / size);
    return number ? [new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: unit === "day" ? "long" : unitDisplay }).format(number)] : [];
  });
  return t("left", { time: words.join(" ") });
}

/**
 * Return how far away a moment is, in a suitable unit.
 * @param {string | Date} moment
 * @returns {[number, Intl.RelativeTimeFormatUnitSingular]}
 */
function distance(moment) {
  const away = new Date(moment).getTime() - now();
  const [unit, size] = STEPS.find(([, size]) => Math.abs(away) >= 1.5 * size) ?? STEPS[STEPS.length - 1];
  return [Math.round(away / size) || 0, unit]; // avoids -0
}
