import type { State } from "../runtime/codec/state.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import type { Schema } from "../table/schema.js";
import { type MatchCollector, SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import type { Labelled, LabelledRows } from "../table/target.js";
import type { EncodingSteps } from "./encoding-steps.js";
import type { LearnedEncoding } from "./learned-encoding.js";
import { type Features, Sample } from "./sample.js";

/**
 * Whether and how every feature is shifted and scaled to mean 0 and standard deviation 1 on the training rows. With
 * "keep-zeros", numeric columns that are mostly zero, and flags, are scaled but not shifted, so that most of their cells stay
 * zero. With "common", all features are divided by the same number, the root mean square of their deviations, so that one with a
 * larger spread keeps it.
 */
export type Standardisation = boolean | "keep-zeros" | "common";

/** How numbers in rows are scaled. */
interface ScaledNumbers {
  readonly kind: "numeric";
  readonly standardise: Standardisation;
  /** Element type of the matrix; the default is f64. */
  readonly precision?: "f32" | "f64";
}

/**
 * Numbers in rows, for kernel machines, networks and stumps. With `sparse: "large"`, a table becomes sparse rows if its columns are
 * sparse and a matrix would be large. Its numbers are then standardised with "keep-zeros" instead of `true`.
 */
export interface NumericEncoding extends ScaledNumbers {
  readonly sparse?: false | "large";
}

/**
 * Numbers in rows for learners that also take sparse rows: tables with text become sparse, and text has thousands of features
 * instead of a few hundred. So do tables with sparse columns if most of their features are zero. Other tables become a matrix.
 */
export interface SparseEncoding extends ScaledNumbers {
  readonly sparse: true;
}

/** Bins in columns, for trees. */
export interface BinnedEncoding {
  readonly kind: "binned";
  /** Maximum number of bins per column, apart from the bin of missing cells; 2 to 255. */
  readonly maxBins: number;
  /** Keeps numeric columns that are constant on the training rows, for learners that depend on the position of columns. */
  readonly constants?: "keep";
}

/** An encoding as one kind of features. */
export type SingleEncoding = NumericEncoding | SparseEncoding | BinnedEncoding;

/** Several encodings of the same columns at once, for learners whose members need different ones. */
export interface JointEncoding {
  readonly kind: "joint";
  /** No two are the same. */
  readonly parts: readonly SingleEncoding[];
}

/** The encoding that a learner needs. */
export type Encoding = SingleEncoding | JointEncoding;

/** Receives warnings about data: unused columns, unknown categories, rows left out. */
export type OnNotice = (notice: string) => void;

/** Turns raw columns into features; fitted to training rows only and saved with the model. */
export interface Encoder<F extends Features = Features> {
  readonly encoding: Encoding;
  /** The raw columns it uses, with the categories seen in training. */
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  /** The raw column of each feature, as its index in the schema. */
  readonly featureColumns: readonly number[];
  /** The part of the encoding that came from the training rows, apart from scales, offsets and bin boundaries. */
  readonly learned: LearnedEncoding;
  /** Warnings: constant columns left out, rare categories grouped, … */
  readonly notices: readonly string[];
  /**
   * Encodes a table with at least the schema's columns, in any order; checks kinds and finiteness. Notices name unused columns
   * and categories not seen in training.
   */
  encode(table: Table, onNotice?: OnNotice): F;
  /**
   * Encodes with pauses. With a match, the table may be a part of a longer one: the match collects what is to be said about
   * all of them, and its `check` after the last one throws if a column is of the wrong kind.
   */
  encodeInSteps(table: Table, match?: MatchCollector): Pausable<F>;
  /** Describes how it makes features. */
  steps(): EncodingSteps;
  toState(): State;
}

/** Encodes a whole table with pauses, and says afterwards how it matches the schema. */
export function* encodeWithNotices<F extends Features>(
  encoder: Encoder<F>,
  table: Table,
  onNotice: OnNotice | undefined,
): Pausable<F> {
  if (!onNotice) return yield* encoder.encodeInSteps(table);
  const match = new SchemaMatch(encoder.schema);
  const features = yield* encoder.encodeInSteps(table, match);
  match.check();
  for (const notice of match.notices()) onNotice(notice);
  return features;
}

/** Encodes labelled rows as a sample. */
export function labelledSample(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: OnNotice,
): Sample<Features> {
  return runNow(labelledSampleInSteps(encoder, rows, onNotice));
}

/** Encodes labelled rows with pauses, for many rows. */
export function* labelledSampleInSteps(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: OnNotice,
): Pausable<Sample<Features>> {
  const features = yield* encodeWithNotices(encoder, rows.features, onNotice);
  const { classes } = encoder.schema;
  return new Sample({ features, labels: rows.labels, classes, featureNames: encoder.featureNames });
}

/** Encodes rows to train on, weighted by class if the classes have weights. */
export function* trainingSampleInSteps(encoder: Encoder, rows: Labelled): Pausable<Sample<Features>> {
  const sample = yield* labelledSampleInSteps(encoder, rows);
  const { classWeights, labels } = rows;
  return classWeights ? sample.weighted(Float64Array.from(labels, (label) => classWeights[label])) : sample;
}
