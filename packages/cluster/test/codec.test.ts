import { describe, expect, it } from "vitest";
import { VouchError } from "vouch";
import { Random } from "vouch/extend";
import { type BlobRef, blobsIn, decodeValue, encodeValue, LEAST_BLOB, outOfBand } from "#cluster/codec.js";

/** Encodes with blobs, as runs do. */
function sent(value: unknown): { message: Uint8Array; blobs: Map<string, ArrayBufferLike> } {
  const blobs = new Map<string, ArrayBufferLike>();
  const refs = new Map<object, BlobRef>();
  for (const [i, { source, bytes }] of outOfBand(value).entries()) {
    const hash = `${i}`.padStart(64, "0");
    blobs.set(hash, Uint8Array.from(bytes).buffer);
    refs.set(source, { hash, bytes: bytes.length });
  }
  const message = encodeValue(value, (source) => refs.get(source) ?? { hash: "", bytes: 0 });
  return { message, blobs };
}

const values: readonly unknown[] = [
  null,
  undefined,
  true,
  [0, -0, 1, -1, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 0.1, Number.NaN, Infinity, -Infinity, 5e-324],
  ["", "ä", "日本", "\u0000", "\ud800 alone", "😀"],
  { a: { b: { c: [] } }, constructor: "own", toString: 1, "": undefined },
  [new Uint8Array(3), new Int8Array([-1]), new Uint16Array(2), new Int16Array(2), new Uint32Array(1)],
  [new Int32Array([-5]), new Float32Array([0.1]), new Float64Array([0.1, -0]), new BigInt64Array([-1n])],
  { levels: Array.from({ length: 5000 }, (_, i) => `level ${i}`), codes: new Int32Array(9000).fill(7) },
];

describe("the codec of a cluster", () => {
  it("gives back what it was given", () => {
    for (const value of values) {
      const { message, blobs } = sent(value);
      expect(decodeValue(message, blobs)).toEqual(value);
      expect(new Set(blobsIn(message).map(({ hash }) => hash))).toEqual(new Set(blobs.keys()));
    }
    expect(Object.is(decodeValue(encodeValue(-0)), -0)).toBe(true);
  });

  it("keeps long arrays and lists of strings out of the message", () => {
    const long = new Float64Array(1e5);
    const { message, blobs } = sent({ long, again: long, names: Array(4000).fill("name of a level") });
    expect(message.length).toBeLessThan(300);
    // The same array is one blob.
    expect(blobs.size).toBe(2);
    expect(outOfBand(new Uint8Array(LEAST_BLOB - 1))).toEqual([]);
  });

  it("writes an array that occurs often once", () => {
    const shared = Float64Array.from({ length: 1000 }, (_, i) => i);
    const value = Array.from({ length: 50 }, (_, first) => ({ shared, first }));
    const { message, blobs } = sent(value);
    expect(message.length).toBeLessThan(12_000);
    expect(decodeValue(message, blobs)).toEqual(value);
  });

  it("passes objects of a class as plain ones, and refuses the rest", () => {
    class Point {
      readonly x = 1;
    }
    expect(decodeValue(encodeValue(new Point()))).toEqual({ x: 1 });
    for (const bad of [() => 1, 1n, Symbol("s"), new Map(), new Set(), new DataView(new ArrayBuffer(1))]) {
      expect(() => encodeValue({ bad })).toThrow(VouchError);
    }
    let deep: unknown = 1;
    for (let i = 0; i < 100; i++) deep = [deep];
    expect(() => encodeValue(deep)).toThrow(VouchError);
  });

  it("makes no prototype of a message", () => {
    const name = new TextEncoder().encode("__proto__");
    // An object with one property of that name, whose value is an object.
    const message = Uint8Array.from([9, 1, 0, 0, 0, 6, name.length, 0, 0, 0, ...name, 9, 0, 0, 0, 0]);
    expect(() => decodeValue(message)).toThrow(/forbidden/);
  });

  it("refuses malformed messages, whatever their bytes are", () => {
    const random = new Random(1);
    const messages = values.map(sent);
    let refused = 0;
    for (let trial = 0; trial < 4000; trial++) {
      const { message, blobs } = messages[trial % messages.length];
      const forged = Uint8Array.from(message);
      for (let k = 0; k < 3 && forged.length > 0; k++) {
        forged[Math.floor(random.uniform() * forged.length)] = Math.floor(256 * random.uniform());
      }
      const cut =
        random.uniform() < 0.3 ? forged.subarray(0, Math.floor(random.uniform() * forged.length)) : forged;
      try {
        decodeValue(cut, blobs);
      } catch (error) {
        expect(error).toMatchObject({ code: "cluster/malformed" });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(1000);
    // A list that says it has four billion elements, and one that is nested deeply.
    expect(() => decodeValue(Uint8Array.from([8, 255, 255, 255, 255, 0]))).toThrow(VouchError);
    expect(() => decodeValue(Uint8Array.from(Array(1000).fill([8, 1, 0, 0, 0]).flat()))).toThrow(VouchError);
  });
});
