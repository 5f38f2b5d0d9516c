import type { Json } from "../../runtime/state.js";
import type { MarginStatistics } from "../../theory/margins/margin-statistics.js";
import type { MarginLoss } from "./margin-loss.js";

/** What a fitted layer of a deep forest knows of itself. */
export interface LayerFacts {
  /** α_t: its weight in the additive model, not normalised; 0 for a layer that only makes features. */
  readonly alpha: number;
  /** The margin distribution loss that α_t minimises; absent in a plain cascade. */
  readonly loss?: MarginLoss;
  /** Whether it was grown for the rows with a large loss; absent in a plain cascade. */
  readonly reweighted?: boolean;
  /** Share of the training rows that the model up to this layer gets right by forests that did not see them. */
  readonly outOfFoldAccuracy: number;
  /** Of the margins of the model up to this layer, normalised to [−1, 1], of all training rows, out of fold. */
  readonly margins: MarginStatistics;
}

/**
 * The layers for `inspect`, `certify` and the report: how the margin distribution moves from one to the next. A ratio
 * λ that is not finite, as for a mean of 0, is null, since JSON has no infinity.
 */
export function describeLayers(layers: readonly LayerFacts[]): Json {
  return layers.map(({ alpha, loss, reweighted, outOfFoldAccuracy, margins }, index) => ({
    layer: index + 1,
    alpha,
    ...(loss && { loss: { ...loss } }),
    ...(reweighted !== undefined && { reweighted }),
    outOfFoldAccuracy,
    margins: {
      mean: margins.mean,
      variance: margins.variance,
      ratio: Number.isFinite(margins.ratio) ? margins.ratio : null,
      quantiles: margins.quantiles,
    },
  }));
}
