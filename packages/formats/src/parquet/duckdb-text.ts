/* Formats values as DuckDB does, so that a column has the same categories in browsers and in Node. */

const DAY_MICROSECONDS = 86_400_000_000n;
const LARGEST_DATE = 2 ** 31 - 1;
const LARGEST_TIME = 2n ** 63n - 1n;

/** Formats a number of days since 1970, as in `2020-02-29`. */
export function dayText(days: number): string {
  if (days === LARGEST_DATE) return "infinity";
  if (days === -LARGEST_DATE) return "-infinity";
  const { year, month, day } = civilDate(days);
  const shown = year > 0 ? year : 1 - year;
  return `${padded(shown, 4)}-${padded(month)}-${padded(day)}${year > 0 ? "" : " (BC)"}`;
}

/** Formats a timestamp, as in `2020-02-29 12:00:00.5`; `perSecond` is the number of units per second. */
export function timestampText(units: bigint, perSecond: bigint): string {
  if (units === LARGEST_TIME) return "infinity";
  if (units === -LARGEST_TIME) return "-infinity";
  const day = 86_400n * perSecond;
  const ofDay = ((units % day) + day) % day;
  return `${dayText(Number((units - ofDay) / day))} ${timeText(ofDay, perSecond)}`;
}

/** Formats a time of day, as in `12:00:00.5`. */
export function timeText(units: bigint, perSecond: bigint): string {
  const seconds = Number(units / perSecond);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const digits = String(perSecond).length - 1;
  const fraction = String(units % perSecond)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  const time = `${padded(hours)}:${padded(minutes)}:${padded(seconds % 60)}`;
  return fraction === "" ? time : `${time}.${fraction}`;
}

/** Formats Parquet's interval of months, days and milliseconds, as in `1 year 2 months 3 days 04:05:06`. */
export function intervalText(months: number, days: number, milliseconds: number): string {
  const parts = [
    counted(Math.floor(months / 12), "year"),
    counted(months % 12, "month"),
    counted(days, "day"),
    milliseconds > 0 ? timeText(BigInt(milliseconds), 1000n) : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "00:00:00" : parts.join(" ");
}

/** Formats a decimal with all digits of its scale. */
export function decimalText(unscaled: bigint, precision: number, scale: number): string {
  if (scale === 0) return String(unscaled);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const whole = digits.slice(0, -scale);
  const sign = unscaled < 0n ? "-" : "";
  return `${sign}${whole === "0" && precision === scale ? "" : whole}.${digits.slice(-scale)}`;
}

/** Largest scale whose power of ten a double holds exactly. */
const EXACT_SCALE = 22;

/** Converts a decimal number to the nearest double. */
export function decimalNumber(unscaled: bigint, scale: number): number {
  const isExact = scale <= EXACT_SCALE && unscaled <= 2n ** 53n && unscaled >= -(2n ** 53n);
  return isExact ? Number(unscaled) / Number(`1e${scale}`) : Number(`${unscaled}e-${scale}`);
}

/** Formats a double, as in `1.0`, `0.25` or `1e+20`. */
export function doubleText(value: number): string {
  return floatingText(value, String(value));
}

/** Formats a 32-bit float with the fewest digits that identify it. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return floatingText(value, "");
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return floatingText(value, String(Number(text)));
  }
  return floatingText(value, String(Number(value.toPrecision(9))));
}

function floatingText(value: number, shortest: string): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa, exponent] = Number(shortest).toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${mantissa}e${power < 0 ? "-" : "+"}${padded(Math.abs(power))}`;
  }
  // JavaScript uses an exponent below 1e-6 and from 1e21 on, so such numbers do not get here.
  return shortest.includes(".") ? shortest : `${shortest}.0`;
}

/** Formats 16 bytes as a UUID. */
export function uuidText(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => digits.slice(from, to)).join("-");
}

/** Converts Impala's timestamps (Julian day above, nanoseconds of the day in the lower 64 bits) to microseconds. */
export function int96Microseconds(value: bigint): bigint {
  const julianDay = value >> 64n;
  return (julianDay - 2_440_588n) * DAY_MICROSECONDS + BigInt.asUintN(64, value) / 1000n;
}

/** Converts days since 1970 to a Gregorian date; the algorithm counts years from March, in eras of 400 years. */
function civilDate(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + 400 * era + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

function padded(value: number, digits = 2): string {
  return String(value).padStart(digits, "0");
}

function counted(count: number, unit: string): string {
  if (count === 0) return "";
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
