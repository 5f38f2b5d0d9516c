import { describe, expect, it } from "vitest";
import { gcForest, mddf, trainClassifier } from "vouch";
import { binLike, binMatrix } from "#core/encode/bin-matrix.js";
import { MISSING_BIN } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { binValues } from "#core/learners/deep-forest/layer-input.js";
import {
  BINS,
  gridShape,
  scanWindows,
  sharedBins,
  windowCorners,
  windowOffsets,
} from "#core/learners/deep-forest/windows.js";
import { errorsOn } from "#core/learners/training-summary.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { fault } from "../../fault.js";

describe("windows", () => {
  it("slide over images and sequences", () => {
    const image = gridShape("gcforest", [4, 3, 2], 24);
    const [window] = scanWindows("gcforest", image, [2], 1);
    expect(window).toEqual({ width: 2, height: 2, stride: 1 });
    expect([...windowCorners(image, window)]).toEqual([0, 2, 4, 8, 10, 12]);
    expect([...windowOffsets(image, window)]).toEqual([0, 1, 2, 3, 8, 9, 10, 11]);
    const sequence = gridShape("gcforest", [10], 10);
    const [three] = scanWindows("gcforest", sequence, [3], 2);
    expect([...windowCorners(sequence, three)]).toEqual([0, 2, 4, 6]);
    expect([...windowOffsets(sequence, three)]).toEqual([0, 1, 2]);
    expect(scanWindows("gcforest", gridShape("gcforest", [28, 28], 784), [], "half")).toEqual([
      { width: 7, height: 7, stride: 3 },
      { width: 10, height: 10, stride: 5 },
      { width: 14, height: 14, stride: 7 },
    ]);
  });

  it("larger than the image, or of another image, are refused", () => {
    const image = gridShape("gcforest", [4, 3], 12);
    const large = fault(() => scanWindows("gcforest", image, [4], 1));
    expect(large.code).toBe("option/invalid");
    expect(large.message).toContain("larger than the image of 4 × 3");
    expect(large.hint).toContain("at most 3");
    expect(fault(() => gridShape("gcforest", [4, 4], 12)).message).toContain("16 features");
  });
});

describe("bins", () => {
  it("have the value of their middle", () => {
    const values = binValues({ kind: "numeric", name: "x", cuts: Float64Array.of(0.5, 1.5, 3.5) });
    expect([...values.subarray(0, 4)]).toEqual([0, 1, 2.5, 4.5]);
    expect(values[4]).toBeNaN();
    expect(values[MISSING_BIN]).toBeNaN();
    expect([...binValues({ kind: "numeric", name: "x", cuts: Float64Array.of(0.5) }).subarray(0, 2)]).toEqual(
      [0, 1],
    );
    expect(binValues({ kind: "numeric", name: "x", cuts: new Float64Array(0) })[0]).toBe(0);
    expect(fault(() => binValues({ kind: "categorical", name: "x", levels: ["a"] })).code).toBe(
      "data/wrong-kind",
    );
  });

  it("are shared by all pixels of a channel when they are scanned", () => {
    // Pixel 1 has the values 0 … 3, pixel 2 only 1 and 3: the same value has other bins, but one when scanned.
    const matrix = Matrix.from([
      [0, 1],
      [1, 1],
      [2, 3],
      [3, 3],
    ]);
    const features = binMatrix(matrix);
    const bins = sharedBins(features, { width: 2, height: 1, channels: 1 });
    const scanned = (j: number, row: number) => bins[j * BINS + features.column(j)[row]];
    expect([...features.column(0)]).toEqual([0, 1, 2, 3]);
    expect([...features.column(1)]).toEqual([0, 0, 1, 1]);
    expect(scanned(0, 0)).toBeLessThan(scanned(0, 1));
    expect(scanned(0, 1)).toBeLessThanOrEqual(scanned(1, 0));
    expect(scanned(1, 0)).toBeLessThan(scanned(1, 3));
    expect(bins[MISSING_BIN]).toBe(MISSING_BIN);
  });
});

/** Images of noise with a bright cross or a bright square somewhere: only neighbouring pixels show the class. */
function shapes(count: number, seed: number) {
  const random = new Random(seed);
  const patterns = [
    [1, 3, 4, 5, 7],
    [0, 2, 4, 6, 8],
  ];
  const labels = Int32Array.from({ length: count }, () => random.integer(2));
  const pixels = Array.from(labels, (label) => {
    const image = Array.from({ length: 64 }, () => random.integer(4));
    const corner = random.integer(6) * 8 + random.integer(6);
    for (const cell of patterns[label]) image[corner + Math.floor(cell / 3) * 8 + (cell % 3)] = 9;
    return image;
  });
  return { labels, pixels };
}

describe("scanning", () => {
  const train = shapes(400, 1);
  const test = shapes(300, 2);
  const features = binMatrix(Matrix.from(train.pixels));
  const sample = new Sample({ features, labels: train.labels, classes: ["cross", "square"] });
  const fresh = new Sample({
    ...sample,
    features: binLike(Matrix.from(test.pixels), features.features),
    labels: test.labels,
  });
  const options = {
    trees: 10,
    folds: 3,
    layers: 2,
    minLeafRows: 1,
    shape: [8, 8],
    windows: [3],
    stride: 1,
    scanTrees: 10,
    scanLeafRows: 3,
  };

  it("finds patterns at any position, one row at a time too, and is restored", async () => {
    const plain = await gcForest({ ...options, shape: [] }).fit(sample);
    const model = await gcForest({
      ...options,
      shape: [...options.shape],
      windows: [...options.windows],
    }).fit(sample);
    expect(errorsOn(plain, fresh) / 300).toBeGreaterThan(0.25);
    expect(errorsOn(model, fresh) / 300).toBeLessThan(0.15);
    const again = gcForest.restore(structuredClone(model.toState()));
    const scores = model.scores(fresh.features);
    expect(again.scores(fresh.features)).toEqual(scores);
    expect(model.scores(fresh.features.select([5])).row(0)).toEqual(scores.row(5));
    const [windows] = Object(model.describe()).sections;
    expect(windows).toMatchObject({ title: "scanning windows", rows: [[3, 3, 1, 36 * 2 * 2]] });
  });

  it("predicts training rows by forests that saw none of their windows", async () => {
    const random = new Random(5);
    const noise = new Sample({ ...sample, labels: sample.labels.map(() => random.integer(2)) });
    const model = await gcForest({ ...options, scanTrees: 5, scanLeafRows: 1 }).fit(noise);
    // Labels are noise: with a leak, the leaves of the windows would give them away.
    expect(model.layers[0].outOfFoldAccuracy).toBeLessThan(0.62);
  });

  it("keeps constant columns, and is part of mddf, too", async () => {
    const columns = Object.fromEntries(
      Array.from({ length: 64 }, (_, j) => [`p${j}`, train.pixels.map((image) => (j === 0 ? 3 : image[j]))]),
    );
    const table = Table.fromColumns("images", {
      ...columns,
      label: Array.from(train.labels, (label) => `class ${label}`),
    });
    const learner = mddf({ ...options, scanTrees: 3, trees: 3, layers: 1 });
    const { classifier } = await trainClassifier(table, learner);
    expect(classifier.encoder.featureNames).toHaveLength(64);
    const wrong = gcForest({ ...options, shape: [8, 7] });
    await expect(trainClassifier(table, wrong)).rejects.toThrow("56 features, but the rows have 64");
  });
});
