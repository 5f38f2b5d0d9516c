import { loadDataset } from "@vouch/datasets";
import { beforeAll, describe, expect, it } from "vitest";
import {
  boostedTrees,
  type Classifier,
  forest,
  monitoredCertificate,
  Table,
  trainClassifier,
  VouchError,
} from "vouch";
import { Random } from "vouch/extend";
import { createModelMonitor, type ModelMonitor } from "#serve/monitors/model-monitor.js";

type FeedbackItem = Parameters<ModelMonitor["feedback"]>[0][number];

/** A classifier of half of the rows of a set, and the other half, which it has not seen. */
interface Deployed {
  readonly classifier: Classifier;
  readonly fresh: Table;
  readonly actual: readonly string[];
}

async function deployed(
  dataset: string,
  options: { readonly abstain?: number; readonly seed?: number } = {},
): Promise<Deployed> {
  const { train: table } = await loadDataset(dataset);
  const { abstain, seed = 1 } = options;
  const order = new Random(seed).shuffle(Int32Array.from({ length: table.rows }, (_, i) => i));
  const half = Math.floor(table.rows / 2);
  const { classifier } = await trainClassifier(table.select(order.subarray(0, half)), forest({ trees: 50 }), {
    holdout: 0.4,
    ...(abstain !== undefined && { abstain }),
    run: { seed },
  });
  const fresh = table.select(order.subarray(half));
  const labels = fresh.column(classifier.encoder.schema.target);
  const actual = Array.from({ length: fresh.rows }, (_, i) =>
    labels.kind === "categorical"
      ? labels.levels[labels.codes[i]]
      : String(labels.values instanceof Float64Array ? labels.values[i] : Number.NaN),
  );
  return { classifier, fresh, actual };
}

function feedbackOf({ classifier, fresh }: Deployed, actual: readonly string[]): FeedbackItem[] {
  return classifier
    .predict(fresh)
    .map((predicted, i) => ({ predicted: predicted === "" ? null : predicted, actual: actual[i] }));
}

/** Gives feedback row by row. */
function give(watch: ModelMonitor, items: readonly FeedbackItem[]): void {
  for (const item of items) watch.feedback([item]);
}

function faultOf(work: () => unknown): VouchError {
  try {
    work();
  } catch (error) {
    if (error instanceof VouchError) return error;
    throw error;
  }
  return expect.fail("No error was thrown.");
}

let cancer: Deployed;
beforeAll(async () => {
  cancer = await deployed("breastcancer");
});

