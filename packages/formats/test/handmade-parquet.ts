/** A value in Thrift's compact protocol: the number of its type, and its bytes. */
interface ThriftValue {
  readonly type: number;
  readonly bytes: readonly number[];
}

function varint(value: bigint): number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
}

function zigzag(value: number): number[] {
  return varint(BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)));
}

const i32 = (value: number): ThriftValue => ({ type: 5, bytes: zigzag(value) });
const i64 = (value: number): ThriftValue => ({ type: 6, bytes: zigzag(value) });
const flag = (value: boolean): ThriftValue => ({ type: value ? 1 : 2, bytes: [] });
const text = (value: string): ThriftValue => {
  const bytes = new TextEncoder().encode(value);
  return { type: 8, bytes: [...varint(BigInt(bytes.length)), ...bytes] };
};
const list = (values: readonly ThriftValue[]): ThriftValue => ({
  type: 9,
  bytes: [0xf0 | values[0].type, ...varint(BigInt(values.length)), ...values.flatMap(({ bytes }) => bytes)],
});
const struct = (fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftValue => ({
  type: 12,
  bytes: [
    ...Object.entries(fields).flatMap(([id, value]) =>
      value === undefined ? [] : [value.type, ...zigzag(Number(id)), ...value.bytes],
    ),
    0,
  ],
});

/** The numbers that stand for names in Parquet's metadata. */
export const TYPES = {
  BOOLEAN: 0,
  INT32: 1,
  INT64: 2,
  INT96: 3,
  DOUBLE: 5,
  BYTE_ARRAY: 6,
  FIXED: 7,
} as const;
export const ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BYTE_ARRAY: 7, RLE_DICTIONARY: 8 } as const;
export const CONVERTED = { DECIMAL: 5, TIME_MILLIS: 7, UINT_8: 11, JSON: 19 } as const;
const EMPTY = struct({});
export const LOGICAL = {
  date: struct({ 6: EMPTY }),
  null: struct({ 11: EMPTY }),
  float16: struct({ 15: EMPTY }),
  instant: struct({ 8: struct({ 1: flag(true), 2: struct({ 1: EMPTY }) }) }),
} as const;

/** A file of one column in one page, with a dictionary if there are entries. */
export interface HandmadeColumn {
  readonly type: number;
  readonly length?: number;
  readonly repetition?: "required" | "optional" | "repeated";
  readonly converted?: number;
  readonly scale?: number;
  readonly precision?: number;
  readonly logical?: ThriftValue;
  readonly rows: number;
  readonly nulls?: number;
  readonly encoding?: number;
  /** Definition levels without their length; with them, the page is one of version 2. */
  readonly levels?: readonly number[];
  readonly dictionary?: { readonly entries: number; readonly bytes: readonly number[] };
  readonly bytes: readonly number[];
}

/** Writes a Parquet file byte by byte, for what DuckDB does not write. */
export function handmadeParquet(column: HandmadeColumn): Buffer {
  const { type, rows, nulls = 0, encoding = ENCODINGS.PLAIN, levels, dictionary, bytes } = column;
  const dictionaryPage = dictionary
    ? page(2, { 7: struct({ 1: i32(dictionary.entries), 2: i32(ENCODINGS.PLAIN) }) }, dictionary.bytes)
    : [];
  const levelCount = levels?.length ?? 0;
  const second = struct({
    ...{ 1: i32(rows), 2: i32(nulls), 3: i32(rows), 4: i32(encoding) },
    ...{ 5: i32(levelCount), 6: i32(0), 7: flag(false) },
  });
  const first = struct({ 1: i32(rows), 2: i32(encoding), 3: i32(ENCODINGS.RLE), 4: i32(ENCODINGS.RLE) });
  const dataPage = levels ? page(3, { 8: second }, [...levels, ...bytes]) : page(0, { 5: first }, bytes);
  const size = dictionaryPage.length + dataPage.length;
  const chunk = struct({
    ...{
      1: i32(type),
      2: list([i32(encoding)]),
      3: list([text("a")]),
      4: i32(0),
      5: i64(rows),
      6: i64(size),
      7: i64(size),
    },
    ...{ 9: i64(4 + dictionaryPage.length), 11: dictionary && i64(4) },
  });
  const group = struct({ 1: list([struct({ 2: i64(4), 3: chunk })]), 2: i64(size), 3: i64(rows) });
  const schema = list([struct({ 4: text("schema"), 5: i32(1) }), schemaElement(column)]);
  const footer = struct({ 1: i32(1), 2: schema, 3: i64(rows), 4: list([group]) }).bytes;
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(footer.length);
  const magic = Buffer.from("PAR1");
  return Buffer.concat([magic, Buffer.from([...dictionaryPage, ...dataPage, ...footer]), tail, magic]);
}

function page(
  type: number,
  header: Readonly<Record<number, ThriftValue>>,
  bytes: readonly number[],
): number[] {
  const { length } = bytes;
  return [...struct({ 1: i32(type), 2: i32(length), 3: i32(length), ...header }).bytes, ...bytes];
}

function schemaElement(column: HandmadeColumn): ThriftValue {
  const { type, length, repetition = "required", converted, scale, precision, logical } = column;
  const optional = (value: number | undefined) => (value === undefined ? undefined : i32(value));
  return struct({
    ...{
      1: i32(type),
      2: optional(length),
      3: i32(["required", "optional", "repeated"].indexOf(repetition)),
    },
    ...{ 4: text("a"), 6: optional(converted), 7: optional(scale), 8: optional(precision), 10: logical },
  });
}
