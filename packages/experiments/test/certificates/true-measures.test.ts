import { describe, expect, it } from "vitest";
import { boostedTrees, type Classifier, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { drawRows, type Population, populations } from "#experiments/certificates/populations.js";
import { costsFor, TrueMeasures } from "#experiments/certificates/true-measures.js";

/** Every law of the populations is a multiple of this, so that a table with as many rows has the law exactly. */
const ROWS = 64 * 100;

/** A table in which each row of the support has each class as often as the law says. */
function exactTable({ support, classes, laws: [law] }: Population): Table {
  const rows = Array.from(law, (p, i) => new Array<number>(Math.round(p * ROWS)).fill(i)).flat();
  const { columns } = support.select(rows.map((i) => Math.floor(i / classes.length)));
  const codes = Int32Array.from(rows, (i) => i % classes.length);
  return new Table("exact", rows.length, [
    ...columns,
    { kind: "categorical", name: "label", codes, levels: [...classes] },
  ]);
}

async function fitted(population: Population): Promise<Classifier> {
  const { table } = drawRows(population, 200, new Random(1));
  return (await trainClassifier(table, boostedTrees({ rounds: 5 }), { target: "label" })).classifier;
}

describe.each(["rare class", "three classes"] as const)("the measures on %s", (name) => {
  const population = populations[name];

  it("are those of the library on a table that has the law exactly", async () => {
    const classifier = await fitted(population);
    const table = exactTable(population);
    expect(table.rows).toBe(ROWS);
    const { error, auc, balancedAccuracy, brier, confusion } = classifier.evaluate(table);
    const truth = new TrueMeasures(classifier, population);
    const of = (measure: Parameters<TrueMeasures["of"]>[0]["measure"], label?: string) =>
      truth.of({ measure, ...(label !== undefined && { class: label }) }, population.laws[0]);
    expect(of("error")).toBeCloseTo(error, 9);
    expect(of("group-error")).toBeCloseTo(error, 9);
    expect(of("balanced-error")).toBeCloseTo(1 - balancedAccuracy, 9);
    expect(of("brier")).toBeCloseTo(brier ?? Number.NaN, 9);
    if (name === "rare class") expect(of("auc")).toBeCloseTo(auc ?? Number.NaN, 9);
    const { classes, matrix } = confusion;
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    classes.forEach((label, c) => {
      expect(of("class-error", label)).toBeCloseTo(1 - matrix[c][c] / total(matrix[c]), 9);
      const predicted = total(matrix.map((row) => row[c]));
      if (predicted === 0) expect(of("precision", label)).toBeUndefined();
      else expect(of("precision", label)).toBeCloseTo(matrix[c][c] / predicted, 9);
    });
    const costs = costsFor(classes.map((_, c) => c));
    const cost = total(matrix.flatMap((row, t) => row.map((count, p) => count * costs[t][p])));
    expect(of("cost")).toBeCloseTo(cost / ROWS, 9);
  });

  it("clip log-losses", async () => {
    const classifier = await fitted(population);
    const table = exactTable(population);
    const probabilities = classifier.probabilities(table);
    const label = table.column("label");
    if (label.kind !== "categorical") throw new Error("the label is not a category");
    const losses = label.codes.reduce(
      (sum, code, row) => sum - Math.log(Math.max(0.001, probabilities.row(row)[code])),
      0,
    );
    const truth = new TrueMeasures(classifier, population);
    expect(truth.of({ measure: "log-loss" }, population.laws[0])).toBeCloseTo(losses / ROWS, 9);
  });
});

it("a class that the classifier does not know is always missed", async () => {
  const population = populations["three classes"];
  const { table } = drawRows(population, 200, new Random(2));
  const label = table.column("label");
  if (label.kind !== "categorical") throw new Error("the label is not a category");
  const known = Int32Array.from(label.codes.keys()).filter((row) => label.codes[row] < 2);
  const { classifier } = await trainClassifier(table.select(known), boostedTrees({ rounds: 5 }), {
    target: "label",
  });
  const truth = new TrueMeasures(classifier, population);
  expect(truth.of({ measure: "class-error", class: "c" }, population.laws[0])).toBe(1);
});

it("counts answers, wrong answers and sets that have the class", async () => {
  const population = populations["three classes"];
  const { table } = drawRows(population, 800, new Random(3));
  const { classifier } = await trainClassifier(table, boostedTrees({ rounds: 5 }), {
    target: "label",
    holdout: 0.5,
    abstain: 0.22,
    sets: 0.9,
  });
  const exact = exactTable(population);
  const label = exact.column("label");
  if (label.kind !== "categorical") throw new Error("the label is not a category");
  const labels = Array.from(label.codes, (code) => label.levels[code]);
  const { predictions, sets = [] } = classifier.classify(exact);
  const count = (condition: (row: number) => boolean) => labels.filter((_, row) => condition(row)).length;
  const answers = count((row) => predictions[row] !== "");
  const wrong = count((row) => predictions[row] !== "" && predictions[row] !== labels[row]);
  const covered = (name?: string) =>
    count((row) => sets[row].includes(labels[row]) && (name === undefined || labels[row] === name));
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThan(ROWS);
  const truth = new TrueMeasures(classifier, population);
  const [law] = population.laws;
  expect(truth.of({ measure: "answer-rate" }, law)).toBeCloseTo(answers / ROWS, 9);
  expect(truth.of({ measure: "answered-error" }, law)).toBeCloseTo(wrong / answers, 9);
  expect(truth.of({ measure: "coverage" }, law)).toBeCloseTo(covered() / ROWS, 9);
  expect(truth.of({ measure: "coverage", class: "b" }, law)).toBeCloseTo(
    covered("b") / count((row) => labels[row] === "b"),
    9,
  );
  // Abstention does not change the error of all cases.
  const { error } = classifier.evaluate(exact);
  expect(truth.of({ measure: "error" }, law)).toBeCloseTo(error, 9);
});
