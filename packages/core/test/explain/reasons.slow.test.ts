import { afterAll, describe, expect, it } from "vitest";
import type { Encoder } from "#core/encode/encoder.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Sample } from "#core/encode/sample.js";
import { type RowReasons, reasonsFor, reasonText } from "#core/explain/reasons.js";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import type { Model } from "#core/learners/model.js";
import { mlp } from "#core/learners/net/mlp.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { numberAt } from "#core/table/column.js";
import { Table } from "#core/table/table.js";

const executors = [2, 3].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

const NAMES = ["a", "b", "c", "copy", "idle"];

/** Rows with numbers, categories and missing cells; "copy" repeats "a" and "idle" is in no rule. */
function boxes(rows: number, seed: number): Table {
  const random = new Random(seed);
  const maybe = <T>(value: T) => (random.uniform() < 0.1 ? null : value);
  const records = Array.from({ length: rows }, () => {
    const a = maybe(Math.round(10 * random.normal()) / 10);
    const b = maybe(["red", "green", "blue", "white"][random.integer(4)]);
    return { a, b, c: random.normal(), copy: a, idle: random.normal() };
  });
  return Table.fromRecords("boxes", records, { b: "categorical", a: "numeric", copy: "numeric" });
}

function labelOf(table: Table, i: number, classes: number): number {
  const [a, b, c] = table.columns;
  if (a.kind !== "numeric" || b.kind !== "categorical" || c.kind !== "numeric") throw new Error("wrong kind");
  const colour = b.levels[b.codes[i]] ?? "";
  const value =
    (numberAt(a.values, i) > 0 ? 1 : 0) +
    (colour === "red" || colour === "blue" ? numberAt(c.values, i) : 0.3);
  return Math.max(0, Math.min(classes - 1, Math.floor(value + 0.5)));
}

interface Fitted {
  readonly model: Model;
  readonly encoder: Encoder;
}

async function fitted(learner: Learner, classes = 2, rows = 150): Promise<Fitted> {
  const table = boxes(rows, 7);
  const names = ["no", "yes", "maybe"].slice(0, classes);
  const encoder = fitEncoder(table, { target: "kind", classes: names }, learner.encoding);
  const labels = Int32Array.from({ length: rows }, (_, i) => labelOf(table, i, classes));
  const featureNames = encoder.featureNames;
  const sample = new Sample({ features: encoder.encode(table), labels, classes: names, featureNames });
  return { model: await learner.fit(sample, { seed: 3 }), encoder };
}

type Score = (table: Table) => Float64Array;

const columnOfScores =
  ({ model, encoder }: Fitted, k: number): Score =>
  (table) => {
    const { values, columns } = model.scores(encoder.encode(table));
    return Float64Array.from({ length: table.rows }, (_, i) => values[i * columns + k]);
  };

/** The Shapley values of one row by their definition: a sum over all subsets of the columns. */
function bruteForce(score: Score, background: Table, rows: Table, row: number): Map<string, number> {
  const names = NAMES;
  const count = 1 << names.length;
  const x = rows.select(new Int32Array(background.rows).fill(row));
  const v = Array.from({ length: count }, (_, subset) => {
    const columns = names.map((name, g) => ((subset >> g) & 1 ? x.column(name) : background.column(name)));
    const scores = score(new Table("mixed", background.rows, columns));
    return scores.reduce((sum, value) => sum + value, 0) / scores.length;
  });
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const bits = (n: number): number => (n === 0 ? 0 : (n & 1) + bits(n >> 1));
  return new Map(
    names.map((name, g) => {
      let value = 0;
      for (let subset = 0; subset < count; subset++) {
        if ((subset >> g) & 1) continue;
        const size = bits(subset);
        const weight = (factorial(size) * factorial(names.length - size - 1)) / factorial(names.length);
        value += weight * (v[subset | (1 << g)] - v[subset]);
      }
      return [name, value];
    }),
  );
}

function contribution({ reasons }: RowReasons, name: string): number {
  return reasons.find(({ column }) => column === name)?.contribution ?? Number.NaN;
}

