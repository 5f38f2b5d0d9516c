import type { State } from "../model/state.js";
import type { Features } from "./sample.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";

/** Numbers in rows, for kernel machines, nets and stumps. */
export interface NumericEncoding {
  readonly kind: "numeric";
  /** Shift and scale every feature to mean 0 and standard deviation 1 on the training rows. */
  readonly standardise: boolean;
}

/** Bins in columns, for trees. */
export interface BinnedEncoding {
  readonly kind: "binned";
  /** At most this many bins per column, missing cells apart; 2 to 255. */
  readonly maxBins: number;
}

/** What a learner asks of the encoder. */
export type Encoding = NumericEncoding | BinnedEncoding;

/** Turns raw columns into features; fitted on training rows only and saved with the model. */
export interface Encoder<F extends Features = Features> {
  readonly encoding: Encoding;
  /** The raw columns it takes, with the categories seen in training. */
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  /** What a user should know: columns left out because they are constant, rare categories merged, … */
  readonly notices: readonly string[];
  /** Encodes a table with at least the schema's columns, in any order; checks kinds and finiteness. */
  encode(table: Table): F;
  toState(): State;
}
