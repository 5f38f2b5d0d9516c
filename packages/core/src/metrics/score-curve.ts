import type { Matrix } from "../runtime/maths/matrix.js";
import { scoresForClass } from "./evaluation.js";

/**
 * Counts of true and false positives at every threshold of the score for a class, from which ROC and precision–recall
 * curves follow. Rows count as positive if they score at least the threshold. Lists go from the highest threshold to
 * the lowest, at which all rows are positive.
 */
export interface ScoreCurve {
  /** Number of rows of the class. */
  readonly positives: number;
  /** Number of rows of other known classes. */
  readonly negatives: number;
  /** The distinct scores, descending. */
  readonly thresholds: Float64Array;
  /** Number of rows of the class with at least this score. */
  readonly truePositives: Int32Array;
  /** Number of other rows with at least this score. */
  readonly falsePositives: Int32Array;
}

/**
 * Computes the curve of one class against the rest. Ignores rows of unknown classes (label −1); undefined if all or
 * none of the remaining rows belong to the class.
 */
export function scoreCurve(labels: Int32Array, scores: Matrix, c: number): ScoreCurve | undefined {
  const { own, rest } = scoresForClass(labels, scores, c);
  if (own.length === 0 || rest.length === 0) return undefined;
  const thresholds: number[] = [];
  const truePositives: number[] = [];
  const falsePositives: number[] = [];
  let found = 0;
  let mistaken = 0;
  while (found < own.length || mistaken < rest.length) {
    const nextOwn = own[own.length - 1 - found] ?? Number.NEGATIVE_INFINITY;
    const nextRest = rest[rest.length - 1 - mistaken] ?? Number.NEGATIVE_INFINITY;
    const threshold = Math.max(nextOwn, nextRest);
    // Rows with equal scores become positive together.
    while (own[own.length - 1 - found] === threshold) found++;
    while (rest[rest.length - 1 - mistaken] === threshold) mistaken++;
    thresholds.push(threshold);
    truePositives.push(found);
    falsePositives.push(mistaken);
  }
  return {
    positives: own.length,
    negatives: rest.length,
    thresholds: Float64Array.from(thresholds),
    truePositives: Int32Array.from(truePositives),
    falsePositives: Int32Array.from(falsePositives),
  };
}

/** A point of a ROC curve. */
export interface RocPoint {
  readonly falsePositiveRate: number;
  readonly truePositiveRate: number;
}

/** Computes the ROC curve, from (0, 0) to (1, 1); the area under its straight lines is `auc`. */
export function rocPoints({ positives, negatives, truePositives, falsePositives }: ScoreCurve): RocPoint[] {
  const points = Array.from(truePositives, (count, i) => ({
    falsePositiveRate: falsePositives[i] / negatives,
    truePositiveRate: count / positives,
  }));
  return [{ falsePositiveRate: 0, truePositiveRate: 0 }, ...points];
}

/** Computes the area under a ROC curve by trapezoids: the probability that a row of the class scores higher than another row. */
export function areaUnderRoc({ positives, negatives, truePositives, falsePositives }: ScoreCurve): number {
  let area = 0;
  for (let i = 0; i < truePositives.length; i++) {
    const width = falsePositives[i] - (falsePositives[i - 1] ?? 0);
    area += (width * (truePositives[i] + (truePositives[i - 1] ?? 0))) / 2;
  }
  return area / (positives * negatives);
}

/** A point of a precision–recall curve. */
export interface PrecisionRecallPoint {
  readonly recall: number;
  readonly precision: number;
}

/** Computes the precision–recall curve, by increasing recall; one point per threshold. */
export function precisionRecallPoints({
  positives,
  truePositives,
  falsePositives,
}: ScoreCurve): PrecisionRecallPoint[] {
  return Array.from(truePositives, (count, i) => ({
    recall: count / positives,
    precision: count / (count + falsePositives[i]),
  }));
}

/** Computes Σ (recall_i − recall_{i−1}) · precision_i, the area under the steps of the precision–recall curve. */
export function averagePrecision({ positives, truePositives, falsePositives }: ScoreCurve): number {
  let sum = 0;
  for (let i = 0; i < truePositives.length; i++) {
    const found = truePositives[i] - (truePositives[i - 1] ?? 0);
    sum += (found * truePositives[i]) / (truePositives[i] + falsePositives[i]);
  }
  return sum / positives;
}
