import fc from "fast-check";
import { expect, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { thresholdBetween } from "#core/learners/stump/prepare-column.js";
import { stump } from "#core/learners/stump/stump.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

/** Kinds of columns; those with more than 256 values are divided into buckets. */
const columnKinds: Record<string, (random: Random) => number> = {
  continuous: (random) => random.normal(),
  "with ties": (random) => Math.round(300 * random.normal()) / 100,
  "mostly zero": (random) => (random.uniform() < 0.7 ? 0 : random.normal()),
  "with frequent values": (random) => (random.uniform() < 0.5 ? random.integer(4) : random.uniform() * 4),
  "nearly equal": (random) => 1 + random.integer(5000) * Number.EPSILON,
  "few values": (random) => random.integer(30),
  "two values": (random) => random.integer(2),
};

interface Rule {
  readonly feature: number;
  readonly threshold: number;
  /** Weight of the rows that are right. */
  readonly right: number;
}

/** The best threshold by definition: class weights on both sides, recounted in whole numbers. */
function bestOfAll({ features, labels, weights = new Float64Array(), classes }: Sample): Rule | undefined {
  const heaviest = (ofClass: number[]) => Math.max(...ofClass);
  const totals = classes.map(() => 0);
  labels.forEach((label, i) => {
    totals[label] += weights[i];
  });
  let best: Rule | undefined;
  for (let feature = 0; feature < features.columns; feature++) {
    const rows = Array.from(labels.keys());
    const value = (row: number) => features.values[row * features.columns + feature];
    rows.sort((a, b) => value(a) - value(b));
    const left = classes.map(() => 0);
    const right = totals.slice();
    rows.forEach((row, k) => {
      left[labels[row]] += weights[row];
      right[labels[row]] -= weights[row];
      if (k + 1 === rows.length || value(rows[k + 1]) === value(row)) return;
      const sum = heaviest(left) + heaviest(right);
      if (sum <= (best?.right ?? heaviest(totals))) return;
      best = { feature, threshold: thresholdBetween(value(row), value(rows[k + 1])), right: sum };
    });
  }
  return best;
}

test("finds the best of many thresholds for all kinds of columns", async () => {
  const kinds = fc.array(fc.constantFrom(...Object.keys(columnKinds)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.integer({ min: 300, max: 900 }),
      // With many classes, columns of few values are divided into buckets too.
      fc.constantFrom(2, 3, 10, 60, 300),
      fc.integer({ min: 0, max: 3 }),
      fc.nat(),
      async (names, rows, classes, signal, seed) => {
        const random = new Random(seed);
        const values = Float64Array.from({ length: rows * names.length }, (_, k) =>
          columnKinds[names[k % names.length]](random),
        );
        const labels = Int32Array.from({ length: rows }, (_, i) =>
          random.integer(4) < signal
            ? Math.floor(Math.abs(values[i * names.length])) % classes
            : random.integer(classes),
        );
        fc.pre(labels.some((label) => label !== labels[0]));
        const sample = new Sample({
          features: new Matrix(rows, names.length, values),
          labels,
          classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
          weights: Float64Array.from({ length: rows }, () => 1 + random.integer(9)),
        });
        const best = bestOfAll(sample);
        const { split } = await stump().fit(sample);
        expect(split).toEqual(best && { feature: best.feature, threshold: best.threshold });
      },
    ),
    { numRuns: 150 },
  );
});
