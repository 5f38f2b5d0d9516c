import { describe, expect, it } from "vitest";
import { labelled, labelsFor, Table } from "vouch";
import { categoriesWork, loadParts, numericWork } from "#bench/forest-work.js";

const training = Table.fromRecords("training", [
  { size: 1.5, colour: "red", label: "yes" },
  { size: 2, colour: "blue", label: "no" },
  { size: 3, colour: "green", label: "no" },
  { size: 4, colour: null, label: "yes" },
]);
const fresh = Table.fromRecords("fresh", [
  { size: 2.5, colour: "blue", label: "yes" },
  { size: 0, colour: "violet", label: "no" },
]);
const train = labelled(training, "label");
const test = labelsFor(fresh, train);
const parts = { name: "toy", train, test, query: test };

describe("the forms of a data set", () => {
  it("with categories have codes from 1 for ranger, the last one for missing and unknown cells", () => {
    const { coded, categories, bin, labels } = categoriesWork(parts);
    // Three colours and the code for others; levels have no order to rely on but that of the bins.
    expect(categories).toEqual([0, 4]);
    const { features } = bin().train;
    const levels = features[1].kind === "categorical" ? features[1].levels : [];
    const code = (level: string) => levels.indexOf(level) + 1;
    expect(Array.from(coded.train.values)).toEqual([
      1.5,
      code("red"),
      2,
      code("blue"),
      3,
      code("green"),
      4,
      4,
    ]);
    expect(Array.from(coded.test.values)).toEqual([2.5, code("blue"), 0, 4]);
    expect(Array.from(labels.train)).toEqual([1, 0, 0, 1]);
  });

  it("as numbers have the same ones for all contestants", () => {
    const { numeric, coded, bin } = numericWork(parts);
    expect(coded).toBe(numeric);
    expect(numeric.train.values).toBeInstanceOf(Float32Array);
    const { train: binned, other } = bin();
    expect([binned.rows, binned.columns]).toEqual([4, numeric.train.columns]);
    // Bins keep the order of the values in every column.
    for (let j = 0; j < binned.columns; j++) {
      const values = [0, 1, 2, 3].map((i) => numeric.train.row(i)[j]);
      const bins = binned.column(j);
      for (const [a, b] of [
        [0, 1],
        [1, 2],
        [2, 3],
      ]) {
        expect(Math.sign(bins[a] - bins[b])).toBe(Math.sign(values[a] - values[b]));
      }
    }
    expect(other("test").rows).toBe(2);
  });
});

it("a data set without a test part gets a random one, and 10,000 rows to predict", async () => {
  const iris = await loadParts("iris");
  expect([iris.train.labels.length, iris.test.labels.length]).toEqual([105, 45]);
  expect(iris.query.labels.length).toBe(10_000);
  expect(iris.query.labels.subarray(45, 90)).toEqual(iris.test.labels);
});
