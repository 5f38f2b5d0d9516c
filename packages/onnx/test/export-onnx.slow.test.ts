import { exportOnnx } from "@vouch/onnx";
import { afterAll, describe, expect, it } from "vitest";
import {
  type Classifier,
  forest,
  type Learner,
  logistic,
  Table,
  type TrainOptions,
  trainClassifier,
  tree,
} from "vouch";
import { defineLearner, Matrix, Random, shares } from "vouch/extend";
import * as z from "zod";
import { compareWith } from "./engines/compare.mjs";
import { type InputCells, installedEngines } from "./engines/engines.mjs";
import { spansOf, textsOf } from "./wire.js";

const engines = installedEngines();
const random = new Random(11);

const train = async (
  records: readonly Readonly<Record<string, string | number | null>>[],
  learner: Learner = logistic(),
  options: TrainOptions = {},
): Promise<Classifier> => {
  const table = Table.fromRecords("rows", records);
  return (await trainClassifier(table, learner, { target: "class", ...options })).classifier;
};

/** Rows of numbers x, y and their class. */
const points = Array.from({ length: 80 }, () => {
  const [x, y] = [random.normal(), random.normal()];
  return { x, y, class: x + y > 0 ? "above" : "below" };
});

/** Runs columns through all engines; their answers must agree. */
async function labelsOf(classifier: Classifier, columns: Record<string, InputCells>): Promise<unknown[]> {
  const { bytes } = exportOnnx(classifier);
  const answers: unknown[][] = [];
  for (const engine of engines) {
    const session = await engine.open(bytes);
    const { label } = await session.run(columns);
    answers.push(Array.from(label.data));
    await session.close();
  }
  for (const other of answers) expect(other).toEqual(answers[0]);
  return answers[0];
}

describe("the file", () => {
  it("has schema, classes, certificate and verdict in its metadata", async () => {
    const classifier = await train(points, logistic(), { holdout: 0.3 });
    const { bytes, versions, inputs, outputs } = exportOnnx(classifier);
    const metadata = new Map(spansOf(bytes, 14).map((entry) => [textsOf(entry, 1)[0], textsOf(entry, 2)[0]]));
    const json = (key: string): unknown => JSON.parse(metadata.get(`vouch.${key}`) ?? "null");
    expect(metadata.get("vouch.learner")).toBe("logistic");
    expect(json("classes")).toEqual(["above", "below"]);
    expect(json("schema")).toMatchObject({
      target: "class",
      columns: [
        { kind: "numeric", name: "x", input: "x", type: "double", missing: "NaN" },
        { kind: "numeric", name: "y" },
      ],
    });
    expect(json("verdict")).toMatchObject({ better: "yes", words: expect.stringContaining("etter") });
    expect(json("certificate")).toMatchObject({ measure: "error", confidence: 0.95 });
    expect([inputs, outputs]).toEqual([
      ["x", "y"],
      ["label", "probabilities", "scores"],
    ]);
    expect(versions).toEqual({ ir: 8, operators: 17, mlOperators: 3, runtime: "1.14" });
    const [graph] = spansOf(bytes, 7);
    expect(spansOf(graph, 11).map((input) => textsOf(input, 1)[0])).toEqual(inputs);
    expect(spansOf(graph, 12).map((output) => textsOf(output, 1)[0])).toEqual(outputs);
  });

  it("says which later runtime categories that are numbers need", async () => {
    const rows = points.map((row, i) => ({ ...row, code: ["1", "2", "x"][i % 3] }));
    expect(exportOnnx(await train(rows)).versions).toMatchObject({ operators: 20, runtime: "1.17" });
  });
});

describe("models that cannot be exported are refused in words", () => {
  it("text", async () => {
    const words = ["good", "fine", "bad", "poor", "film", "plot", "actor", "scene", "music", "end"];
    const rows = Array.from({ length: 80 }, (_, i) => {
      const text = Array.from({ length: 12 }, () => words[2 * random.integer(5) + (i % 2)]).join(" ");
      return { review: `${text} ${i}`, x: random.normal(), class: i % 2 === 0 ? "like" : "dislike" };
    });
    const classifier = await train(rows);
    expect(classifier.encoder.schema.columns[0].kind).toBe("text");
    expect(() => exportOnnx(classifier)).toThrow(
      expect.objectContaining({
        code: "learner/unsupported",
        message: expect.stringContaining('Column "review" is text'),
      }),
    );
  });

  it("custom learners", async () => {
    const constant = defineLearner({
      name: "test-constant",
      summary: "Gives all classes the same probability.",
      options: z.object({}),
      features: "matrix",
      encoding: { kind: "numeric", standardise: false },
      parts: { frequencies: shares(["classes"]) },
      async fit({ sample }) {
        const { length } = sample.classes;
        return { frequencies: new Float64Array(length).fill(1 / length) };
      },
      scores: ({ frequencies }, { rows }) =>
        new Matrix(rows, frequencies.length, new Float64Array(rows * frequencies.length).fill(0.5)),
      complexity: () => ({ counts: {} }),
      describe: () => ({ facts: [], sections: [] }),
    });
    const table = Table.fromRecords("rows", points);
    const { classifier } = await trainClassifier(table, constant(), { target: "class" });
    expect(() => exportOnnx(classifier)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("test-constant cannot be exported to ONNX"),
      }),
    );
  });
});

