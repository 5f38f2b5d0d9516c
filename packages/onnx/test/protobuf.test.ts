import fc from "fast-check";
import { expect, it } from "vitest";
import { ProtoMessage } from "#onnx/protobuf.js";
import { spansOf, textsOf, wireFields } from "./wire.js";

it("integers, texts and packed numbers read back", () => {
  const integers = fc.array(fc.maxSafeInteger());
  const fields = fc.integer({ min: 1, max: 2 ** 29 - 1 });
  fc.assert(
    fc.property(fields, fc.maxSafeInteger(), fc.string(), integers, (field, integer, text, list) => {
      const bytes = new ProtoMessage()
        .integer(field, integer)
        .text(field, text)
        .message(field, new ProtoMessage().integers(1, list))
        .bytes();
      const [first, second, third] = wireFields(bytes);
      expect(first).toEqual({ field, value: BigInt(integer) });
      expect(textsOf(bytes, field)[0]).toBe(text);
      expect(second.field).toBe(field);
      const [packed = new Uint8Array(0)] = third.value instanceof Uint8Array ? spansOf(third.value, 1) : [];
      expect(unpacked(packed)).toEqual(list.map(BigInt));
    }),
  );
});

it("floats are in little-endian order", () => {
  const bytes = new ProtoMessage().float(2, 1.5).floats(7, Float32Array.of(-2, 0.1)).bytes();
  const [single, list] = wireFields(bytes).map(({ value }) => value);
  expect(single instanceof Uint8Array && [...floatsIn(single)]).toEqual([1.5]);
  expect(list instanceof Uint8Array && [...floatsIn(list)]).toEqual([-2, Math.fround(0.1)]);
});

it("more bytes than readers accept are refused before they are joined", () => {
  const part = new Uint8Array(2 ** 27);
  const message = new ProtoMessage();
  for (let k = 0; k < 16; k++) message.data(9, part);
  expect(message.length).toBeGreaterThan(2 ** 31);
  expect(() => message.bytes()).toThrow(
    expect.objectContaining({
      code: "data/too-large",
      message: "The model takes 2,148 MB as ONNX, but an ONNX file can be at most 2,147 MB.",
    }),
  );
});

function unpacked(bytes: Uint8Array): bigint[] {
  // Packed integers are varints without keys: each gets the key of field 1.
  const keyed: number[] = [];
  let isStart = true;
  for (const byte of bytes) {
    if (isStart) keyed.push(8);
    keyed.push(byte);
    isStart = byte < 128;
  }
  return wireFields(Uint8Array.from(keyed)).map(({ value }) => (typeof value === "bigint" ? value : 0n));
}

function floatsIn(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, k) => view.getFloat32(4 * k, true));
}
