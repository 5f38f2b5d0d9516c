import { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { accuracyOf, LayerSum } from "./layer-sum.js";
import { AdditiveMargins, bestAlpha, type MarginLoss } from "./margin-loss.js";

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

/** Evaluations of one row for one loss that take a millisecond, very roughly; only for estimates of time. */
const ROWS_PER_MILLISECOND = 2_000;

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
      ...(signal && { signal }),
      milliseconds: (losses.length * labels.length) / ROWS_PER_MILLISECOND,
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