describe("the monitor of a forest on breastcancer", () => {
  it("waits, then holds on rows that the model has not seen, and doubts the certificate if labels are permuted", () => {
    const watch = createModelMonitor(cancer.classifier);
    const before = watch.report();
    expect(before.status).toBe("waiting");
    expect(before.evidence.logE).toBe(0);
    const monitored = monitoredCertificate(cancer.classifier);
    expect(before.certificate).toMatchObject({
      measure: "error",
      bound: monitored.certificate?.value,
      confidence: 0.95,
      rows: "all",
    });

    const items = feedbackOf(cancer, cancer.actual);
    give(watch, items);
    const after = watch.report();
    expect(after.status).toBe("holds so far");
    expect(after.feedback).toEqual({
      rows: items.length,
      errors: items.filter(({ predicted, actual }) => predicted !== actual).length,
    });
    expect(after.sentence).toContain("does not contradict the certificate");

    const permuted = [...cancer.actual];
    const order = new Random(2).shuffle(Int32Array.from(permuted.keys()));
    give(
      watch,
      feedbackOf(
        cancer,
        Array.from(order, (i) => permuted[i]),
      ).slice(0, 60),
    );
    const doubted = watch.report();
    expect(doubted.status).toBe("doubtful");
    expect(doubted.evidence.logE).toBeGreaterThan(doubted.evidence.threshold);
    expect(doubted.sentence).toMatch(
      /is doubtful: either the data have changed, or it is one of the 5% of certificates that fail/,
    );

    // The alarm stays, also after good rows.
    for (let i = 0; i < 5; i++) give(watch, items);
    expect(watch.report().evidence.logE).toBeLessThan(doubted.evidence.threshold);
    expect(watch.report().status).toBe("doubtful");
  });

  it("names a column that has drifted, and none before", () => {
    const watch = createModelMonitor(cancer.classifier);
    watch.observe(cancer.fresh);
    expect(watch.report().columns.filter(({ drifted }) => drifted)).toEqual([]);
    const [{ name }] = cancer.classifier.encoder.schema.columns;
    const changed = cancer.fresh.columns.map((column) =>
      column.name === name && column.kind === "numeric"
        ? { ...column, values: Float64Array.from({ length: cancer.fresh.rows }, () => 100) }
        : column,
    );
    watch.observe(new Table("changed rows", cancer.fresh.rows, changed));
    const { columns, sentence } = watch.report();
    expect(columns.filter(({ drifted }) => drifted).map((column) => column.name)).toEqual([name]);
    expect(sentence).toContain(`1 column has drifted away from the training rows: "${name}"`);
    expect(columns.map((column) => column.name)).toEqual(
      cancer.classifier.encoder.schema.columns.map((column) => column.name),
    );
  });

  it("counts nothing of a feedback with an unknown class", () => {
    const watch = createModelMonitor(cancer.classifier);
    const [good] = feedbackOf(cancer, cancer.actual);
    for (const bad of [
      { predicted: "cat", actual: good.actual },
      { predicted: good.predicted, actual: "cat" },
      { predicted: null, actual: good.actual },
    ]) {
      const { code, message } = faultOf(() => watch.feedback([good, bad]));
      expect(code).toBe("data/not-classes");
      expect(message).toContain("Feedback 2");
    }
    expect(watch.report().feedback).toEqual({ rows: 0, errors: 0 });
    watch.feedback([]);
    expect(watch.report().status).toBe("waiting");
  });

  it("goes on from its state as if it had not been interrupted", () => {
    const whole = createModelMonitor(cancer.classifier);
    let restarted = createModelMonitor(cancer.classifier);
    const items = feedbackOf(cancer, cancer.actual);
    for (let start = 0; start < items.length; start += 50) {
      const rows = cancer.fresh.slice(start, Math.min(items.length, start + 50));
      for (const monitor of [whole, restarted]) {
        monitor.observe(rows);
        monitor.feedback(items.slice(start, start + 50));
      }
      restarted = createModelMonitor(cancer.classifier, {
        state: JSON.parse(JSON.stringify(restarted.state())),
      });
    }
    expect(restarted.report()).toEqual(whole.report());
    expect(restarted.state()).toEqual(whole.state());
  });

  it("refuses the state of another model, of another rate, and forged ones", async () => {
    const other = await deployed("breastcancer", { seed: 2 });
    const state = createModelMonitor(cancer.classifier).state();
    const another = faultOf(() => createModelMonitor(other.classifier, { state }));
    expect(another.message).toBe("The monitoring state belongs to another version of the model.");
    expect(faultOf(() => createModelMonitor(cancer.classifier, { state, falseAlarm: 0.5 })).code).toBe(
      "option/invalid",
    );
    const forged = [
      null,
      1,
      "x",
      [],
      {},
      { ...state, version: 2 },
      { ...state, error: undefined },
      { ...state, drift: {} },
      { ...state, more: 1 },
      { ...state, error: createErrorState(0.5) },
    ];
    for (const one of forged) {
      expect(
        faultOf(() => createModelMonitor(cancer.classifier, { state: one })).code,
        JSON.stringify(one),
      ).toBe("data/malformed");
    }
    for (const falseAlarm of [0, 1, Number.NaN]) {
      expect(faultOf(() => createModelMonitor(cancer.classifier, { falseAlarm })).code).toBe(
        "option/invalid",
      );
    }
  });
});

function createErrorState(bound: number) {
  return { bound, rows: 0, errors: 0, capitals: [], largest: 0 };
}

describe("which certificate is watched", () => {
  it("is that of the answers if the model abstains, whose rows are those with an answer", async () => {
    const abstaining = await deployed("breastcancer", { abstain: 0.05 });
    const { decision } = abstaining.classifier;
    expect(decision.abstention).toBeDefined();
    const watch = createModelMonitor(abstaining.classifier);
    const items = feedbackOf(abstaining, abstaining.actual);
    const answered = items.filter(({ predicted }) => predicted !== null);
    expect(answered.length).toBeLessThan(items.length);
    give(watch, items);
    const { certificate, feedback, sentence } = watch.report();
    expect(certificate?.rows).toBe("answered");
    expect(feedback.rows).toBe(answered.length);
    expect(sentence).toContain("of answers are wrong");
  });

  it("is none without held-out rows or with groups, and labelled rows are only counted", async () => {
    const { train: table } = await loadDataset("iris");
    const { classifier } = await trainClassifier(table, boostedTrees({ rounds: 5 }));
    const watch = createModelMonitor(classifier);
    const [one, two] = classifier.classes;
    give(
      watch,
      Array.from({ length: 500 }, () => ({ predicted: one, actual: two })),
    );
    const { certificate, status, feedback, evidence, sentence } = watch.report();
    expect(certificate).toBeNull();
    expect(status).toBe("no certificate");
    expect(feedback).toEqual({ rows: 500, errors: 500 });
    expect(evidence.largestLogE).toBeLessThan(1e-6);
    expect(sentence).toContain("There is no certificate to monitor.");

    const groups = Float64Array.from({ length: table.rows }, (_, i) => i % 30);
    const grouped = new Table("groups", table.rows, [
      ...table.columns,
      { kind: "numeric", name: "group", values: groups },
    ]);
    const training = await trainClassifier(grouped, forest({ trees: 5 }), {
      holdout: 0.4,
      group: "group",
    });
    const reason = createModelMonitor(training.classifier).report().sentence;
    expect(reason).toContain("The certificate is about new groups, not about single rows.");
  });
});
