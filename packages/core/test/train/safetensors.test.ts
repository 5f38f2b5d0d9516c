import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tensor } from "#core/runtime/codec/state.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { readHeader, readTensors, writeSafetensors } from "#core/train/safetensors.js";

const TENSORS: Record<string, Tensor> = {
  weights: { shape: [2, 3], data: Float64Array.of(1, -2, 3.5, Math.PI, 1e300, -0) },
  bins: { shape: [5], data: Uint8Array.of(0, 1, 2, 254, 255) },
  single: { shape: [1], data: Float32Array.of(0.1) },
  counts: { shape: [2], data: Int32Array.of(-7, 7) },
  codes: { shape: [3, 1], data: Int8Array.of(-1, 0, 1) },
  hashes: { shape: [1], data: BigUint64Array.of(2n ** 64n - 1n) },
  features: { shape: [2], data: Uint32Array.of(0, 4294967295) },
  none: { shape: [0, 4], data: new Float64Array(0) },
  scalar: { shape: [], data: Float64Array.of(42) },
};

/** A file with any header text; `length` overrides what the first eight bytes say. */
function file(header: string, data: ArrayLike<number> = [], length?: bigint): Uint8Array {
  const text = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, length ?? BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

function tensorsOf(bytes: Uint8Array): Record<string, Tensor> {
  const header = readHeader(bytes);
  const buffers = [...header.entries].map(([name, { start, end }]): [string, ArrayBuffer] => [
    name,
    new Uint8Array(bytes.subarray(start, end)).buffer,
  ]);
  return readTensors(header, new Map(buffers));
}

function headerText(bytes: Uint8Array): string {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  return new TextDecoder().decode(bytes.subarray(8, 8 + length));
}

describe("safetensors writer", () => {
  const bytes = writeSafetensors({ format: "test", text: 'with "quotes" and ü' }, TENSORS);

  it("writes the layout of the specification", () => {
    const header = headerText(bytes);
    expect(header.length % 8 === 0 || new TextEncoder().encode(header).length % 8 === 0).toBe(true);
    const parsed = JSON.parse(header);
    expect(parsed.__metadata__).toEqual({ format: "test", text: 'with "quotes" and ü' });
    const { dtype, shape, data_offsets } = parsed.weights;
    expect(dtype).toBe("F64");
    expect(shape).toEqual([2, 3]);
    const start = 8 + new TextEncoder().encode(header).length + data_offsets[0];
    const view = new DataView(bytes.buffer, start, data_offsets[1] - data_offsets[0]);
    expect(view.getFloat64(16, true)).toBe(3.5);
    expect(view.getFloat64(24, true)).toBe(Math.PI);
  });

  it("orders tensors by type, widest first, then by name, so that each is aligned", () => {
    const parsed: Record<string, { data_offsets: number[] }> = JSON.parse(headerText(bytes));
    delete parsed.__metadata__;
    expect(Object.keys(parsed)).toEqual([
      "hashes",
      "none",
      "scalar",
      "weights",
      "single",
      "features",
      "counts",
      "codes",
      "bins",
    ]);
    for (const [name, { data_offsets }] of Object.entries(parsed)) {
      expect(data_offsets[0] % TENSORS[name].data.BYTES_PER_ELEMENT).toBe(0);
    }
  });

  it("gives the same bytes for any order of the input", () => {
    const reversed = Object.fromEntries(Object.entries(TENSORS).reverse());
    expect(writeSafetensors({ format: "test", text: 'with "quotes" and ü' }, reversed)).toEqual(bytes);
  });

  it("rejects a wrong shape and reserved names", () => {
    expect(() => writeSafetensors({}, { a: { shape: [3], data: new Uint8Array(2) } })).toThrowError('"a"');
    const nameless = { __metadata__: { shape: [1], data: new Uint8Array(1) } };
    expect(() => writeSafetensors({}, nameless)).toThrowError("__metadata__");
  });
});

describe("safetensors reader", () => {
  it("reads what was written, bit for bit", () => {
    const bytes = writeSafetensors({ a: "b" }, TENSORS);
    const header = readHeader(bytes);
    expect([...header.metadata]).toEqual([["a", "b"]]);
    const tensors = tensorsOf(bytes);
    expect(tensors).toEqual(TENSORS);
    expect(Object.is(tensors.weights.data[5], -0)).toBe(true);
  });

  it("reads from an unaligned slice of a larger buffer, and copies it", () => {
    const bytes = writeSafetensors({}, TENSORS);
    const larger = Buffer.alloc(bytes.length + 3);
    larger.set(bytes, 3);
    const slice = larger.subarray(3);
    const tensors = tensorsOf(slice);
    larger.fill(0);
    expect(tensors).toEqual(TENSORS);
  });

  it("round-trips arbitrary tensors and metadata", () => {
    const tensor = fc.float64Array({ maxLength: 9 }).map((data) => ({ shape: [data.length], data }));
    const name = fc.string().filter((text) => text !== "__metadata__" && text !== "__proto__");
    const texts = fc.dictionary(name, fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.dictionary(name, tensor), texts, (tensors, metadata) => {
        const bytes = writeSafetensors(metadata, tensors);
        const header = readHeader(bytes);
        expect(Object.fromEntries(header.metadata)).toEqual({ ...metadata });
        expect(tensorsOf(bytes)).toEqual({ ...tensors });
      }),
    );
  });

  it("reads an empty file of another tool, with spaces and unknown order", () => {
    const header = readHeader(
      file(' { "a" : {"shape":[2], "dtype":"F16","data_offsets":[0,4]} }  '.trim(), [0, 0, 0, 0]),
    );
    expect(header.entries.get("a")?.type).toBe("F16");
    expect([...readHeader(file("{}")).entries]).toEqual([]);
  });

  const entry = (fields: string) => `{"a":{${fields}}}`;
  const good = '"dtype":"U8","shape":[4],"data_offsets":[0,4]';
  const four = [1, 2, 3, 4];
  const FAULTS: [string, Uint8Array, string][] = [
    ["no bytes", new Uint8Array(0), "empty"],
    ["too few bytes", new Uint8Array(7), "only 7 bytes"],
    ["a header longer than the file", file("{}", [], 3n), "only 2"],
    ["a header longer than allowed", file("{}", [], 100_000_001n), "the maximum is 100000000"],
    ["a header of 2⁶⁴ − 1 bytes", file("{}", [], 2n ** 64n - 1n), "18446744073709551615"],
    ["a header cut short", file(entry(good), four, 10n), "not valid JSON"],
    ["a header that is not UTF-8", file("{", [0xff, 0x7d], 3n), "UTF-8"],
    ["a byte after the header", file("{}", [0]), "1 byte outside all tensors"],
    ["an entry that is a number", file('{"a":1}'), '"a" is not an object'],
    ["a repeated tensor", file(`{"a":{${good}},"a":{${good}}}`, four), '"a" twice'],
    ["a repeated tensor, spelt otherwise", file(`{"a":{${good}},"\\u0061":{${good}}}`, four), '"a" twice'],
    ["a repeated field", file(entry(`"dtype":"I8",${good}`), four), '"dtype" twice'],
    ["a key __proto__", file(`{"__proto__":{${good}}}`, four), "__proto__"],
    ["a key __proto__ inside", file(`{"__metadata__":{"__proto__":"x"}}`), "__proto__"],
    ["an unknown type", file(entry('"dtype":"F7","shape":[4],"data_offsets":[0,4]'), four), '"F7"'],
    [
      "a type from the prototype",
      file(entry('"dtype":"toString","shape":[4],"data_offsets":[0,4]'), four),
      "toString",
    ],
    ["no type", file(entry('"shape":[4],"data_offsets":[0,4]'), four), "no type"],
    ["nesting without end", file(entry(`"dtype":${"[".repeat(1e5)}${"]".repeat(1e5)}`)), "no type"],
    ["an unknown field", file(entry(`${good},"x":1`), four), '"x"'],
    ["a negative size", file(entry('"dtype":"U8","shape":[-4],"data_offsets":[0,4]'), four), "shape"],
    ["a fractional size", file(entry('"dtype":"U8","shape":[4.5],"data_offsets":[0,4]'), four), "shape"],
    ["a shape that is a text", file(entry('"dtype":"U8","shape":"4","data_offsets":[0,4]'), four), "shape"],
    [
      "a shape too large",
      file(entry('"dtype":"U8","shape":[5],"data_offsets":[0,4]'), four),
      "needs 5 bytes",
    ],
    [
      "a shape that overflows",
      file(entry('"dtype":"U8","shape":[4294967296,4294967297],"data_offsets":[0,4]'), four),
      "needs",
    ],
    ["three offsets", file(entry('"dtype":"U8","shape":[4],"data_offsets":[0,4,4]'), four), "data_offsets"],
    ["offsets backwards", file(entry('"dtype":"U8","shape":[4],"data_offsets":[4,0]'), four), "claims bytes"],
    [
      "offsets beyond the end",
      file(entry('"dtype":"U8","shape":[8],"data_offsets":[0,8]'), four),
      "claims bytes",
    ],
    ["a gap", file(entry('"dtype":"U8","shape":[2],"data_offsets":[2,4]'), four), "gap of 2 bytes"],
    [
      "overlapping tensors",
      file(
        '{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}',
        four,
      ),
      '"b" overlaps',
    ],
    ["metadata that are a list", file('{"__metadata__":["x"]}'), "__metadata__"],
    ["metadata that are numbers", file('{"__metadata__":{"x":1}}'), '"x"'],
  ];
  it.each(FAULTS)("rejects %s", (_, bytes, message) => {
    let error: unknown;
    try {
      readHeader(bytes);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(VouchError);
    expect(error).toMatchObject({ code: "model/corrupt", message: expect.stringContaining(message) });
  });

  it("tells other kinds of files from models", () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13);
    const csv = new TextEncoder().encode("a,b,label\n1,2,x\n");
    for (const bytes of [png, csv]) {
      expect(() => readHeader(bytes)).toThrowError(expect.objectContaining({ code: "model/unknown" }));
    }
  });

  it("rejects types that vouch does not use", () => {
    const bytes = file(entry('"dtype":"BF16","shape":[2],"data_offsets":[0,4]'), four);
    expect(() => tensorsOf(bytes)).toThrowError("BF16");
  });
});
