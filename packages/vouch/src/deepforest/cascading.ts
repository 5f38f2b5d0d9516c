import { Matrix } from "../numeric/matrix.js";
import { besideEachOther, meanOf } from "./class-vectors.js";

/**
 * What a layer hands on to the next: the class vectors of each of its members (casForest), the weighted mean f_t of the
 * layers so far (mdDF), or its own mean h_t alone (mdDF without preservation).
 */
export type HandsOn = "vectors" | "sum" | "mean";

/** What goes from layer to layer. */
export interface Cascading {
  readonly handsOn: HandsOn;
  /** Whether later layers see the features beside what is handed on. */
  readonly keepsFeatures: boolean;
  /** Whether the model is a weighted sum of its layers (mdDF); otherwise the last layer alone predicts (casForest). */
  readonly additive: boolean;
}

/**
 * f_t = Σ_{l≤t} α_l h_l / Σ_{l≤t} α_l on some rows. The poster does not divide; trees ask the same questions of both,
 * and this one stays in [0, 1]. As long as all weights are zero, it is the newest layer.
 */
export class LayerSum {
  readonly mean: Matrix;
  readonly #total: number;

  private constructor(mean: Matrix, total: number) {
    this.mean = mean;
    this.#total = total;
  }

  /** The sum with a further layer of mean class vectors h; without `sum`, the layer is the first. */
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

  /** The same on some of the rows. */
  select(rows: Int32Array): LayerSum {
    return new LayerSum(this.mean.select(rows), this.#total);
  }
}

/** What goes on from a layer: of its members' class vectors, or of the sum of the layers so far. */
export function handedOn(handsOn: HandsOn, vectors: readonly Matrix[], sum: LayerSum): Matrix {
  switch (handsOn) {
    case "vectors":
      return besideEachOther(vectors);
    case "sum":
      return sum.mean;
    case "mean":
      return meanOf(vectors);
  }
}
