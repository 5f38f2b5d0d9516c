import { afterAll, describe, expect, it } from "vitest";
import { forest } from "#core/learners/forest/forest.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { METRIC_NAMES } from "#core/metrics/metric-name.js";
import { mean } from "#core/runtime/maths/statistics.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { byRacing } from "#core/select/choose-learner.js";
import { Table } from "#core/table/table.js";
import { certify } from "#core/train/certify.js";
import { Classifier } from "#core/train/classifier.js";
import { evaluateClassifier } from "#core/train/evaluate-classifier.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import type { TrainOptions } from "#core/train/train-options.js";
import { cases, plain, THREE, TWO } from "./simulated-cases.js";

const executors = [1, 3].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

const COSTS = { yes: { no: 5 } };
const OBJECTIVES: TrainOptions[] = METRIC_NAMES.map((metric) =>
  metric === "cost" ? { costs: COSTS } : { metric },
);
const named = ({ metric = "cost" }: TrainOptions) => metric;

describe("training for a metric", () => {
  it("costs less on fresh rows than the model for the error", async () => {
    const costOf = ({ predictions }: { predictions: readonly string[] }, fresh: Table) => {
      const column = fresh.column("label");
      if (column.kind !== "categorical") throw new Error("The labels are names.");
      return predictions.reduce((sum, prediction, row) => {
        const actual = column.levels[column.codes[row]];
        return sum + (prediction === actual ? 0 : actual === "yes" ? 5 : 1);
      }, 0);
    };
    const fresh = plain(4000, 99);
    for (const learner of [logistic(), forest({ trees: 20 })]) {
      for (const seed of [1, 2, 3]) {
        const table = plain(400, seed);
        const [error, cost] = await Promise.all(
          [{}, { costs: COSTS }].map((options) => trainClassifier(table, learner, options)),
        );
        expect(costOf(cost.classifier.classify(fresh), fresh)).toBeLessThan(
          0.95 * costOf(error.classifier.classify(fresh), fresh),
        );
      }
    }
  });

  it("has the class shares of probabilities that mean it", async () => {
    const fresh = plain(5000, 98);
    // An SVM gives decision values, and a forest for balanced classes probabilities that are far too large.
    for (const [learner, options] of [
      [linearSvm(), {}],
      [forest({ trees: 30 }), { classWeights: "balanced" }],
    ] as const) {
      const { classifier } = await trainClassifier(plain(800, 4), learner, options);
      const probabilities = classifier.probabilities(fresh);
      const share = mean(Array.from({ length: 5000 }, (_, row) => probabilities.row(row)[1]));
      expect(share).toBeGreaterThan(0.16);
      expect(share).toBeLessThan(0.24);
    }
  });

  it.each(OBJECTIVES.map((options) => [named(options), options] as const))(
    "by %s gives the same file by race and by name, on one thread and on three",
    async (_, options) => {
      const table = plain(140, 7);
      const choose = byRacing([stump(), svm(), forest({ trees: 6 })], { seconds: 1000 });
      const given = { ...options, holdout: 0.3 };
      const races = await Promise.all(
        executors.map((executor) => trainClassifier(table, choose, { ...given, run: { seed: 5, executor } })),
      );
      const [{ learner }] = races[0].candidates;
      const again = await trainClassifier(table, learner, { ...given, chosenAmong: 3, run: { seed: 5 } });
      const files = await Promise.all(
        [...races, again].map(({ classifier }) => {
          const { choice, ...card } = classifier.card;
          return serialise(new Classifier({ ...classifier, card }));
        }),
      );
      expect(files[1]).toEqual(files[0]);
      expect(files[2]).toEqual(files[0]);
      const { choice } = again.classifier.card;
      expect(choice?.among).toBe(races[0].classifier.card.choice?.among);
    },
  );

  const draws: [string, TrainOptions, string[]][] = [
    ["no held-out rows", {}, ["who", "when"]],
    ["a hold-out", { holdout: 0.4 }, ["who", "when"]],
    ["a stratified hold-out", { holdout: 0.4, stratify: true }, ["who", "when"]],
    ["test rows", { test: cases(80, 51) }, ["who", "when"]],
    ["groups", { holdout: 0.4, group: "who" }, ["when"]],
    ["time", { holdout: 0.4, time: "when" }, ["who"]],
    ["folds", { folds: 3 }, ["who", "when"]],
    ["folds by group", { folds: 3, group: "who" }, ["when"]],
    ["folds by time", { folds: 3, time: "when" }, ["who"]],
  ];

  it.each(draws)("works with %s, for all metrics", async (_, draw, dropped) => {
    for (const [n, options] of OBJECTIVES.entries()) {
      const classes = n % 2 === 0 ? TWO : THREE;
      const learner = [stump(), linearSvm(), forest({ trees: 5 })][n % 3];
      const testsRows = draw.holdout !== undefined || draw.test !== undefined;
      const answers: TrainOptions = testsRows
        ? { abstain: 0.2, sets: 0.8, setsBy: n % 3 === 0 ? "class" : "all" }
        : { calibrate: false };
      const given = {
        ...draw,
        ...(draw.test && { test: cases(80, 51, classes).without(dropped) }),
        ...options,
        ...answers,
      };
      const training = await trainClassifier(cases(160, 3, classes).without(dropped), learner, given);
      const { classifier, certificates, verdict } = training;
      await checkRoundTrip(classifier);
      for (const { value } of certificates) expect(value).not.toBeNaN();
      expect(verdict === undefined).toBe(Object.keys(draw).length === 0);
      expect(verdict?.objective?.metric).toBe(
        verdict && named(options) !== "error" ? named(options) : undefined,
      );
      const names = certificates.map(({ name }) => name);
      // With few groups and many errors, there is nothing to certify.
      const isHopeless = classifier.card.notices.some((notice) =>
        notice.includes("cannot certify any error"),
      );
      expect(names.includes("answered-error")).toBe(testsRows && !isHopeless);
      expect(names.includes("answer-rate")).toBe(testsRows && !isHopeless);
      expect(names.includes("coverage")).toBe(testsRows);
      if (!testsRows) continue;
      // A certificate of the metric, if any, is the one to quote.
      const ofMetric = certificates.filter(({ measure, holds }) => measure === named(options) && holds);
      if (ofMetric.length > 0) expect(certificates[0].measure).toBe(named(options));
    }
  });

  async function checkRoundTrip(classifier: Classifier): Promise<void> {
    const bytes = await serialise(classifier);
    const restored = await deserialise(bytes);
    expect(await serialise(restored)).toEqual(bytes);
    const fresh = cases(40, 8, classifier.classes);
    expect(restored.classify(fresh)).toEqual(classifier.classify(fresh));
    expect(await evaluateClassifier(restored, fresh)).toEqual(await evaluateClassifier(classifier, fresh));
  }

  it("quotes the certificate of the metric, and those of the training rows do not hold for another rule", async () => {
    const table = plain(300, 5);
    const cost = await trainClassifier(table, stump(), { costs: COSTS, holdout: 0.4 });
    expect(cost.certificates[0]).toMatchObject({ measure: "cost", holds: true });
    expect(cost.classifier.decision.rule).toMatchObject({ kind: "threshold", class: 1 });
    const names = ["growth-function-exact", "vc"];
    const ofTraining = cost.certificates.filter(({ name }) => names.includes(name));
    expect(ofTraining.length).toBeGreaterThan(0);
    for (const { holds, premises } of ofTraining) {
      expect(holds).toBe(false);
      expect(premises.some(({ status }) => status === "violated")).toBe(true);
    }
    const error = await trainClassifier(table, stump(), { holdout: 0.4 });
    expect(error.certificates.some(({ name, holds }) => names.includes(name) && holds)).toBe(true);
    const auc = await trainClassifier(table, stump(), { metric: "auc", holdout: 0.4 });
    expect(auc.certificates[0]).toMatchObject({ measure: "auc", bound: "lower" });
    expect(auc.certificates.some(({ name, holds }) => names.includes(name) && holds)).toBe(true);
  });

  it("has the costs of training in the certificates of the saved model", async () => {
    const { classifier, certificates } = await trainClassifier(plain(300, 5), stump(), {
      costs: COSTS,
      holdout: 0.4,
    });
    const restored = await deserialise(await serialise(classifier));
    // The losses of single rows are not in the file, so that fewer certificates share δ.
    const [{ together: _, ...first }] = certify(restored);
    const { together: __, ...quoted } = certificates[0];
    expect(first).toEqual(quoted);
  });
});

