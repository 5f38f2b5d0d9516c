import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Matrix } from "../../runtime/matrix.js";
import type { PartsOf } from "../../runtime/parts.js";
import type { Run } from "../../runtime/run.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { memberScores, memberScoresOnThreads } from "./block.js";
import type { deepForestParts } from "./deep-forest-parts.js";
import { LayerInput, layerColumns, meanOf, sideBySide } from "./layer-input.js";
import { LayerSum } from "./layer-sum.js";

type DeepForest = PartsOf<typeof deepForestParts>;

/** How layers are connected. */
export type Cascade = DeepForest["cascade"];

/**
 * Returns the predictions that a layer passes on: the class vectors of each of its members (casForest), the weighted mean
 * f_t of the layers so far (mdDF), or its own mean h_t (mdDF without preservation).
 */
export function passedOn(passesOn: Cascade["passesOn"], vectors: readonly Matrix[], sum: LayerSum): Matrix {
  switch (passesOn) {
    case "vectors":
      return sideBySide(vectors);
    case "sum":
      return sum.mean;
    case "mean":
      return meanOf(vectors);
  }
}

/** Computes Σ_t α_t h_t(x) / Σ_t α_t, where h_t is the mean of the members of layer t over all folds. */
export function cascadeScores({ cascade, layers }: DeepForest, features: BinnedColumns): Matrix {
  let sum: LayerSum | undefined;
  let predictions: Matrix | undefined;
  for (const layer of layers) {
    const input = predictions
      ? LayerInput.later(cascade.keepsFeatures ? features : undefined, predictions, layer.passedOn)
      : LayerInput.first(features);
    const vectors = layer.members.map((member) => memberScores(member, input));
    sum = LayerSum.of(sum, meanOf(vectors), layer.alpha);
    predictions = passedOn(cascade.passesOn, vectors, sum);
  }
  if (!sum) throw new Error("A deep forest has no layers.");
  return sum.mean;
}

/** Computes the same as `cascadeScores` on the threads of the run. */
export async function cascadeScoresOnThreads(
  { cascade, layers }: DeepForest,
  features: BinnedColumns,
  run: Run,
): Promise<Matrix> {
  using base = await TreeColumns.onThreads(features, run);
  let sum: LayerSum | undefined;
  let predictions: Matrix | undefined;
  for (const layer of layers) {
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
      sum = LayerSum.of(sum, meanOf(vectors), layer.alpha);
      predictions = passedOn(cascade.passesOn, vectors, sum);
    } finally {
      if (columns !== base) columns.release();
    }
  }
  if (!sum) throw new Error("A deep forest has no layers.");
  return sum.mean;
}
