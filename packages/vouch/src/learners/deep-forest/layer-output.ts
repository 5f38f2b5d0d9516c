import type { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/matrix.js";
import type { PartsOf } from "../../runtime/parts.js";
import { memberScores } from "./block.js";
import type { deepForestParts } from "./deep-forest-parts.js";
import { LayerInput, meanOf, sideBySide } from "./layer-input.js";

type DeepForest = PartsOf<typeof deepForestParts>;

/** How layers are connected. */
export type Cascade = DeepForest["cascade"];

/**
 * f_t = Σ_{l≤t} α_l h_l / Σ_{l≤t} α_l on some rows. The poster does not divide; trees find the same splits either way, and
 * this one stays in [0, 1]. As long as all weights are zero, it is the newest layer.
 */
export class LayerSum {
  readonly mean: Matrix;
  readonly #total: number;

  private constructor(mean: Matrix, total: number) {
    this.mean = mean;
    this.#total = total;
  }

  /** Adds a layer with mean class vectors h to the sum; without `sum`, the layer is the first. */
  static of(sum: LayerSum | undefined, h: Matrix, alpha: number): LayerSum {
    const total = (sum ? sum.#total : 0) + alpha;
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
    return new LayerSum(this.mean.select(rows), this.#total);
  }
}

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
