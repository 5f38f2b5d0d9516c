import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { deepCascadeDirect, logTreeShapes } from "#core/theory/cascades/direct-bound.js";
import {
  constantComplexity,
  gateVcComplexity,
  leafVcComplexity,
  lemma1Product,
  lemma2Product,
} from "#core/theory/cascades/leaf-complexity.js";
import { deepCascadeTheorem1 } from "#core/theory/cascades/theorem-1.js";
import { exactRademacher, monteCarloRademacher, oneByOne } from "#core/theory/margins/rademacher.js";
import { thresholdComplexity } from "#core/theory/margins/rademacher-of-families.js";

type Values = readonly number[];

/** The largest Σ_i σ_i f_i over functions that are given by their values. */
function best(functions: Iterable<Values>, signs: ArrayLike<number>): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const values of functions) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += signs[i] * values[i];
    if (sum > largest) largest = sum;
  }
  return largest;
}

/** R̂_S of functions that are given by their values on m rows. */
function complexityOf(functions: readonly Values[]): number {
  return exactRademacher(functions[0].length, (signs) => best(functions, signs));
}

/** b(x, y) of a classifier: +1 where it is right. */
function rightness(predictions: Values, labels: Values): Values {
  return predictions.map((own, i) => (own === labels[i] ? 1 : -1));
}

function distinct(functions: readonly Values[]): Values[] {
  return [...new Map(functions.map((values) => [values.join(), values])).values()];
}

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("complexities for several classes, by brute force over all signs", () => {
  it.each([2, 3, 4, 5])("constants of %i classes", (classes) => {
    const random = new Random(classes);
    for (let trial = 0; trial < 10; trial++) {
      const labels = range(9).map(() => random.integer(classes));
      const family = range(classes).map((own) =>
        rightness(
          range(9).map(() => own),
          labels,
        ),
      );
      expect(complexityOf(family)).toBeLessThanOrEqual(constantComplexity(9, classes) + 1e-12);
    }
    expect(constantComplexity(9, 2)).toBe(1 / 3);
  });

  it.each([2, 3, 4])("thresholds with two of %i classes", (classes) => {
    const random = new Random(classes);
    for (let trial = 0; trial < 10; trial++) {
      const columns = range(2).map(() => range(9).map(() => random.normal()));
      const labels = range(9).map(() => random.integer(classes));
      const family = columns.flatMap((column) =>
        [Number.NEGATIVE_INFINITY, ...column].flatMap((cut) =>
          range(classes).flatMap((above) =>
            range(classes).map((below) =>
              rightness(
                column.map((x) => (x > cut ? above : below)),
                labels,
              ),
            ),
          ),
        ),
      );
      expect(complexityOf(distinct(family))).toBeLessThanOrEqual(thresholdComplexity(2, 1, 9, classes));
    }
  });

  it("the largest of K linear functions, and gates on the difference of the two largest", () => {
    const random = new Random(1);
    // A constant and one feature: d = 2. Random functions reach most of the ways to label seven rows.
    const rows = 7;
    for (const classes of [2, 3]) {
      const xs = range(rows).map(() => random.normal());
      const labels = range(rows).map(() => random.integer(classes));
      const leaves: Values[] = [];
      const gates: Values[] = [];
      for (let draw = 0; draw < 6_000; draw++) {
        const functions = range(classes).map(() => [random.normal(), random.normal()]);
        const scores = xs.map((x) => functions.map(([a, b]) => a + b * x).sort((p, q) => q - p));
        const largest = xs.map((x) => {
          const own = functions.map(([a, b]) => a + b * x);
          return own.indexOf(Math.max(...own));
        });
        const cut = Math.abs(random.normal());
        leaves.push(rightness(largest, labels));
        const near = scores.map(([first, second]) => (first - second <= cut ? 1 : 0));
        gates.push(
          near,
          near.map((value) => 1 - value),
        );
      }
      const ways = distinct(leaves);
      // Sauer's count of signs: (em/d)^{(K−1)d}.
      expect(ways.length).toBeLessThanOrEqual(((Math.E * rows) / 2) ** (2 * (classes - 1)));
      expect(complexityOf(ways)).toBeLessThanOrEqual(leafVcComplexity(2, rows, classes));
      expect(complexityOf(distinct(gates))).toBeLessThanOrEqual(gateVcComplexity(2, rows, classes));
      expect(leafVcComplexity(2, 1e5, classes)).toBeCloseTo(
        leafVcComplexity(2, 1e5) * Math.sqrt(classes - 1),
        12,
      );
    }
  });

  it("products of gates and classifiers of several classes", () => {
    const random = new Random(2);
    for (let trial = 0; trial < 40; trial++) {
      const labels = range(7).map(() => random.integer(3));
      const family = (values: Values) =>
        range(1 + random.integer(4)).map(() => range(7).map(() => values[random.integer(values.length)]));
      const [first, second] = [family([0, 1]), family([0, 1])];
      const classifiers = family([0, 1, 2]).map((own) => rightness(own, labels));
      const products = first.flatMap((p) =>
        second.flatMap((q) => classifiers.map((b) => b.map((value, i) => value * p[i] * q[i]))),
      );
      const selector = lemma2Product([complexityOf(first), complexityOf(second)]);
      expect(complexityOf(products)).toBeLessThanOrEqual(
        lemma1Product(selector, complexityOf(classifiers)) + 1e-12,
      );
    }
  });
});

