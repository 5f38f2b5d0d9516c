import { readWrittenNumber } from "@vouch/core/internal/table/number-notation";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TRIES } from "./tries.js";
import { writtenNumber } from "./written-number.js";

const PIECES = [
  ..."0123456789".split(""),
  ..."0123456789".split(""),
  ..."1,234 .5 ,5 12.5 1.234,5 1'234 1,23,456 000 e5 E-3".split(" "),
  ...[
    "+",
    "-",
    "−",
    "(",
    ")",
    "%",
    "$",
    "€",
    "R$",
    "USD",
    "kr",
    "<",
    "+",
    "'",
    ",",
    ".",
    " ",
    "\u00a0",
    "\u202f",
    "x",
  ],
];

const finite = (value: number) => (Number.isFinite(value) ? value : Number.NaN);

test("numbers in any notation are those of an independent reader", () => {
  const text = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 })
    .map((pieces) => pieces.join(""));
  let numbers = 0;
  fc.assert(
    fc.property(text, (written) => {
      const expected = /^[ \t]*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \t]*$/i.test(written)
        ? finite(Number(written))
        : (writtenNumber(written) ?? Number.NaN);
      if (!Number.isNaN(expected)) numbers++;
      expect(readWrittenNumber(written, "."), JSON.stringify(written)).toBe(expected);
    }),
    { numRuns: 20 * TRIES, seed: 1 },
  );
  expect(numbers).toBeGreaterThan(TRIES);
});
