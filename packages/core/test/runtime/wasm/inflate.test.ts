import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inflate } from "#core/runtime/wasm/inflate.js";

const strategies = [
  { level: 0 },
  { level: 9, strategy: constants.Z_FIXED },
  { level: 9, strategy: constants.Z_HUFFMAN_ONLY },
  { level: 9 },
];

/** Bytes with repeats of all lengths and distances. */
const bytes = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 400 })), { maxLength: 20 })
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => new Array<Uint8Array>(times).fill(part))));

test.each(strategies)("inflate reads what zlib writes: %j", (options) => {
  fc.assert(
    fc.property(bytes, (data) => {
      const inflated = inflate(deflateRawSync(data, options), data.length);
      expect(Buffer.compare(inflated, data)).toBe(0);
    }),
    { numRuns: 30 },
  );
});
