import type { SchemaElement, TimeUnit } from "hyparquet";
import { parseFloat16 } from "hyparquet/src/convert.js";
import { strictUtf8 } from "../bytes.js";
import {
  dayText,
  decimalNumber,
  decimalText,
  doubleText,
  floatText,
  int96Microseconds,
  intervalText,
  timestampText,
  timeText,
  uuidText,
} from "./duckdb-text.js";
import { BINARY_VALUES, UnsupportedValues } from "./malformed-parquet.js";

/** A value as stored: INT32, FLOAT and DOUBLE are numbers, INT64 and INT96 bigints, strings bytes. */
export type RawValue = number | bigint | boolean | Uint8Array;

/** Meaning of the values of a column. */
export interface ColumnType {
  /** Formats a value as a category. */
  text(value: RawValue): string;
  /** Converts a number to a double; absent in text columns. */
  readonly number?: (value: RawValue) => number;
  /** Whether the values are strings, or bytes without further annotation. */
  readonly isString?: boolean;
}

/**
 * Returns the type of a column, with the meaning that DuckDB gives it. Throws if there is none. Like DuckDB, it accepts
 * the older of Parquet's two annotations for integers, dates and decimals, which writers keep for compatibility.
 */
export function columnType(element: SchemaElement): ColumnType {
  return (
    decimalType(element) ??
    timeType(element) ??
    bytesType(element) ??
    integerType(element) ??
    plainType(element)
  );
}

function decimalType({
  type,
  converted_type,
  precision = 0,
  scale = 0,
}: SchemaElement): ColumnType | undefined {
  if (converted_type !== "DECIMAL") return undefined;
  if (type === "BOOLEAN" || type === "INT96" || type === "FLOAT" || type === "DOUBLE") {
    throw new Error(`its decimal numbers are stored as ${type}`);
  }
  if (precision < 1 || scale < 0 || scale > precision) {
    throw new Error(`its decimal numbers have ${precision} digits, ${scale} of them after the point`);
  }
  const number = (value: RawValue) => decimalNumber(unscaledOf(value), scale);
  // DuckDB's decimals have up to 38 digits; longer ones are doubles.
  if (precision > 38) return { number, text: (value) => doubleText(number(value)) };
  return { number, text: (value) => decimalText(unscaledOf(value), precision, scale) };
}

/** Returns the type of dates, times, timestamps and intervals. */
function timeType({
  type,
  type_length,
  converted_type,
  logical_type,
}: SchemaElement): ColumnType | undefined {
  if (type === "INT32" && converted_type === "DATE") {
    return { text: (value) => dayText(Number(value)) };
  }
  if (type === "INT96") {
    return { text: (value) => timestampText(int96Microseconds(integerOf(value)), 1_000_000n) };
  }
  if (type === "FIXED_LEN_BYTE_ARRAY" && type_length === 12 && converted_type === "INTERVAL") {
    return { text: (value) => intervalOf(bytesOf(value)) };
  }
  if (type !== "INT32" && type !== "INT64") return undefined;
  if (logical_type?.type === "TIMESTAMP") return timestampType(logical_type);
  if (logical_type?.type === "TIME") return timeOfDayType(logical_type);
  if (converted_type === "TIMESTAMP_MILLIS") return timestampType({ unit: "MILLIS", isAdjustedToUTC: false });
  if (converted_type === "TIMESTAMP_MICROS") return timestampType({ unit: "MICROS", isAdjustedToUTC: false });
  if (converted_type === "TIME_MILLIS") return timeOfDayType({ unit: "MILLIS", isAdjustedToUTC: false });
  if (converted_type === "TIME_MICROS") return timeOfDayType({ unit: "MICROS", isAdjustedToUTC: false });
  return undefined;
}

interface TimeScale {
  readonly unit: TimeUnit;
  readonly isAdjustedToUTC: boolean;
}

const PER_SECOND: Readonly<Record<TimeUnit, bigint>> = {
  MILLIS: 1000n,
  MICROS: 1_000_000n,
  NANOS: 1_000_000_000n,
};

