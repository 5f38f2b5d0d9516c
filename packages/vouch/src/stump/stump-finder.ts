import type { Sample } from "../data/sample.js";
import { sharedBuffer } from "../data/shared-array.js";
import { checkpoint, type Run } from "../learning/run.js";
import { indexOfLargest } from "../learning/scores.js";
import type { Matrix } from "../numeric/matrix.js";
import { bestCut } from "./best-cut.js";
import { addByClass, addBySideAndClass } from "./class-weights.js";
import { prepareFeatures } from "./prepare-features.js";
import { type Cut, markSides, type PreparedFeature, ROW } from "./prepared-feature.js";
import { type Split, thresholdBetween } from "./split.js";
import { type FoundCut, TIE } from "./split-search.js";

/** A stump with the least error under some weighting of the rows. */
export interface FoundStump {
  /** Absent: no split errs less than predicting one class for all rows, which then all go left. */
  readonly split: Split | undefined;
  /** Class that each side predicts, its heaviest one; ties go to the smaller index. */
  readonly left: number;
  readonly right: number;
  /** Weight of each class on the left side, then on the right side. */
  readonly leaves: Float64Array;
  /** 0 for each row that goes left, 1 for each that goes right; overwritten by the next search. */
  readonly sides: Uint8Array;
}

/**
 * Exact empirical risk minimisation over decision stumps (thesis, definition 3.2): all features, all thresholds,
 * all labels of the two sides. Features are prepared once; then every weighting of the rows takes one pass
 * over each feature, whatever the number of classes, on the threads of the run where that pays.
 *
 * Among stumps of equal error the first wins in this order: the constant, lower features, lower thresholds.
 */
export class StumpFinder {
  readonly #matrix: Matrix;
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #features: readonly PreparedFeature[];
  readonly #sides: Uint8Array;

  private constructor(
    { features, classes }: Sample,
    labels: Int32Array,
    prepared: readonly PreparedFeature[],
  ) {
    this.#matrix = features;
    this.#labels = labels;
    this.#classes = classes.length;
    this.#features = prepared;
    this.#sides = new Uint8Array(labels.length);
  }

  /** Prepares the features of a sample of finite numbers whose rows all have a class. */
  static async of(sample: Sample, run: Run): Promise<StumpFinder> {
    const labels = new Int32Array(sharedBuffer(4 * sample.rows));
    labels.set(sample.labels);
    const prepared = await prepareFeatures(sample.features, labels, sample.classes.length, run);
    return new StumpFinder(sample, labels, prepared);
  }

  /** The best stump for weights of the rows that are non-negative and sum to one; threads share them if they can. */
  async best(weights: Float64Array, run: Run): Promise<FoundStump> {
    const classes = this.#classes;
    const totals = addByClass(weights, this.#labels, classes);
    const constant = totals[indexOfLargest(totals)];
    const weighting = { weights, labels: this.#labels, totals };
    const split = this.#mark(await bestCut(this.#features, weighting, constant, run));
    await checkpoint(run);
    const leaves = addBySideAndClass(weights, this.#sides, this.#labels, classes);
    const left = heaviestClass(leaves.subarray(0, classes));
    const right = split ? heaviestClass(leaves.subarray(classes)) : left;
    return { split, left, right, leaves, sides: this.#sides };
  }

  /** The split of a cut, with the rows on either side of it marked. */
  #mark(cut: FoundCut | undefined): Split | undefined {
    const prepared = this.#features.find(({ feature }) => feature === cut?.feature);
    if (!cut || !prepared) {
      this.#sides.fill(0);
      return undefined;
    }
    markSides(prepared, cut, this.#classes, this.#sides);
    return { feature: cut.feature, threshold: this.#thresholdAt(prepared, cut) };
  }

  #thresholdAt(prepared: PreparedFeature, { bucket, inside }: Cut): number {
    const { feature, thresholds } = prepared;
    if (prepared.kind === "two-valued" || !prepared.inner || inside === 0) return thresholds[bucket - 1];
    const { rows, starts } = prepared.inner;
    const { values, columns } = this.#matrix;
    const [below, above] = rows.subarray(starts[bucket] + inside - 1);
    return thresholdBetween(
      values[(below & ROW) * columns + feature],
      values[(above & ROW) * columns + feature],
    );
  }
}

function heaviestClass(weights: Float64Array): number {
  const heaviest = weights[indexOfLargest(weights)];
  return weights.findIndex((weight) => weight >= heaviest * (1 - TIE));
}
