import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { PartsOf } from "../../runtime/codec/parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { predictionsOf } from "../scores.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { memberScores, memberScoresOnThreads } from "./block.js";
import type { deepForestParts } from "./deep-forest-parts.js";
import { LayerInput, layerColumns, meanOf, sideBySide } from "./layer-input.js";

type DeepForest = PartsOf<typeof deepForestParts>;

/** How layers are connected. */
export type Cascade = DeepForest["cascade"];

/** The class vectors of the newest layer, and the weighted means of all layers so far. */
export interface LayerOutput {
  /** Class vectors of the newest layer, one matrix per member. */
  readonly vectors: readonly Matrix[];
  /** h_t: the mean of these. */
  readonly mean: Matrix;
  /** Over the layers so far, for each member alone; empty unless these are passed on. */
  readonly memberSums: readonly LayerSum[];
  /** f_t: over the layers so far, for the mean of their members. */
  readonly sum: LayerSum;
}

/** Adds a layer with the class vectors of its members to those before. */
export function layerOutput(
  before: LayerOutput | undefined,
  vectors: readonly Matrix[],
  alpha: number,
  passesOn: Cascade["passesOn"],
  mean = meanOf(vectors),
): LayerOutput {
  const summed = passesOn === "sums" ? vectors : [];
  return {
    vectors,
    mean,
    memberSums: summed.map((vector, k) => LayerSum.of(before?.memberSums[k], vector, alpha)),
    sum: LayerSum.of(before?.sum, mean, alpha),
  };
}

/**
 * Returns the predictions that a layer passes on: the class vectors of each of its members (casForest), the weighted mean
 * f_t of the layers so far (mdDF), that of each member alone (mdDF on many features), or its own mean h_t (mdDF without
 * preservation).
 */
export function passedOn(
  passesOn: Cascade["passesOn"],
  { vectors, mean, memberSums, sum }: LayerOutput,
): Matrix {
  switch (passesOn) {
    case "vectors":
      return sideBySide(vectors);
    case "sums":
      return sideBySide(memberSums.map(({ mean }) => mean));
    case "sum":
      return sum.mean;
    case "mean":
      return mean;
  }
}

/** If f_t had a smaller share of the columns of a layer, few splits of its random forests would consider it. */
const LEAST_SHARE = 0.05;

/**
 * Returns what layers pass on, given the number of features. A split of a random forest considers √m of m columns; among many
 * features it rarely meets one of the K numbers of a mean. Then each member passes on its own.
 */
export function passedAmong(features: number, classes: number, { passesOn, keepsFeatures }: Cascade) {
  if (!keepsFeatures || classes >= LEAST_SHARE * (features + classes)) return passesOn;
  return ({ sum: "sums", mean: "vectors", sums: "sums", vectors: "vectors" } as const)[passesOn];
}

/** Computes Σ_t α_t h_t(x) / Σ_t α_t, where h_t is the mean of the members of layer t over all folds. */
export function cascadeScores({ cascade, layers }: DeepForest, features: BinnedColumns): Matrix {
  let output: LayerOutput | undefined;
  for (const layer of layers) {
    const predictions = output && passedOn(cascade.passesOn, output);
    const input = predictions
      ? LayerInput.later(cascade.keepsFeatures ? features : undefined, predictions, layer.passedOn)
      : LayerInput.first(features);
    const vectors = layer.members.map((member) => memberScores(member, input));
    output = layerOutput(output, vectors, layer.alpha, cascade.passesOn);
  }
  if (!output) throw new Error("A deep forest has no layers.");
  return output.sum.mean;
}

/** Computes the same as `cascadeScores` on the threads of the run. */
export async function cascadeScoresOnThreads(
  { cascade, layers }: DeepForest,
  features: BinnedColumns,
  run: Run,
): Promise<Matrix> {
  using base = await TreeColumns.onThreads(features, run);
  let output: LayerOutput | undefined;
  for (const layer of layers) {
    const predictions = output && passedOn(cascade.passesOn, output);
    const input = predictions
      ? await LayerInput.laterOnThreads(
          cascade.keepsFeatures ? features : undefined,
          predictions,
          layer.passedOn,
          run,
        )
      : LayerInput.first(features);
    const columns = layerColumns(input, base);
    try {
      const vectors: Matrix[] = [];
      for (const member of layer.members)
        vectors.push(await memberScoresOnThreads(member, input, columns, run));
      output = layerOutput(output, vectors, layer.alpha, cascade.passesOn);
    } finally {
      if (columns !== base) columns.release();
    }
  }
  if (!output) throw new Error("A deep forest has no layers.");
  return output.sum.mean;
}

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
