import type { Sample } from "../data/sample.js";
import { checkpoint, type Run } from "../learning/run.js";
import { indexOfLargest } from "../learning/scores.js";
import { accuraciesOfMany, accuraciesOfTwo } from "./accuracies.js";
import { markSides, type SortedFeature, SortedFeatures, type Split } from "./sorted-features.js";

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
 * Accuracies that differ by less than this count as equal, and so do weights of classes that differ by less
 * than this part of themselves: ties do not hang on how sums happened to be rounded.
 */
const TIE = 1e-12;

/** After this many steps, a few milliseconds, a search can be interrupted. */
const STEPS_BETWEEN_CHECKPOINTS = 1 << 20;

/**
 * Exact empirical risk minimisation over decision stumps (thesis, definition 3.2): all features, all thresholds,
 * all labels of the two sides. Features are sorted once; then every weighting of the rows takes one pass
 * over each feature, whatever the number of classes.
 *
 * Among stumps of equal error the first wins in this order: the constant, lower features, lower thresholds.
 */
export class StumpFinder {
  readonly #sorted: SortedFeatures;
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #accuracies: Float64Array;
  readonly #sides: Uint8Array;
  readonly #signed: Float64Array;

  private constructor(sorted: SortedFeatures, labels: Int32Array, classes: number) {
    this.#sorted = sorted;
    this.#labels = labels;
    this.#classes = classes;
    let most = 0;
    for (const { thresholds } of sorted.features) most = Math.max(most, thresholds.length);
    this.#accuracies = new Float64Array(most);
    this.#sides = new Uint8Array(labels.length);
    this.#signed = new Float64Array(classes === 2 ? labels.length : 0);
  }

  /** Sorts the features of a sample of finite numbers whose rows all have a class. */
  static async of(sample: Sample, run: Run): Promise<StumpFinder> {
    const sorted = await SortedFeatures.of(sample.features, run);
    return new StumpFinder(sorted, sample.labels, sample.classes.length);
  }

  /** The best stump for weights of the rows that are non-negative and sum to one. */
  async best(weights: Float64Array, run: Run): Promise<FoundStump> {
    const split = await this.#bestSplit(weights, run);
    const classes = this.#classes;
    const leaves = leafWeights(this.#sides, this.#labels, weights, classes);
    const left = heaviestClass(leaves.subarray(0, classes));
    const right = split ? heaviestClass(leaves.subarray(classes)) : left;
    return { split, left, right, leaves, sides: this.#sides };
  }

  /** Looks for the split and marks the rows on either side of it. */
  async #bestSplit(weights: Float64Array, run: Run): Promise<Split | undefined> {
    const evaluate = this.#evaluation(weights);
    let best = evaluate.constant;
    let found: SortedFeature | undefined;
    let place = 0;
    let steps = 0;
    for (const sorted of this.#sorted.features) {
      steps += sorted.order.length;
      if (steps > STEPS_BETWEEN_CHECKPOINTS) {
        steps = 0;
        await checkpoint(run);
      }
      evaluate.thresholds(sorted);
      for (let c = 0; c < sorted.thresholds.length; c++) {
        if (this.#accuracies[c] <= best + TIE) continue;
        best = this.#accuracies[c];
        found = sorted;
        place = c;
      }
    }
    if (!found) {
      this.#sides.fill(0);
      return undefined;
    }
    markSides(found, place, this.#sides);
    return { feature: found.feature, threshold: found.thresholds[place] };
  }

  /** The accuracy of the best constant, and a function that fills in those of a feature's thresholds. */
  #evaluation(weights: Float64Array): { constant: number; thresholds: (sorted: SortedFeature) => void } {
    const labels = this.#labels;
    const accuracies = this.#accuracies;
    if (this.#classes === 2) {
      const signed = this.#signed;
      let sum = 0;
      for (let i = 0; i < labels.length; i++) {
        signed[i] = (2 * labels[i] - 1) * weights[i];
        sum += signed[i];
      }
      return {
        constant: (1 + Math.abs(sum)) / 2,
        thresholds: (sorted) => accuraciesOfTwo(sorted, signed, sum, accuracies),
      };
    }
    const totals = new Float64Array(this.#classes);
    for (let i = 0; i < labels.length; i++) totals[labels[i]] += weights[i];
    return {
      constant: totals[indexOfLargest(totals)],
      thresholds: (sorted) => accuraciesOfMany(sorted, weights, labels, totals, accuracies),
    };
  }
}

/** Weight of each class on the left side, then on the right side. */
function leafWeights(
  sides: Uint8Array,
  labels: Int32Array,
  weights: Float64Array,
  classes: number,
): Float64Array {
  const leaves = new Float64Array(2 * classes);
  for (let i = 0; i < sides.length; i++) leaves[sides[i] * classes + labels[i]] += weights[i];
  return leaves;
}

function heaviestClass(weights: Float64Array): number {
  const heaviest = weights[indexOfLargest(weights)];
  return weights.findIndex((weight) => weight >= heaviest * (1 - TIE));
}
