import { Matrix } from "../../runtime/maths/matrix.js";
import { predictionsOf } from "../scores.js";

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