describe("very few rows", () => {
  const few = (rows: number, ofYes: number) =>
    Table.fromColumns("few", {
      x: Float64Array.from({ length: rows }, (_, i) => i),
      label: Array.from({ length: rows }, (_, i) => (i < ofYes ? "yes" : "no")),
    });

  it("are not enough for a rule, which is said", async () => {
    for (const [table, part] of [
      [few(30, 1), /"no"/],
      [few(4, 2), /fewer rows than folds/],
    ] as const) {
      for (const options of [{ metric: "f1" }, { metric: "balanced-error" }, { costs: COSTS }] as const) {
        await expect(trainClassifier(table, stump(), options)).rejects.toMatchObject({
          code: "data/too-few-rows",
          message: expect.stringMatching(part),
          hint: expect.stringContaining("metric error"),
        });
      }
      // Decision values are not probabilities, so that there is no log-loss.
      await expect(trainClassifier(table, linearSvm(), { metric: "log-loss" })).rejects.toThrow(/calibrated/);
      const { classifier } = await trainClassifier(table, stump(), { metric: "auc" });
      expect(classifier.card.notices.join(" ")).toContain("not calibrated");
      expect(classifier.decision).toEqual({ rule: { kind: "model" } });
    }
  });

  it("calibrate decision values for a metric of probabilities, whether asked or not", async () => {
    const { classifier, verdict } = await trainClassifier(plain(200, 2), linearSvm(), {
      metric: "brier",
      calibrate: false,
      holdout: 0.3,
    });
    expect(classifier.card.calibration?.from).toBe("folds");
    expect(verdict?.objective?.model).toBeLessThan(0.25);
    const raw = await trainClassifier(plain(200, 2), linearSvm(), { calibrate: false });
    expect(raw.classifier.card).not.toHaveProperty("calibration");
    const fresh = plain(10, 3);
    expect(() => raw.classifier.probabilities(fresh)).toThrow(/decision values/);
    const rule = { kind: "threshold", class: 1, at: 0.3 } as const;
    expect(() => raw.classifier.classify(fresh, { rule })).toThrow(/decision values/);
    expect(() => classifier.classify(fresh, { rule: { ...rule, class: 2 } })).toThrow(/class 2 of 2/);
  });
});
