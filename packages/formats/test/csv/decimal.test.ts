import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecimalReader } from "#formats/csv/decimal.js";

/** Reads the text as a cell would be: the value, or NaN when it is left to the slow way. */
function read(text: string): { value: number; end: number } {
  const reader = new DecimalReader();
  const value = reader.read(Buffer.from(`${text},`), 0);
  return { value, end: reader.end };
}

function expectSameAsNumber(text: string): boolean {
  const { value, end } = read(text);
  if (end === 0) return false;
  expect(end).toBe(text.length);
  expect(Object.is(value, Number(text)), `${text}: ${value} instead of ${Number(text)}`).toBe(true);
  return true;
}

describe("DecimalReader", () => {
  test("rounds like Number on doubles written in full", () => {
    let quick = 0;
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-3, max: 1e9 }), (x) => {
        if (expectSameAsNumber(String(x))) quick++;
      }),
      { numRuns: 20_000, seed: 1 },
    );
    expect(quick).toBeGreaterThan(15_000);
  });

  test("rounds like Number on arbitrary digits, point and exponent", () => {
    const digits = fc.stringMatching(/^[0-9]{0,20}$/);
    const exponent = fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined });
    let quick = 0;
    fc.assert(
      fc.property(fc.constantFrom("", "-", "+"), digits, digits, exponent, (sign, whole, fraction, e) => {
        if (whole + fraction === "") return;
        const text = `${sign}${whole}.${fraction}${e === undefined ? "" : `e${e}`}`;
        if (expectSameAsNumber(text)) quick++;
      }),
      { numRuns: 20_000, seed: 2 },
    );
    expect(quick).toBeGreaterThan(1000);
  });

  test("never rounds a tie, or what is next to one, the wrong way", () => {
    // Halfway between two doubles in [2^53, 2^54), and one unit of the last place beside it.
    for (let i = 0; i < 2000; i++) {
      const tie = 2n ** 53n + BigInt(2 * i * 7919 + 1);
      for (const integer of [tie - 1n, tie, tie + 1n]) {
        expectSameAsNumber(String(integer));
        expectSameAsNumber(`${integer}.0`);
        expectSameAsNumber(`${integer}.1`);
      }
    }
  });

  test("takes plain numbers and leaves everything else", () => {
    for (const text of ["0", "-0", "7", "007", "1.", ".5", "+3", "1e5", "1E-5", "123456789012345678"]) {
      expect(expectSameAsNumber(text), text).toBe(true);
    }
    for (const text of ["", "-", ".", "-.", "x", "1e", "1e+", "--1", "e5", "1e9999"]) {
      expect(read(text).end, text).toBe(0);
    }
  });
});
