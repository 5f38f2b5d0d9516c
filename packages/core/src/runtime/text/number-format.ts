import { shortName } from "./shorten.js";

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]);
  return (exponent < 0 ? "⁻" : "") + digits.join("");
}

function scientific(value: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential(2).split("e");
  return `${mantissa.replace("-", "−")} × 10${superscript(Number(exponent))}`;
}

let significant: Intl.NumberFormat | undefined;

/** Formats to four significant digits. The format is made on first use: that takes longer than to load most modules. */
function fourDigits(value: number): string {
  significant ??= new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 4 });
  return significant.format(value);
}

/** Rounds to a whole number, with separators between thousands. */
function grouped(value: number): string {
  return value.toFixed(0).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a number: whole numbers in full with separators, others to four significant digits, NaN as a dash. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return scientific(value);
  const text = Number.isInteger(value) || size >= 1e4 ? grouped(value) : fourDigits(value);
  return text.replace("-", "−");
}

/** Formats a count with its noun: `1 row`, `1,234 rows`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

/** Formats a duration in a suitable unit, to two or three digits: 0.4 µs, 76 ms, 0.44 s, 12 s, 3 min 20 s; NaN as a dash. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return formatNumber(seconds);
  if (seconds < 0.9995e-3) return `${twoDigits(1e6 * seconds)} µs`;
  if (seconds < 0.0995) return `${twoDigits(1e3 * seconds)} ms`;
  if (seconds < 0.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 99.5) return `${twoDigits(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Formats with one decimal below ten, and none from there on. */
function twoDigits(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0);
}

const BYTE_UNITS = ["B", "kB", "MB", "GB"];

/** Formats a size in bytes: 812 B, 12 kB, 3.4 MB. */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[power]}`;
}

/** Percentages below this would show as zeros with twelve decimals. */
const MIN_PERCENTAGE = 5e-13;

/** Counts the decimals: one, or as many as two significant digits need, as in 97.4%, 3.5%, 0.46%, 0.0031%. */
function decimals(percentage: number): number {
  return Math.min(12, Math.max(1, 1 - Math.floor(Math.log10(percentage))));
}

/**
 * Formats a fraction as a percentage with one decimal, or two significant digits: `3.5%`, `0.46%`. Only exactly 1 reads as
 * 100%, so that a rare error is not rounded away.
 */
export function formatPercent(fraction: number): string {
  if (!Number.isFinite(fraction)) return formatNumber(fraction);
  const percentage = 100 * fraction;
  if (fraction === 1) return "100%";
  // A difference of equal numbers may leave 10⁻¹⁷.
  if (Math.abs(percentage) < MIN_PERCENTAGE) return "0%";
  if (percentage < 100 && percentage >= 99.95) return "> 99.9%";
  return `${percentage.toFixed(decimals(Math.abs(percentage))).replace("-", "−")}%`;
}

/** Formats an upper bound as a percentage, rounded up, so that the number shown is still an upper bound. */
export function formatUpperBound(bound: number): string {
  if (!(bound < 1)) return `100%`;
  if (bound <= 0) return `0%`;
  const percentage = 100 * bound;
  const digits = decimals(percentage);
  const scale = 10 ** digits;
  // 0.07 is 7.000000000000001%, which must not read 7.1%.
  const units = Math.ceil(Number((percentage * scale).toPrecision(12)));
  return `${(units / scale).toFixed(digits)}%`;
}

/** Formats a lower bound on a fraction as a percentage, rounded down, so that the number shown is still a bound. */
export function formatLowerBound(bound: number): string {
  if (!(bound > 0)) return `0%`;
  if (bound >= 1) return `100%`;
  const percentage = 100 * bound;
  const digits = decimals(percentage);
  const scale = 10 ** digits;
  const units = Math.floor(Number((percentage * scale).toPrecision(12)));
  return `${(units / scale).toFixed(digits)}%`;
}

/** Formats an upper bound that is not a fraction, such as a log-loss, rounded up to three digits. */
export function formatUpperNumber(bound: number): string {
  if (!(bound > 0 && Number.isFinite(bound))) return formatNumber(bound);
  const scale = 10 ** (2 - Math.floor(Math.log10(bound)));
  return formatNumber(Math.ceil(Number((bound * scale).toPrecision(12))) / scale);
}

/** Formats a lower bound that is not a percentage, such as an AUC, rounded down to three decimals. */
export function formatLowerNumber(bound: number): string {
  return formatNumber(Math.floor(Number((bound * 1000).toPrecision(12))) / 1000);
}

/** Formats a round fraction, such as a confidence, as a percentage with all its digits: `95%`, `99.9%`. */
export function formatRoundPercent(fraction: number): string {
  return `${Number((100 * fraction).toPrecision(12))}%`;
}

/** Larger times are milliseconds since 1970: 10¹¹ of them are three years. */
const LEAST_MILLISECONDS = 1e11;

/** Formats a time as a date, with hours and minutes unless it is midnight UTC; times that are small numbers as numbers. */
export function formatTime(time: number): string {
  if (!(Math.abs(time) >= LEAST_MILLISECONDS && Math.abs(time) <= 8.64e15)) return formatNumber(time);
  const [date, clock] = new Date(time).toISOString().split("T");
  return clock.startsWith("00:00:00") ? date : `${date} ${clock.slice(0, 5)}`;
}

/** Formats a p-value: `p < 0.001`, `p = 0.032`, `p = 0.41`. */
export function formatPValue(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(p < 0.0995 ? 3 : 2)}`;
}

/** Maximum number of items of a list that are shown. */
const MAX_ITEMS = 10;

/** Joins the first items of a list, and says how many more there are: `a, b, c and 37 more`. */
export function shortList<T>(
  items: readonly T[],
  most = MAX_ITEMS,
  format: (item: T) => string = (item) => shortName(String(item)),
): string {
  const shown = items.slice(0, most).map(format).join(", ");
  return items.length > most ? `${shown} and ${formatNumber(items.length - most)} more` : shown;
}

/** Formats a value of a description: shares as percentages, true and false as yes and no, lists up to ten items. */
export function formatValue(
  value: string | number | boolean | readonly (string | number)[],
  unit?: "share",
): string {
  if (typeof value === "number") return unit === "share" ? formatPercent(value) : formatNumber(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return shortList(value, MAX_ITEMS, (item) => formatValue(item, unit));
}
