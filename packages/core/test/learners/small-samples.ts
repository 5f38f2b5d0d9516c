import fc from "fast-check";
import { Sample } from "#core/encode/sample.js";
import { Matrix } from "#core/runtime/maths/matrix.js";

const CLASS_NAMES = ["ant", "bee", "cat", "dog"];

/** A sample from plain arrays; its classes are named after animals. */
export function sampleOf(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  weights?: readonly number[],
  classes = Math.max(2, ...labels.map((label) => label + 1)),
): Sample {
  return new Sample({
    features: Matrix.from(rows),
    labels: Int32Array.from(labels),
    classes: CLASS_NAMES.slice(0, classes),
    ...(weights && { weights: Float64Array.from(weights) }),
  });
}

/** The parts of a small sample with many ties: few distinct values, whole weights. */
export interface SmallSample {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
  readonly weights: readonly number[];
  readonly classes: number;
}

/** Samples with 2 to `mostClasses` classes, of which at least two occur. */
export function smallSamples(mostClasses: number): fc.Arbitrary<SmallSample> {
  return fc
    .record({
      columns: fc.integer({ min: 0, max: 4 }),
      rows: fc.integer({ min: 2, max: 14 }),
      classes: fc.integer({ min: 2, max: mostClasses }),
      values: fc.constantFrom(2, 3, 20),
    })
    .chain(({ columns, rows, classes, values }) => {
      const row = fc.array(fc.integer({ min: 0, max: values - 1 }), {
        minLength: columns,
        maxLength: columns,
      });
      return fc.record({
        rows: fc.array(row, { minLength: rows, maxLength: rows }),
        labels: fc
          .array(fc.nat(classes - 1), { minLength: rows, maxLength: rows })
          .filter((labels) => new Set(labels).size > 1),
        weights: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: rows, maxLength: rows }),
        classes: fc.constant(classes),
      });
    });
}
