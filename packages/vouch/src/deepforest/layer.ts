import type { BinnedFeature } from "../data/binned-columns.js";
import type { MarginLoss } from "./margin-loss.js";
import type { FittedMember } from "./member.js";

/** A trained layer of a deep forest. */
export interface Layer {
  /** How the columns are binned that the layer before hands on; none in the first layer. */
  readonly handed: readonly BinnedFeature[];
  readonly members: readonly FittedMember[];
  /** α_t, not normalised; 0 for a layer that only makes features. */
  readonly alpha: number;
  /** The loss that α_t minimises; absent in a plain cascade. */
  readonly loss?: MarginLoss;
  /** Whether it was grown for the rows with a large loss. */
  readonly reweighted: boolean;
  /** Weighted share of the training rows that the model up to this layer gets right, out of fold. */
  readonly outOfFoldAccuracy: number;
  /** Normalised margins of the model up to this layer on the training rows, out of fold. */
  readonly margins: Float64Array;
  /** ln|H_t| of Theorem 1; absent where the layer is not made of trees alone, so that nobody can count. */
  readonly logFamilySize?: number;
}
