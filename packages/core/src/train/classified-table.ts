import type { ShiftDetector } from "../checks/shift-detector.js";
import type { OnNotice } from "../encode/encoder.js";
import type { DecisionRule } from "../metrics/decision-rule.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import type { Run } from "../runtime/parallel/run.js";
import type { SchemaMatch } from "../table/schema-match.js";

/** How to classify rows. */
export interface ClassifyOptions {
  /** Another rule than the classifier's for its predictions, such as a threshold; then every row is answered. */
  readonly rule?: DecisionRule;
  /** Receives warnings: unused columns and, unless there is a `check`, unknown categories. */
  readonly onNotice?: OnNotice;
  /**
   * For a table that is a part of a longer one: collects what is to be said about all parts, in place of `onNotice`. Call its
   * `check` after the last part.
   */
  readonly match?: SchemaMatch;
  /** Collects rows that come in parts, from `rowCheck`; its findings are about all of them. */
  readonly check?: ShiftDetector | undefined;
}

/** How to classify many rows. */
export interface ClassifyRowsOptions extends ClassifyOptions {
  /** The threads to use, and the signal that interrupts the work. */
  readonly run?: Partial<Run>;
}

/** How to answer records. */
export interface PredictRecordsOptions extends Pick<ClassifyRowsOptions, "rule" | "onNotice" | "run"> {
  /** Number of columns that explain each answer; by default answers have no reasons, which take far longer than predictions. */
  readonly reasons?: number;
}

/** Classified rows. */
export interface ClassifiedTable {
  /** The predicted classes; "" for a row that the classifier does not answer. */
  readonly predictions: string[];
  /** The classes in the set of each row; absent for a classifier without sets. */
  readonly sets?: string[][];
  /** Calibrated probabilities, one column per class; absent for a model without any. */
  readonly probabilities?: Matrix;
  /** The model's own scores: the larger, the more likely. */
  readonly scores: Matrix;
}