function timestampType({ unit, isAdjustedToUTC }: TimeScale): ColumnType {
  const perSecond = PER_SECOND[unit];
  if (!isAdjustedToUTC) return { text: (value) => timestampText(integerOf(value), perSecond) };
  // DuckDB's timestamps with a time zone have microseconds.
  if (unit === "NANOS") {
    return { text: (value) => `${timestampText(integerOf(value) / 1000n, 1_000_000n)}+00` };
  }
  return { text: (value) => zoned(timestampText(integerOf(value), perSecond)) };
}

function timeOfDayType({ unit, isAdjustedToUTC }: TimeScale): ColumnType {
  const perSecond = PER_SECOND[unit];
  if (!isAdjustedToUTC) return { text: (value) => timeText(integerOf(value), perSecond) };
  if (unit === "NANOS") return { text: (value) => zoned(timeText(integerOf(value) / 1000n, 1_000_000n)) };
  return { text: (value) => zoned(timeText(integerOf(value), perSecond)) };
}

function zoned(text: string): string {
  return text.endsWith("infinity") ? text : `${text}+00`;
}

/** Returns the type of strings and other bytes. */
function bytesType({
  type,
  type_length,
  converted_type,
  logical_type,
}: SchemaElement): ColumnType | undefined {
  if (type !== "BYTE_ARRAY" && type !== "FIXED_LEN_BYTE_ARRAY") return undefined;
  if (type === "FIXED_LEN_BYTE_ARRAY" && !((type_length ?? 0) > 0)) {
    throw new Error("its values of fixed length have no length");
  }
  const logical = logical_type?.type;
  if (logical === "UUID" && type_length === 16) return { text: (value) => uuidText(bytesOf(value)) };
  if (logical === "FLOAT16" && type_length === 2) {
    const number = (value: RawValue) => parseFloat16(bytesOf(value)) ?? Number.NaN;
    return { number, text: (value) => floatText(number(value)) };
  }
  const isGeometry = logical === "GEOMETRY" || logical === "GEOGRAPHY";
  if (isGeometry || converted_type === "BSON") {
    throw new UnsupportedValues(`its values of type ${isGeometry ? logical : "BSON"} cannot be read`);
  }
  return { text: (value) => decodeText(bytesOf(value)), isString: true };
}

function integerType({ type, converted_type }: SchemaElement): ColumnType | undefined {
  if (type !== "INT32" && type !== "INT64") return undefined;
  if (!converted_type?.startsWith("UINT_")) return { number: Number, text: String };
  return type === "INT32"
    ? { number: (value) => Number(value) >>> 0, text: (value) => String(Number(value) >>> 0) }
    : {
        number: (value) => Number(BigInt.asUintN(64, integerOf(value))),
        text: (value) => String(BigInt.asUintN(64, integerOf(value))),
      };
}

function plainType({ type }: SchemaElement): ColumnType {
  if (type === "BOOLEAN") return { text: String };
  if (type === "FLOAT") return { number: Number, text: (value) => floatText(Number(value)) };
  if (type === "DOUBLE") return { number: Number, text: (value) => doubleText(Number(value)) };
  throw new UnsupportedValues(`its values of type ${type ?? "unknown"} cannot be read`);
}

/** Returns the unscaled integer of a decimal, stored as big-endian two's complement or as an integer type. */
function unscaledOf(value: RawValue): bigint {
  if (!(value instanceof Uint8Array)) return integerOf(value);
  let unscaled = 0n;
  for (const byte of value) unscaled = (unscaled << 8n) | BigInt(byte);
  return BigInt.asIntN(8 * value.length, unscaled);
}

function integerOf(value: RawValue): bigint {
  if (value instanceof Uint8Array) throw new TypeError("Expected an integer.");
  return BigInt(value);
}

function bytesOf(value: RawValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError("Expected bytes.");
}

function decodeText(bytes: Uint8Array): string {
  try {
    return strictUtf8(bytes);
  } catch {
    throw new UnsupportedValues(BINARY_VALUES);
  }
}

function intervalOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return intervalText(view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true));
}