it("with three classes the steps of the direct bound hold for every sample of a tiny problem", () => {
  const random = new Random(4);
  const cases = range(6).map((z) => ({ place: Math.floor(z / 3), label: z % 3 }));
  const rows = 3;
  const samples = range(6 ** rows).map((code) => range(rows).map((i) => Math.floor(code / 6 ** i) % 6));
  for (let problem = 0; problem < 8; problem++) {
    const family = (values: number) =>
      range(1 + random.integer(3)).map(() => range(2).map(() => random.integer(values)));
    const [gates, first, last] = [family(2), family(3), family(3)];
    const weights = cases.map(() => random.uniform());
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const chance = weights.map((weight) => weight / total);
    const right = (own: Values) =>
      rightness(
        cases.map(({ place }) => own[place]),
        cases.map(({ label }) => label),
      );
    // The leaves s·b of every cascade, at every case; their sum is +1 where the cascade is right.
    const staying = gates.flatMap((gate) =>
      first.map((own) => right(own).map((b, z) => (1 - gate[cases[z].place]) * b)),
    );
    const going = gates.flatMap((gate) =>
      last.map((own) => right(own).map((b, z) => gate[cases[z].place] * b)),
    );
    const losses = gates.flatMap((gate) =>
      first.flatMap((a) =>
        last.map((b) =>
          cases.map(({ place, label }) => Number((gate[place] === 1 ? b[place] : a[place]) !== label)),
        ),
      ),
    );
    const expected = losses.map((loss) => loss.reduce((sum, value, z) => sum + chance[z] * value, 0));
    let mean = 0;
    for (const sample of samples) {
      const at = (functions: readonly Values[]) => functions.map((values) => sample.map((z) => values[z]));
      const complexity = complexityOf(at(losses));
      const products = complexityOf(at(staying)) + complexityOf(at(going));
      expect(complexity).toBeLessThanOrEqual(products / 2 + 1e-12);
      const gap = Math.max(
        ...at(losses).map((values, f) => expected[f] - values.reduce((a, b) => a + b, 0) / rows),
      );
      mean += sample.reduce((product, z) => product * chance[z], 1) * (gap - 2 * complexity);
    }
    expect(mean).toBeLessThanOrEqual(1e-12);
  }
});

it("binary trees are counted by the Catalan numbers", () => {
  /** Shapes of trees with this many leaves, by recursion over the leaves on the first side. */
  const shapes = (leaves: number): number =>
    leaves === 1
      ? 1
      : range(leaves - 1).reduce((sum, left) => sum + shapes(left + 1) * shapes(leaves - left - 1), 0);
  for (let leaves = 1; leaves <= 10; leaves++)
    expect(Math.exp(logTreeShapes(leaves))).toBeCloseTo(shapes(leaves), 6);
  const leaves = range(3).map(() => ({ correct: 300, wrong: 30, complexity: 0.1 }));
  const evidence = { rows: 990, leaves, families: 2, gatesChosen: true, mostLeaves: 4, confidence: 0.95 };
  const chain = Math.log(4) + 3 * Math.log(2) + Math.log(7) + Math.log(20);
  const deviation = 2 * Math.sqrt((chain + Math.log(2)) / (2 * 990));
  expect(deepCascadeDirect({ ...evidence, anyTree: true }).terms.deviation).toBeCloseTo(deviation, 12);
  expect(deepCascadeTheorem1({ ...evidence, anyTree: true }).value).toBeGreaterThan(
    deepCascadeTheorem1(evidence).value,
  );
});

