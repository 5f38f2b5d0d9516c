import { afterAll, expect, it } from "vitest";
import {
  cascadeForest,
  deserialise,
  type Learner,
  oneVsRest,
  serialise,
  svm,
  Table,
  threadExecutor,
  trainClassifier,
} from "vouch";
import type { Matrix } from "#core/runtime/maths/matrix.js";
import { nearestMean } from "./fixture-nearest-mean.mjs";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

const CENTRES = [
  [0, 0],
  [9, 0],
  [0, 9],
];
const names = ["a", "b", "c"];
const table = Table.fromRecords(
  "blobs",
  Array.from({ length: 60 }, (_, i) => {
    const [x, y] = CENTRES[i % 3];
    return { x: x + Math.sin(i), y: y + Math.cos(2 * i), label: names[i % 3] };
  }),
);
const truth = Array.from({ length: 60 }, (_, i) => names[i % 3]);

/** A learner that is not defined by `defineLearner`, whose models say that they are of an unknown learner. */
const unregistered: Learner<ReturnType<typeof nearestMean.assemble>, Matrix> = {
  ...nearestMean(),
  name: "unregistered",
  async fit(sample, run) {
    return { ...(await nearestMean().fit(sample, run)), learner: "unregistered" };
  },
};

it("a custom learner trains a classifier, and loads it again by name", async () => {
  const { classifier } = await trainClassifier(table, nearestMean());
  expect(classifier.predict(table)).toEqual(truth);
  const restored = await deserialise(await serialise(classifier));
  expect(restored.scores(table)).toEqual(classifier.scores(table));
});

it("a model of an unregistered learner is loaded by its own restore", async () => {
  const { classifier } = await trainClassifier(table, unregistered);
  const bytes = await serialise(classifier);
  await expect(deserialise(bytes)).rejects.toMatchObject({ code: "model/unknown" });
  const { restore } = nearestMean;
  const restored = await deserialise(bytes, { learners: [{ name: "unregistered", restore }] });
  expect(restored.scores(table)).toEqual(classifier.scores(table));
});

it("a custom learner can be the base of a scheme; threads load its module and train its machines", async () => {
  const learner = oneVsRest({ base: nearestMean() });
  expect(learner.options).toMatchObject({ base: "nearest-mean" });
  const { classifier } = await trainClassifier(table, learner, { run: { executor } });
  expect(classifier.predict(table)).toEqual(truth);
  if (!oneVsRest.made(classifier.model)) throw new Error("Expected a model of one-vs-rest.");
  const machines = classifier.model.machines.models.map((model) => nearestMean.made(model) && model.onThread);
  expect(machines).toEqual([true, true, true]);
  const restored = await deserialise(await serialise(classifier));
  expect(restored.scores(table)).toEqual(classifier.scores(table));
});

it("an unregistered learner can be a base on this thread, but files of its models are refused", async () => {
  const learner = oneVsRest({ base: unregistered });
  const { classifier } = await trainClassifier(table, learner, { run: { executor } });
  expect(classifier.predict(table)).toEqual(truth);
  await expect(deserialise(await serialise(classifier))).rejects.toMatchObject({
    code: "model/unknown",
    message: expect.stringContaining('the unknown learner "unregistered"'),
  });
});

it("an unregistered learner can be part of a layer", async () => {
  const calibrated: Learner = { ...svm({ probability: true }), name: "calibrated" };
  const options = { layers: 1, folds: 2 };
  const [own, known] = await Promise.all([
    trainClassifier(table, cascadeForest({ ...options, estimators: [calibrated] })),
    trainClassifier(table, cascadeForest({ ...options, estimators: ["svm:probability=true"] })),
  ]);
  expect(own.classifier.scores(table)).toEqual(known.classifier.scores(table));
});

it("options that no file can keep are refused before the fit", async () => {
  const odd = { ...nearestMean(), options: { distance: Math.hypot } };
  await expect(trainClassifier(table, odd)).rejects.toMatchObject({
    code: "option/invalid",
    message: expect.stringContaining("distance"),
  });
});

it("a model file may come as an ArrayBuffer, as fetch gives it", async () => {
  const { classifier } = await trainClassifier(table, oneVsRest());
  const { buffer } = await serialise(classifier);
  expect((await deserialise(buffer)).predict(table)).toEqual(truth);
});

it("learners made of an unregistered one say that other threads cannot make them", () => {
  const learners = [
    oneVsRest({ base: unregistered }),
    oneVsRest({ base: cascadeForest({ layers: 1, folds: 2, estimators: [unregistered] }) }),
    oneVsRest({ base: nearestMean() }),
  ];
  expect(learners.map(({ local }) => local)).toEqual([true, true, undefined]);
});
