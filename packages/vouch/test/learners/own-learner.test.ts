import { expect, it } from "vitest";
import type { Sample } from "#vouch/encode/sample.js";
import { oneVsRest } from "#vouch/learners/index.js";
import type { Learner } from "#vouch/learners/learner.js";
import type { Model } from "#vouch/learners/model.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { corrupt, type State } from "#vouch/runtime/state.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { Table } from "#vouch/table/table.js";
import { deserialise, serialise } from "#vouch/train/model-file.js";
import { trainClassifier } from "#vouch/train/train.js";

/** Classifies a row by the nearest class mean. */
class NearestMean implements Model<Matrix> {
  readonly learner = "nearest-mean";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly #means: Matrix;

  constructor(classes: readonly string[], means: Matrix) {
    this.classes = classes;
    this.#means = means;
  }

  static restore({ json, tensors }: State): NearestMean {
    if (!Array.isArray(json) || !(tensors.means?.data instanceof Float64Array)) throw corrupt("No means.");
    const [rows, columns] = tensors.means.shape;
    return new NearestMean(json.map(String), new Matrix(rows, columns, tensors.means.data));
  }

  scores(features: Matrix): Matrix {
    const distance = (row: ArrayLike<number>, mean: ArrayLike<number>) =>
      Array.from(row, (x, j) => (x - mean[j]) ** 2).reduce((sum, square) => sum + square, 0);
    const scores = new Matrix(features.rows, this.classes.length);
    for (let i = 0; i < features.rows; i++) {
      this.classes.forEach((_, k) => {
        scores.row(i)[k] = -distance(features.row(i), this.#means.row(k));
      });
    }
    return scores;
  }

  predict(features: Matrix): Int32Array {
    const scores = this.scores(features);
    return Int32Array.from({ length: features.rows }, (_, i) =>
      scores.row(i).indexOf(Math.max(...scores.row(i))),
    );
  }

  margins({ features, labels }: Sample<Matrix>): Float64Array {
    return Float64Array.from(this.predict(features), (label, i) => (label === labels[i] ? 1 : -1));
  }

  complexity() {
    return { counts: { means: this.classes.length } };
  }

  describe() {
    return { means: this.classes.length };
  }

  toState(): State {
    const { rows, columns, values } = this.#means;
    return {
      json: [...this.classes],
      tensors: { means: { shape: [rows, columns], data: Float64Array.from(values) } },
    };
  }
}

const nearestMean: Learner<NearestMean, Matrix> = {
  name: "nearest-mean",
  options: {},
  encoding: { kind: "numeric", standardise: true },
  async fit({ features, labels, classes }) {
    const means = new Matrix(classes.length, features.columns);
    classes.forEach((_, k) => {
      const own = Array.from(labels, (label, i) => ({ label, i })).filter(({ label }) => label === k);
      for (const { i } of own) {
        features.row(i).forEach((x, j) => {
          means.row(k)[j] += x / own.length;
        });
      }
    });
    return new NearestMean(classes, means);
  },
};

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

it("a learner of one's own trains a classifier, which its own restore loads again", async () => {
  const { classifier } = await trainClassifier(table, nearestMean);
  expect(classifier.predict(table)).toEqual(truth);
  const bytes = await serialise(classifier);
  const error: unknown = await deserialise(bytes).catch((error) => error);
  expect(error).toBeInstanceOf(VouchError);
  expect(error).toMatchObject({ code: "model/unknown", hint: expect.stringContaining("option learners") });
  const restore = NearestMean.restore;
  const restored = await deserialise(bytes, { learners: [{ name: "nearest-mean", restore }] });
  expect(restored.model).toBeInstanceOf(NearestMean);
  expect(restored.scores(table)).toEqual(classifier.scores(table));
});

it("a learner of one's own is the base of a scheme, on threads too", async () => {
  const learner = oneVsRest({ base: nearestMean });
  expect(learner.options).toMatchObject({ base: "nearest-mean" });
  const executor = threadExecutor({ threads: 2 });
  try {
    const { classifier } = await trainClassifier(table, learner, { run: { executor } });
    expect(classifier.predict(table)).toEqual(truth);
  } finally {
    await executor.close();
  }
});

it("options that no file can keep are refused before the fit", async () => {
  const odd = { ...nearestMean, options: { distance: Math.hypot } };
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