/**
 * A problem with three classes of which everything is known: x is uniform on five places, and each has a distribution of classes.
 * Cascades are trees with up to three leaves: thresholds as gates, constants as leaves.
 */
describe("coverage of the bounds for trees with three classes", () => {
  const CHANCES = [
    [0.9, 0.05, 0.05],
    [0.1, 0.8, 0.1],
    [0.7, 0.2, 0.1],
    [0.1, 0.1, 0.8],
    [0.34, 0.33, 0.33],
  ];
  const PLACES = CHANCES.length;
  const ROWS = 800;
  const SAMPLES = 30;
  const intervals = range(PLACES).flatMap((from) =>
    range(PLACES - from).map((length) => ({ from, to: from + length + 1 })),
  );
  const partitions = intervals.flatMap((first) =>
    first.from > 0 ? [] : [...tails(first.to)].map((rest) => [first, ...rest]),
  );

  /** All ways to divide the places from `start` on into at most two intervals. */
  function* tails(start: number): Generator<{ from: number; to: number }[]> {
    if (start === PLACES) return yield [];
    yield [{ from: start, to: PLACES }];
    for (let cut = start + 1; cut < PLACES; cut++) {
      yield [
        { from: start, to: cut },
        { from: cut, to: PLACES },
      ];
    }
  }

  it("holds for all trees at once in at least 95% of the samples", () => {
    const random = new Random(3);
    let misses = 0;
    let smallest = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const xs = range(ROWS).map(() => random.integer(PLACES));
      const ys = xs.map((x) => {
        const u = random.uniform();
        return u < CHANCES[x][0] ? 0 : u < CHANCES[x][0] + CHANCES[x][1] ? 1 : 2;
      });
      const counts = range(PLACES).map((x) =>
        range(3).map((c) => ys.filter((y, i) => y === c && xs[i] === x).length),
      );
      // Products of a selector, an interval of places, with a constant: σ enters only by its sums over equal (x, y).
      const { upper } = monteCarloRademacher(
        ROWS,
        oneByOne((signs) => {
          const sums = CHANCES.map(() => [0, 0, 0]);
          for (let i = 0; i < ROWS; i++) sums[xs[i]][ys[i]] += signs[i];
          let largest = 0;
          for (const { from, to } of intervals) {
            for (let c = 0; c < 3; c++) {
              let sum = 0;
              for (let x = from; x < to; x++)
                for (let y = 0; y < 3; y++) sum += y === c ? sums[x][y] : -sums[x][y];
              largest = Math.max(largest, sum);
            }
          }
          return largest;
        }),
        { draws: 40, random, confidence: 0.999 },
      );
      let missed = false;
      for (const partition of partitions) {
        for (const classes of range(3 ** partition.length)) {
          const own = partition.map((_, k) => Math.floor(classes / 3 ** k) % 3);
          const leaves = partition.map(({ from, to }, k) => {
            const places = range(to - from).map((i) => from + i);
            const correct = places.reduce((sum, x) => sum + counts[x][own[k]], 0);
            const all = places.reduce((sum, x) => sum + counts[x][0] + counts[x][1] + counts[x][2], 0);
            return { correct, wrong: all - correct, complexity: upper };
          });
          const error = partition.reduce(
            (sum, { from, to }, k) =>
              sum + range(to - from).reduce((part, i) => part + (1 - CHANCES[from + i][own[k]]) / PLACES, 0),
            0,
          );
          const evidence = { rows: ROWS, families: 1, gatesChosen: true, mostLeaves: 3, confidence: 0.95 };
          const { value } = deepCascadeDirect({ ...evidence, leaves, anyTree: true });
          smallest = Math.min(smallest, value);
          if (error > value) missed = true;
        }
      }
      if (missed) misses++;
    }
    expect(misses).toBeLessThanOrEqual(2);
    // The bounds say something.
    expect(smallest).toBeLessThan(0.7);
  });
});
