import { describe, expect, it } from "vitest";
import { forest, Table, trainClassifier } from "vouch";
import { Matrix, Random } from "vouch/extend";
import { answerRow } from "#views/facts/rows/row-answer.js";
import { wrongRows } from "#views/facts/rows/wrong-rows.js";
import { trainingFacts } from "#views/facts/training-facts.js";
import { RowExplorer } from "#views/panels/rows/row-explorer.js";
import { typicalRow } from "#views/panels/rows/row-fields.js";
import { cells, rendered, textOf } from "./rendered.js";

const random = new Random(3);
const records = Array.from({ length: 200 }, (_, i) => {
  const kind = i % 2;
  return {
    size: kind + random.normal(),
    colour: ["10%", "red", "blue"][random.integer(3)],
    // Never decides anything.
    noise: i % 9 === 0 ? null : random.normal(),
    label: kind === 0 ? "no" : "yes",
  };
});
const table = Table.fromRecords("rows", records);
const training = await trainClassifier(table, forest({ trees: 10 }), { holdout: 0.4 });
const facts = await trainingFacts(training, table);

describe("facts of a training", () => {
  it("are plain data: a copy by another thread has everything", () => {
    expect(structuredClone(facts)).toEqual(facts);
  });

  it("list the columns of a form with typical values, the most important column first", () => {
    expect(facts.fields[0]).toMatchObject({ name: "size", kind: "numeric" });
    const [least, most] = facts.fields[0].range ?? [Number.NaN, Number.NaN];
    expect(least).toBeGreaterThanOrEqual(Math.min(...records.map(({ size }) => size)));
    expect(Number(facts.fields[0].typical)).toBeGreaterThan(least);
    expect(Number(facts.fields[0].typical)).toBeLessThan(most);
    const colour = facts.fields.find(({ name }) => name === "colour");
    expect(colour?.levels?.toSorted()).toEqual(["10%", "blue", "red"]);
    expect(colour?.typical).toBe(colour?.levels?.[0]);
  });

  it("have the misclassified rows, worst first, with cells that the form takes", async () => {
    const { rows, total } = facts.wrong;
    expect(total).toBe(training.evaluation && Math.round(training.evaluation.error * 80));
    expect(rows).toHaveLength(total);
    const scores = rows.map(({ score = Number.NaN }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const { cells: row, predicted, actual, score } of rows.slice(0, 5)) {
      expect(predicted).not.toBe(actual);
      const answer = await answerRow(training.classifier, row);
      expect(answer.class).toBe(predicted);
      expect(answer.probabilities[0].probability).toBeCloseTo(score ?? Number.NaN, 12);
    }
  });
});

describe("an answer to a typed row", () => {
  it("has the class, all probabilities and the reasons of each column", async () => {
    const typical = typicalRow(facts.fields);
    const small = await answerRow(training.classifier, { ...typical, size: "-3" });
    const large = await answerRow(training.classifier, { ...typical, size: "4" });
    expect([small.class, large.class]).toEqual(["no", "yes"]);
    expect(small.probabilities.map(({ class: name }) => name)).toEqual(["no", "yes"]);
    expect(small.probabilities.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
    expect(large.reasons?.of).toBe("yes");
    expect(large.reasons?.reasons[0].column).toBe("size");
  });

  it("takes empty and unknown cells", async () => {
    const { probabilities } = await answerRow(training.classifier, { colour: "green" });
    expect(probabilities).toHaveLength(2);
  });
});

describe("the explorer without a script", () => {
  it("shows the worst rows and no control", () => {
    const { confusion } = facts.evaluation;
    const page = rendered(<RowExplorer confusion={confusion} fields={facts.fields} wrong={facts.wrong} />);
    const { rows, total } = facts.wrong;
    const list = page.querySelector("table.wrong-rows");
    expect(list && cells(list).map(([predicted, actual]) => [predicted, actual])).toEqual(
      rows.slice(0, 5).map(({ predicted, actual }) => [predicted, actual]),
    );
    expect(page.body.textContent).toContain(`1 to 5 of ${total} errors`);
    expect(page.querySelectorAll("button, input, select")).toHaveLength(0);
  });

  it("shows nothing where no row is wrong", () => {
    const wrong = { total: 0, scoring: "probability" as const, rows: [] };
    const confusion = { classes: [], matrix: [] };
    expect(textOf(<RowExplorer confusion={confusion} fields={facts.fields} wrong={wrong} />)).toBe("");
  });
});

describe("the misclassified rows of a large test", () => {
  it("have the worst of each confusion, even where another one is worse throughout", () => {
    const rows = 1000;
    const labels = Int32Array.from({ length: rows }, (_, i) => (i < 900 ? 0 : 1));
    const predictions = labels.map((label) => 1 - label);
    const scores = new Matrix(rows, 2);
    for (let i = 0; i < rows; i++) {
      const sure = i < 900 ? 0.95 : 0.6 + (i - 900) / 1000;
      scores.values[2 * i + predictions[i]] = sure;
      scores.values[2 * i + labels[i]] = 1 - sure;
    }
    const large = Table.fromColumns("large", { x: Float64Array.from({ length: rows }, (_, i) => i) });
    const found = wrongRows(
      { ...training, tables: { training: large } },
      { classes: ["no", "yes"], labels, predictions, scores, scoring: "probability" },
    );
    expect(found.total).toBe(1000);
    expect(found.rows).toHaveLength(200);
    const rare = found.rows.filter(({ actual }) => actual === "yes");
    expect(rare.map(({ row }) => row)).toEqual(Array.from({ length: 50 }, (_, i) => 1000 - i));
  });
});