function expectEfficient(found: RowReasons, digits = 9): void {
  const total = found.reasons.reduce((sum, reason) => sum + reason.contribution, 0);
  expect(total).toBeCloseTo(found.score - found.base, digits);
}

/** Inverts the probabilities of the logistic model; single precision in the sums of its trees limits the digits. */
const logOdds =
  (fit: Fitted, k: number): Score =>
  (table) =>
    columnOfScores(fit, k)(table).map((p) => Math.log(p / (1 - p)));

const background = boxes(9, 21);
const rows = boxes(6, 22);

describe("exact reasons", () => {
  const forests = {
    forest: forest({ trees: 8 }),
    "one deep tree": forest({ trees: 1, bootstrap: false, featuresPerSplit: "all" }),
    "random trees": randomTrees({ trees: 6 }),
  };
  for (const [name, learner] of Object.entries(forests)) {
    it(`equal the sum over all subsets: ${name} of three classes`, async () => {
      const fit = await fitted(learner, 3);
      for (const [k, of] of fit.model.classes.entries()) {
        const found = await reasonsFor(fit.model, fit.encoder, background, rows, { class: of });
        for (const [i, each] of found.entries()) {
          expect(each).toMatchObject({ of, unit: "probability" });
          expectEfficient(each, 12);
          // A sum of shares in single precision, such as 1/3, is exact to seven digits only.
          for (const [column, value] of bruteForce(exactScores(fit, k), background, rows, i)) {
            expect(Math.abs(contribution(each, column) - value)).toBeLessThan(1e-9);
          }
        }
      }
    });
  }

  it("equal the sum over all subsets: log-odds of boosted trees", async () => {
    const fit = await fitted(boostedTrees({ rounds: 15, maxDepth: 4, minChildWeight: 0.1 }));
    for (const [k, of] of fit.model.classes.entries()) {
      const found = await reasonsFor(fit.model, fit.encoder, background, rows, { class: of });
      for (const [i, each] of found.entries()) {
        expect(each.unit).toBe("log-odds");
        expectEfficient(each, 12);
        for (const [column, value] of bruteForce(exactScores(fit, k), background, rows, i)) {
          expect(Math.abs(contribution(each, column) - value)).toBeLessThan(1e-9);
        }
        // The model's own probabilities, whose margins are summed in single precision.
        for (const [column, value] of bruteForce(logOdds(fit, k), background, rows, i)) {
          expect(contribution(each, column)).toBeCloseTo(value, 4);
        }
      }
    }
  });

  it("are margins for boosted trees of three classes", async () => {
    const fit = await fitted(boostedTrees({ rounds: 5, maxDepth: 3, minChildWeight: 0.1 }), 3);
    const found = await reasonsFor(fit.model, fit.encoder, background, rows, { class: "maybe" });
    for (const [i, each] of found.entries()) {
      expect(each.unit).toBe("margin");
      expectEfficient(each, 12);
      for (const [column, value] of bruteForce(exactScores(fit, 2), background, rows, i)) {
        expect(Math.abs(contribution(each, column) - value)).toBeLessThan(1e-9);
      }
    }
  });

  const sums = {
    stump: stump(),
    "AdaBoost of stumps": adaboost({ rounds: 20 }),
    "AdaBoost of trees": adaboost({ rounds: 10, weakLearner: "tree", depth: 3 }),
    "linear SVM": linearSvm(),
  };
  for (const [name, learner] of Object.entries(sums)) {
    it(`equal the sum over all subsets of the model's scores: ${name}`, async () => {
      const fit = await fitted(learner, 3);
      for (const [k, of] of fit.model.classes.entries()) {
        const found = await reasonsFor(fit.model, fit.encoder, background, rows, { class: of });
        const scores = columnOfScores(fit, k)(rows);
        for (const [i, each] of found.entries()) {
          expect(each.score).toBeCloseTo(scores[i], 10);
          expectEfficient(each, 10);
          for (const [column, value] of bruteForce(columnOfScores(fit, k), background, rows, i)) {
            expect(Math.abs(contribution(each, column) - value)).toBeLessThan(1e-9);
            expect(each.reasons[0].se).toBeUndefined();
          }
        }
      }
    });
  }

  it("of a linear model are w · (x − mean of the background), summed over the features of a column", async () => {
    const fit = await fitted(linearSvm(), 2);
    if (!linearSvm.made(fit.model)) throw new Error("not a linear model");
    const weights = fit.model.machines.weights.row(0);
    const x = fit.encoder.encode(rows);
    const b = fit.encoder.encode(background);
    if (!("row" in x && "row" in b)) throw new Error("not a matrix");
    const found = await reasonsFor(fit.model, fit.encoder, background, rows, { class: "no" });
    for (const [i, each] of found.entries()) {
      expect(each.unit).toBe("decision value");
      const own = NAMES.map(() => 0);
      fit.encoder.featureColumns.forEach((column, j) => {
        let mean = 0;
        for (let r = 0; r < b.rows; r++) mean += b.row(r)[j] / b.rows;
        own[column] += weights[j] * (x.row(i)[j] - mean);
      });
      NAMES.forEach((name, g) => {
        expect(contribution(each, name)).toBeCloseTo(own[g], 10);
      });
    }
  });

  it("are 0 for a column that the model ignores, and equal for columns that play the same part", async () => {
    const fit = await fitted(stump());
    const [first] = await reasonsFor(fit.model, fit.encoder, background, rows);
    expect(first.reasons.filter(({ contribution }) => contribution !== 0).length).toBeLessThan(2);
    // Two trees that split alike, one on "a" and one on its copy: a mean of both, with equal cells, is symmetric.
    const table = Table.fromColumns("twins", { a: [0, 0, 1, 1], b: [0, 1, 0, 1] });
    const encoder = fitEncoder(
      table,
      { target: "y", classes: ["no", "yes"] },
      { kind: "binned", maxBins: 9 },
    );
    const labels = Int32Array.of(0, 1, 1, 1);
    const sample = new Sample({ features: encoder.encode(table), labels, classes: ["no", "yes"] });
    const tree = await forest({ trees: 1, bootstrap: false, featuresPerSplit: "all" }).fit(sample);
    const corner = Table.fromColumns("corner", { a: [1], b: [1] });
    const origin = Table.fromColumns("origin", { a: [0], b: [0] });
    const [both] = await reasonsFor(tree, encoder, origin, corner, { class: "yes" });
    expect(both.reasons.map(({ contribution }) => contribution)).toEqual([0.5, 0.5]);
    expect(both).toMatchObject({ base: 0, score: 1 });
  });
});

