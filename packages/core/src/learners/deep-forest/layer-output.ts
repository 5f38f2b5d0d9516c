import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { PartsOf } from "../../runtime/codec/parts.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { memberScores, walksWithoutCopy } from "./block.js";
import type { deepForestParts } from "./deep-forest-parts.js";
import { LayerInput, layerColumns, meanOf, sideBySide } from "./layer-input.js";
import { LayerSum } from "./layer-sum.js";

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
export function* cascadeScores({ cascade, layers }: DeepForest, features: BinnedColumns): Pausable<Matrix> {
  const { rows } = features;
  const isShort = layers.every(({ members }) => members.every((member) => walksWithoutCopy(member, rows)));
  using base = isShort ? undefined : yield* TreeColumns.copy(features);
  let output: LayerOutput | undefined;
  for (const layer of layers) {
    const predictions = output && passedOn(cascade.passesOn, output);
    const seen = cascade.keepsFeatures ? features : undefined;
    const input = predictions
      ? yield* LayerInput.later(seen, predictions, layer.passedOn)
      : LayerInput.first(features);
    using columns = base && (yield* layerColumns(input, base));
    const vectors: Matrix[] = [];
    for (const member of layer.members) vectors.push(yield* memberScores(member, input, columns));
    output = layerOutput(output, vectors, layer.alpha, cascade.passesOn);
  }
  if (!output) throw new Error("A deep forest has no layers.");
  return output.sum.mean;
}
