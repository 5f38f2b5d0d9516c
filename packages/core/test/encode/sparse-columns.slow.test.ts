import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { cutPoints } from "#core/encode/cut-points.js";
import type { Encoding } from "#core/encode/encoder.js";
import { fitEncoder, restoreEncoder } from "#core/encode/fit-encoder.js";
import { JointFeatures } from "#core/encode/joint-features.js";
import { addRepeatedly } from "#core/encode/moments.js";
import type { Features } from "#core/encode/sample.js";
import { Random } from "#core/runtime/maths/random.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import type { Column } from "#core/table/column.js";
import { SparseValues } from "#core/table/sparse-cells.js";
import { rangeOf } from "#core/table/value-blocks.js";
import { sparseColumns, twinTables } from "../table/sparse-tables.js";

const target = { target: "y", classes: ["a", "b"] };
const encodings: Encoding[] = [
  { kind: "numeric", standardise: true },
  { kind: "numeric", standardise: false, precision: "f32" },
  { kind: "numeric", standardise: "keep-zeros" },
  { kind: "numeric", standardise: "keep-zeros", sparse: true },
  { kind: "numeric", standardise: false, sparse: true },
  { kind: "binned", maxBins: 255 },
  { kind: "binned", maxBins: 4 },
  { kind: "binned", maxBins: 16, constants: "keep" },
];

/** The numbers or bins of features, whatever their layout; −0 is 0. */
function numbersOf(features: Features): number[] {
  if (features instanceof BinnedColumns) return [...features.bins];
  if (features instanceof JointFeatures) return features.parts.flatMap(numbersOf);
  const { values } = features instanceof SparseRows ? features.toMatrix() : features;
  return Array.from(values, (value) => value + 0);
}

/** Returns the result, or the message of the error. */
function outcome<T>(action: () => T): T | string {
  try {
    return action();
  } catch (error) {
    if (error instanceof VouchError) return error.message;
    throw error;
  }
}

/** Draws a column of categories, and one of text, beside the numbers. */
function otherColumns(rows: number): Column[] {
  const codes = Int32Array.from({ length: rows }, (_, i) => (i % 7 === 6 ? -1 : i % 3));
  const levels = ["red car", "blue car", "green tree"];
  return [
    { kind: "categorical", name: "c", codes, levels },
    { kind: "categorical", name: "t", codes, levels, holds: { kind: "text" } },
  ];
}

describe("an encoder of sparse columns", () => {
  it.each(encodings)("has the state and the features of the same cells in arrays: %j", (encoding) => {
    fc.assert(
      fc.property(sparseColumns({ min: 1, max: 60 }, 5), fc.integer({ min: 0, max: 2 }), (cells, others) => {
        const { dense, sparse } = twinTables(cells, otherColumns(cells[0].length).slice(0, others));
        const expected = outcome(() => fitEncoder(dense, target, encoding));
        const encoder = outcome(() => fitEncoder(sparse, target, encoding));
        if (typeof expected === "string" || typeof encoder === "string") {
          expect(encoder).toBe(expected);
          return;
        }
        expect(encoder.toState()).toEqual(expected.toState());
        const features = expected.encode(dense);
        const restored = restoreEncoder(expected.toState());
        for (const rows of [dense, sparse]) {
          for (const own of [encoder, restored])
            expect(numbersOf(own.encode(rows))).toEqual(numbersOf(features));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("makes sparse rows only for learners that take them, and if most features are zero", () => {
    const random = new Random(1);
    const draw = (share: number) =>
      Array.from({ length: 200 }, () => (random.uniform() < share ? random.uniform() : 0));
    const encode = (share: number, encoding: Encoding) => {
      const { sparse } = twinTables(Array.from({ length: 8 }, () => draw(share)));
      return fitEncoder(sparse, target, encoding).encode(sparse);
    };
    const taken: Encoding = { kind: "numeric", standardise: "keep-zeros", sparse: true };
    expect(encode(0.1, taken)).toBeInstanceOf(SparseRows);
    expect(encode(0.9, taken)).not.toBeInstanceOf(SparseRows);
    expect(encode(0.1, { ...taken, standardise: true })).not.toBeInstanceOf(SparseRows);
    expect(encode(0.1, { kind: "numeric", standardise: "keep-zeros" })).not.toBeInstanceOf(SparseRows);
  });

  it("finds the cuts of long columns, whose quantiles are those of a sample", () => {
    const random = new Random(2);
    const cells = Float64Array.from({ length: 300_001 }, (_, i) =>
      i % 31 === 0 ? Number.NaN : random.uniform() < 0.1 ? random.uniform() - 0.3 : 0,
    );
    const range = rangeOf("t", { kind: "numeric", name: "x", values: cells });
    expect(cutPoints(SparseValues.from(cells), range, 64)).toEqual(cutPoints(cells, range, 64));
  });
});

describe("addRepeatedly", () => {
  it("rounds as one addition after the other", () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: -10, max: 10, noNaN: true }),
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: -60, max: 60 }).map((exponent) => 1.5 * 2 ** exponent),
    );
    fc.assert(
      fc.property(number, number, fc.nat({ max: 20_000 }), (start, term, times) => {
        let sum = start;
        for (let k = 0; k < times; k++) sum += term;
        expect(addRepeatedly(start, term, times)).toBe(sum);
      }),
      { numRuns: 2000 },
    );
  });

  it("rounds ties to even as they come", () => {
    for (const term of [0.5, 1.5, -0.5, 2.5]) {
      for (const start of [2 ** 52, 2 ** 52 + 1, 2 ** 53 - 9, 2 ** 53 + 2]) {
        let sum = start;
        for (let k = 0; k < 100; k++) sum += term;
        expect(addRepeatedly(start, term, 100)).toBe(sum);
      }
    }
  });
});
