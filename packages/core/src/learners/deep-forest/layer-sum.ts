import { Matrix } from "../../runtime/maths/matrix.js";
import { OPERATIONS_PER_MILLISECOND } from "../../runtime/parallel/for-ranges.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { predictionsOf } from "../scores.js";
import { AdditiveMargins, bestAlpha, type MarginLoss } from "./margin-loss.js";

/**
 * f_t = Σ_{l≤t} α_l h_l / Σ_{l≤t} α_l on some rows. The paper does not divide; trees find the same splits either way, and
 * this one stays in [0, 1]. As long as all weights are zero, it is the newest layer.
 */
export class LayerSum {
  readonly mean: Matrix;
  /** Σ_{l≤t} α_l. */
  readonly total: number;

  /** Makes the sum of layers from their mean and total weight. */
  constructor(mean: Matrix, total: number) {
    this.mean = mean;
    this.total = total;
  }

  /** Adds a layer with mean class vectors h to the sum; without `sum`, the layer is the first. */
  static of(sum: LayerSum | undefined, h: Matrix, alpha: number): LayerSum {
    const total = (sum ? sum.total : 0) + alpha;
    if (!sum || total === 0) return new LayerSum(h, total);
    const share = alpha / total;
    const before = sum.mean.values;
    const own = h.values;
    const values = new Float64Array(own.length);
    for (let k = 0; k < own.length; k++) values[k] = before[k] + share * (own[k] - before[k]);
    return new LayerSum(new Matrix(h.rows, h.columns, values), total);
  }

  /** Selects some of the rows. */
  select(rows: Int32Array): LayerSum {
    return new LayerSum(this.mean.select(rows), this.total);
  }
}

/** Returns the weighted share of rows that scores get right. */
export function accuracyOf(scores: Matrix, labels: Int32Array, distribution: Float64Array): number {
  const predictions = predictionsOf(scores);
  let right = 0;
  let all = 0;
  for (let i = 0; i < labels.length; i++) {
    all += distribution[i];
    if (predictions[i] === labels[i]) right += distribution[i];
  }
  return right / all;
}

/** An additive model so far, and the layer to add. */
interface Addends {
  readonly margins: AdditiveMargins;
  /** Absent before the first layer. */
  readonly sum: LayerSum | undefined;
  /** Mean class vectors of the layer, and their margins γ. */
  readonly h: Matrix;
  readonly gamma: Float64Array;
  readonly labels: Int32Array;
  readonly distribution: Float64Array;
}

/** The weight of a layer, and the accuracy of the model with it. */
interface WeightedLayer {
  readonly loss: MarginLoss;
  readonly alpha: number;
  readonly accuracy: number;
}

/** Operations to evaluate a row for a loss. */
const WORK_PER_ROW = 500;

/** Finds the weight of a layer for each loss, one task each, on the threads of the run. */
export async function weighLayer(
  { margins, sum, h, gamma, labels, distribution }: Addends,
  losses: readonly MarginLoss[],
  { executor, signal }: Run,
): Promise<WeightedLayer[]> {
  const common = {
    margins: { values: onSharedMemory(margins.values), total: margins.total },
    ...(sum && { sum: { values: onSharedMemory(sum.mean.values), total: sum.total } }),
    h: onSharedMemory(h.values),
    gamma: onSharedMemory(gamma),
    labels: onSharedMemory(labels),
    distribution: onSharedMemory(distribution),
  };
  return await executor.map(
    weighTask,
    losses.map((loss) => ({ ...common, loss })),
    {
      signal,
      milliseconds: (WORK_PER_ROW * losses.length * labels.length) / OPERATIONS_PER_MILLISECOND,
    },
  );
}

/** The same as numbers: structured-cloneable. */
interface WeighInput {
  readonly margins: { readonly values: Float64Array; readonly total: number };
  readonly sum?: { readonly values: Matrix["values"]; readonly total: number };
  readonly h: Matrix["values"];
  readonly gamma: Float64Array;
  readonly labels: Int32Array;
  readonly distribution: Float64Array;
  readonly loss: MarginLoss;
}

const weighTask = defineTask(
  "deep-forest/weigh-layer",
  ({ margins, sum, h, gamma, labels, distribution, loss }: WeighInput): WeightedLayer => {
    const rows = labels.length;
    const matrixOf = (values: Matrix["values"]) => new Matrix(rows, values.length / rows, values);
    const before = new AdditiveMargins(margins.values, margins.total);
    const alpha = bestAlpha(before, gamma, distribution, loss);
    const layers = LayerSum.of(sum && new LayerSum(matrixOf(sum.values), sum.total), matrixOf(h), alpha);
    return { loss, alpha, accuracy: accuracyOf(layers.mean, labels, distribution) };
  },
);
