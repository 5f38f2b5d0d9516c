import type { Matrix } from "../runtime/matrix.js";
import type { State } from "../runtime/state.js";
import { inOneGo, type Steps } from "../runtime/steps.js";
import type { Schema } from "../table/schema.js";
import type { Table } from "../table/table.js";
import type { LabelledRows, Target } from "../table/target.js";
import type { BinnedColumns } from "./binned-columns.js";
import { BinnedEncoder } from "./binned-encoder.js";
import { NumericEncoder } from "./numeric-encoder.js";
import { type Features, Sample } from "./sample.js";

/** Numbers in rows, for kernel machines, nets and stumps. */
export interface NumericEncoding {
  readonly kind: "numeric";
  /**
   * Shift and scale every feature to mean 0 and standard deviation 1 on the training rows. With "keep-zeros", columns of
   * numbers that are mostly zero, and flags, are scaled but not shifted, so that most cells of such features stay zero.
   */
  readonly standardise: boolean | "keep-zeros";
  /** Element type of the matrix; f64 unless told otherwise. */
  readonly precision?: "f32" | "f64";
}

/** Bins in columns, for trees. */
export interface BinnedEncoding {
  readonly kind: "binned";
  /** At most this many bins per column, missing cells apart; 2 to 255. */
  readonly maxBins: number;
  /** Keep columns of numbers that are the same in all training rows, for learners to which places matter. */
  readonly constants?: "keep";
}

/** What a learner asks of the encoder. */
export type Encoding = NumericEncoding | BinnedEncoding;

/** Called with what a user should know about data: columns not used, unknown categories, rows left out. */
export type OnNotice = (notice: string) => void;

/** Turns raw columns into features; fitted on training rows only and saved with the model. */
export interface Encoder<F extends Features = Features> {
  readonly encoding: Encoding;
  /** The raw columns it takes, with the categories seen in training. */
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  /** The raw column that each feature is made from, as its index in the schema. */
  readonly featureColumns: readonly number[];
  /** What a user should know: columns left out because they are constant, rare categories merged, … */
  readonly notices: readonly string[];
  /**
   * Encodes a table with at least the schema's columns, in any order; checks kinds and finiteness. Tells
   * `onNotice` of columns that are not used and of categories that training did not have.
   */
  encode(table: Table, onNotice?: OnNotice): F;
  /** The same with pauses, for long tables. */
  encodeInSteps(table: Table, onNotice?: OnNotice): Steps<F>;
  toState(): State;
}

/** Fits the encoder that a learner asks for to training rows, the target column not among them. */
export function fitEncoder(features: Table, target: Target, encoding: NumericEncoding): Encoder<Matrix>;
export function fitEncoder(features: Table, target: Target, encoding: BinnedEncoding): Encoder<BinnedColumns>;
export function fitEncoder(features: Table, target: Target, encoding: Encoding): Encoder;
export function fitEncoder(features: Table, target: Target, encoding: Encoding): Encoder {
  return inOneGo(fitEncoderInSteps(features, target, encoding));
}

/** `fitEncoder` with pauses, for long tables. */
export function fitEncoderInSteps(features: Table, target: Target, encoding: Encoding): Steps<Encoder> {
  return encoding.kind === "numeric"
    ? NumericEncoder.fit(features, target, encoding)
    : BinnedEncoder.fit(features, target, encoding);
}

/** Labelled raw rows as the sample that a learner or a bound takes. */
export function labelledSample(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: OnNotice,
): Sample<Features> {
  return inOneGo(labelledSampleInSteps(encoder, rows, onNotice));
}

/** The same with pauses, for many rows. */
export function* labelledSampleInSteps(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: OnNotice,
): Steps<Sample<Features>> {
  const features = yield* encoder.encodeInSteps(rows.features, onNotice);
  const { classes } = encoder.schema;
  return new Sample({ features, labels: rows.labels, classes, featureNames: encoder.featureNames });
}