/** Computes the model's sum of trees in double precision, for brute force to nine digits. */
function exactScores({ model, encoder }: Fitted, k: number): Score {
  const sum = model.additive?.(k);
  if (sum?.kind !== "trees") throw new Error("not a sum of trees");
  return (table) => {
    const features = encoder.encode(table);
    if (!("bins" in features)) throw new Error("not binned");
    return Float64Array.from({ length: table.rows }, (_, row) => {
      let total = sum.base;
      for (let t = 0; t < sum.trees.trees; t++) {
        const shares = new Float64Array(sum.trees.classes);
        sum.trees.addLeaf(t, sum.trees.leafOf(t, features, row), shares, 0);
        total += sum.weight(t) * shares[sum.output];
      }
      return total;
    });
  };
}

describe("sampled reasons", () => {
  const learners = {
    "a kernel SVM": svm({ kernel: "rbf" }),
    "a network": mlp({ layers: [6], epochs: 30 }),
  };
  for (const [name, learner] of Object.entries(learners)) {
    it(`are within 4 standard errors of the sum over all subsets: ${name}`, async () => {
      const fit = await fitted(learner);
      const k = 1;
      const few = await reasonsFor(fit.model, fit.encoder, background, rows, { class: "yes" });
      const options = { class: "yes", permutations: 3000 };
      const found = await reasonsFor(fit.model, fit.encoder, background, rows, options);
      let largest = 0;
      for (const [i, each] of found.entries()) {
        expectEfficient(each, 10);
        for (const [column, value] of bruteForce(columnOfScores(fit, k), background, rows, i)) {
          const reason = each.reasons.find((found) => found.column === column);
          const se = reason?.se ?? Number.NaN;
          const error = Math.abs(contribution(each, column) - value);
          expect(error).toBeLessThan(4 * se + 1e-9);
          largest = Math.max(largest, error);
        }
      }
      expect(largest).toBeGreaterThan(0);
      const meanError = (rowsFound: readonly RowReasons[]) =>
        rowsFound.flatMap(({ reasons }) => reasons).reduce((sum, { se = 0 }) => sum + se, 0);
      // More than eleven times as many permutations.
      expect(meanError(found)).toBeLessThan(meanError(few) / 3);
    });
  }

  it("use fewer background rows with few permutations, and still sum up", async () => {
    const fit = await fitted(mlp({ layers: [4], epochs: 5 }));
    const [first] = await reasonsFor(fit.model, fit.encoder, background, rows, { permutations: 8 });
    expectEfficient(first, 10);
  });
});

