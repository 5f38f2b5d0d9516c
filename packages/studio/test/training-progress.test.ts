import { describe, expect, it } from "vitest";
import { TrainingMeter, type TrainingProgress } from "#studio/engine/training-progress.js";

/** Reports of a race, of training its winner and of explaining it, whose own bars start over many times. */
function trainingOf(meter: TrainingMeter): TrainingProgress[] {
  const steps = (stage: string) => [0, 1, 2, 3].map((done) => meter.report({ stage, done, total: 3 }));
  return [
    ...[0, 20, 45, 60].map((done) =>
      meter.report({
        stage: "trying learners",
        done,
        total: 60,
        unit: "s",
        note: "svm C=1; best so far svm",
      }),
    ),
    meter.begin("training"),
    ...steps("trees"),
    ...steps("scores"),
    ...steps("trees"),
    meter.report({ stage: "nodes", done: 17 }),
    meter.begin("explaining"),
    ...["permutation importance", "effects", "reasons"].flatMap(steps),
  ];
}

describe("the progress of a training", () => {
  it("never runs backwards, and stays within the bar", () => {
    const shares = trainingOf(new TrainingMeter(true)).map(({ share }) => share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
    expect(shares.at(-1)).toBeGreaterThan(0.9);
  });

  it("names its stages in order, and the seconds of the race only", () => {
    const reports = trainingOf(new TrainingMeter(true));
    expect([...new Set(reports.map(({ stage }) => stage))]).toEqual(["racing", "training", "explaining"]);
    expect(reports[1].seconds).toEqual({ done: 20, total: 60 });
    expect(reports.filter(({ stage, seconds }) => stage !== "racing" && seconds)).toEqual([]);
  });

  it("begins with training if one learner is trained", () => {
    const meter = new TrainingMeter(false);
    const first = meter.report({ stage: "trees", done: 50, total: 100 });
    expect(first).toMatchObject({ stage: "training", note: "trees" });
    expect(first.share).toBeGreaterThan(0.1);
    expect(meter.begin("explaining").share).toBeGreaterThanOrEqual(0.75);
  });
});