describe.skipIf(engines.length === 0)("inputs", () => {
  it("take columns named like outputs, and odd names", async () => {
    const rows = points.map(({ x, y, class: own }) => ({
      label: x,
      scores: y,
      "column:a": 0.1 * x,
      "vouch:Add.1": y * y,
      'größe, "in" µm': x * y,
      class: own,
    }));
    const classifier = await train(rows);
    expect(exportOnnx(classifier).inputs).toEqual([
      "column:label",
      "column:scores",
      "column:column:a",
      "column:vouch:Add.1",
      'größe, "in" µm',
    ]);
    const table = Table.fromRecords("rows", rows);
    for (const engine of engines) {
      expect(await compareWith(engine, classifier, table)).toMatchObject({ different: 0, tied: 0 });
    }
  });

  it("find categories by their value as well as by their text", async () => {
    const rows = points.map(({ x, class: own }, i) => {
      const code = own === "above" ? ["1", "3.5"][i % 2] : ["2", "other"][i % 2];
      return { code, x, class: own };
    });
    const classifier = await train(rows, tree({ prune: "none" }));
    const codes = [
      "1",
      "1.0",
      "+1",
      "1e0",
      "2",
      "02",
      "3.50",
      "other",
      "Other",
      "",
      "1e999",
      "0x1",
      "nan",
      "7",
    ];
    const x = new Float64Array(codes.length);
    const table = Table.fromRecords(
      "new",
      codes.map((code) => ({ code: code === "" ? null : code, x: 0 })),
    );
    expect(await labelsOf(classifier, { code: codes, x })).toEqual(classifier.predict(table));
  });

  it("take dates as milliseconds, and know the calendar", async () => {
    const days = Array.from(
      { length: 120 },
      () => Date.UTC(1890, 0, 1) + Math.floor(random.uniform() * 9e12),
    );
    const rows = days.map((time) => {
      const date = new Date(time);
      const isSummer = date.getUTCMonth() >= 4 && date.getUTCMonth() <= 8;
      return { day: date.toISOString(), x: 0.1 * random.normal(), class: isSummer ? "summer" : "winter" };
    });
    for (const learner of [tree({ prune: "none" }), logistic()]) {
      const classifier = await train(rows, learner);
      expect(classifier.encoder.schema.columns[0].kind).toBe("date");
      // Leap days, ends of centuries, times before 1970 and a missing date.
      const times = [
        "1600-02-29",
        "1900-02-28",
        "1900-03-01",
        "2000-02-29T23:59:59Z",
        "1969-12-31",
        "2100-12-31",
      ];
      const records = [...times.map((day) => ({ day, x: 0 })), { day: null, x: 0 }];
      const cells = [...times.map((text) => Date.parse(text)), Number.NaN];
      const labels = await labelsOf(classifier, {
        day: Float64Array.from(cells),
        x: new Float64Array(cells.length),
      });
      expect(labels).toEqual(classifier.predict(Table.fromRecords("new", records)));
      const all = Table.fromRecords("rows", rows);
      for (const engine of engines) {
        const found = await compareWith(engine, classifier, all);
        expect(found).toMatchObject({ different: 0, tied: 0 });
        expect(found.scores).toBeLessThan(1e-9);
      }
    }
  });

  it("may have one row, or none", async () => {
    const classifier = await train(points, forest({ trees: 5 }));
    expect(await labelsOf(classifier, { x: Float64Array.of(2), y: Float64Array.of(2) })).toEqual(["above"]);
    expect(await labelsOf(classifier, { x: new Float64Array(0), y: new Float64Array(0) })).toEqual([]);
  });
});

describe.skipIf(engines.length === 0)("decisions", () => {
  const noisy = Array.from({ length: 400 }, () => {
    const [x, y] = [random.normal(), random.normal()];
    return { x, y, class: x + y + random.normal() > 0 ? "above" : "below" };
  });

  it("abstain, and give sets, as the classifier does", async () => {
    const classifier = await train(noisy, logistic(), { holdout: 0.4, abstain: 0.1, sets: 0.9 });
    const table = Table.fromRecords("rows", noisy);
    const { bytes, outputs } = exportOnnx(classifier);
    expect(outputs).toEqual(["label", "answered", "probabilities", "set", "scores"]);
    const expected = classifier.classify(table);
    expect(expected.predictions.filter((label) => label === "").length).toBeGreaterThan(20);
    for (const engine of engines) {
      const session = await engine.open(bytes);
      const cells = (name: "x" | "y") => Float64Array.from(noisy, (row) => row[name]);
      const { label, answered, set } = await session.run({ x: cells("x"), y: cells("y") });
      await session.close();
      expect(Array.from(label.data)).toEqual(expected.predictions);
      expect(Array.from(answered.data, Boolean)).toEqual(expected.predictions.map((own) => own !== ""));
      expect(set.dims).toEqual([400, 2]);
      const sets = expected.sets?.flatMap((own) => classifier.classes.map((name) => own.includes(name)));
      expect(Array.from(set.data, Boolean)).toEqual(sets);
    }
  });

  it("follow costs and the balance of classes", async () => {
    const costs = { above: { below: 8 } };
    const all: TrainOptions[] = [
      { costs },
      { metric: "balanced-error" },
      { metric: "f1", positive: "above" },
    ];
    for (const options of all) {
      const classifier = await train(noisy, logistic(), options);
      const plain = await train(noisy, logistic());
      const table = Table.fromRecords("rows", noisy);
      if (options.costs) expect(classifier.predict(table)).not.toEqual(plain.predict(table));
      for (const engine of engines) {
        expect(await compareWith(engine, classifier, table)).toMatchObject({ different: 0 });
      }
    }
  });
});

afterAll(() => {
  if (engines.length === 0)
    console.warn("The ONNX runtimes are not installed: most of these tests were skipped.");
});
