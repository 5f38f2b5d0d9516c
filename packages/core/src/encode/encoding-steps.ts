import type { ColumnSchema, PlainColumnSchema } from "../table/schema.js";
import type { BinnedFeature } from "./binned-columns.js";
import type { Origin } from "./derived-columns.js";

/** A cell x becomes (scale · x − shift) · factor, clipped at ±limit; a missing cell becomes `fill`. */
export interface NumberCells {
  readonly offset: number;
  readonly scale: number;
  readonly shift: number;
  readonly factor: number;
  readonly fill: number;
  readonly limit: number;
}

/** A cell with the code becomes `on`, a missing cell or an unseen level `neutral`, any other `off`. */
export interface FlagCells {
  readonly offset: number;
  readonly code: number;
  readonly on: number;
  readonly off: number;
  readonly neutral: number;
}

/** How the cells of one raw column become features. */
export interface FeatureCells {
  readonly numbers: readonly NumberCells[];
  readonly flags: readonly FlagCells[];
}

/** How a `NumericEncoder` makes features. */
export interface NumericSteps {
  readonly kind: "numeric";
  readonly columns: readonly PlainColumnSchema[];
  /** The features of each column. */
  readonly cells: readonly FeatureCells[];
  /** Number of features. */
  readonly width: number;
  readonly precision: "f32" | "f64";
}

/** How a `BinnedEncoder` makes features, one for each column. */
export interface BinnedSteps {
  readonly kind: "binned";
  readonly columns: readonly PlainColumnSchema[];
  readonly features: readonly BinnedFeature[];
}

/** How a `DerivedEncoder` makes features: columns derived from raw ones, which another encoder takes. */
export interface DerivedSteps {
  readonly kind: "derived";
  readonly columns: readonly ColumnSchema[];
  /** Absent if there are n-grams only. */
  readonly plain?: NumericSteps | BinnedSteps | undefined;
  /** The origin of each column of `plain`. */
  readonly origins: readonly Origin[];
  /** Number of features that are n-grams of texts, after those of `plain`. */
  readonly ngrams: number;
}

/** How a `JointEncoder` makes features: in several ways from the same columns. */
export interface JointSteps {
  readonly kind: "joint";
  readonly parts: readonly (NumericSteps | BinnedSteps | DerivedSteps)[];
}

/** How an encoder turns raw columns into features, as plain data: for programs that do the same elsewhere. */
export type EncodingSteps = NumericSteps | BinnedSteps | DerivedSteps | JointSteps;