describe("reasons", () => {
  it("are the same on any number of threads, for the predicted class of each row", async () => {
    for (const learner of [forest({ trees: 5 }), mlp({ layers: [4], epochs: 10 })]) {
      const { model, encoder } = await fitted(learner, 3);
      const alone = await reasonsFor(model, encoder, background, rows, {}, { seed: 4 });
      const predicted = model.predict(encoder.encode(rows));
      expect(alone.map(({ of }) => of)).toEqual(Array.from(predicted, (k) => model.classes[k]));
      const named = alone.map(({ of }) => of);
      expect(await reasonsFor(model, encoder, background, rows, { class: named }, { seed: 4 })).toEqual(
        alone,
      );
      for (const executor of executors) {
        expect(await reasonsFor(model, encoder, background, rows, {}, { seed: 4, executor })).toEqual(alone);
      }
    }
  });

  it("come with the text of the cell, the largest first, as many as asked for", async () => {
    const { model, encoder } = await fitted(forest({ trees: 5 }));
    const [all] = await reasonsFor(model, encoder, background, rows);
    const sizes = all.reasons.map(({ contribution }) => Math.abs(contribution));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    const [two] = await reasonsFor(model, encoder, background, rows, { most: 2 });
    expect(two.reasons).toEqual(all.reasons.slice(0, 2));
    const gap = Table.fromRecords("gap", [{ a: null, b: null, c: 0.25, copy: null, idle: 1 }], {
      a: "numeric",
      b: "categorical",
      copy: "numeric",
    });
    const [{ reasons }] = await reasonsFor(model, encoder, background, gap);
    const texts = Object.fromEntries(reasons.map(({ column, value }) => [column, value]));
    expect(texts).toEqual({ a: "(missing)", b: "(missing)", c: "0.25", copy: "(missing)", idle: "1" });
  });

  it("are written in a few words", () => {
    const text = (contribution: number) => reasonText({ column: "tenure", value: "2", contribution });
    expect(text(0.4213)).toBe("tenure=2 (+0.42)");
    expect(text(-1234.5)).toBe("tenure=2 (-1200)");
    expect(text(-0.00001234)).toBe("tenure=2 (-0.000012)");
    expect(text(0)).toBe("tenure=2 (+0)");
  });

  it("reject unknown classes, no background and counts below 1; no rows have none", async () => {
    const { model, encoder } = await fitted(stump());
    const rejected = (options: object, table = background) =>
      expect(reasonsFor(model, encoder, table, rows, options)).rejects;
    await rejected({ class: "perhaps" }).toMatchObject({ code: "option/invalid" });
    await rejected({ class: ["yes"] }).toMatchObject({ code: "option/invalid" });
    await rejected({ most: 0 }).toMatchObject({ code: "option/invalid" });
    await rejected({ permutations: 0.5 }).toMatchObject({ code: "option/invalid" });
    await rejected({}, background.select([])).toMatchObject({ code: "data/no-rows" });
    expect(await reasonsFor(model, encoder, background, rows.select([]))).toEqual([]);
  });
});
