import type { ShiftDetector } from "../checks/shift-detector.js";
import type { OnNotice } from "../encode/encoder.js";
import type { DecisionRule } from "../metrics/decision-rule.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import type { Run } from "../runtime/parallel/run.js";
import type { SchemaMatch } from "../table/schema-match.js";

/** How to classify rows. */
export interface ClassifyOptions {
  /** A rule for predictions in place of the classifier's, such as a threshold; every row is then answered. */
  readonly rule?: DecisionRule;
  /** Receives warnings about unused columns and, without a `check`, about unknown categories. */
  readonly onNotice?: OnNotice;
  /**
   * For a table that is a part of a longer one: collects notes about all parts, in place of `onNotice`. Call its
   * `check` after the last part.
   */
  readonly match?: SchemaMatch;
  /** Collects rows that come in parts, from `rowCheck`; its findings are about all of them. */
  readonly check?: ShiftDetector | undefined;
}

/** How to classify many rows. */
export interface ClassifyRowsOptions extends ClassifyOptions {
  /** Threads, and the signal that interrupts the work. */
  readonly run?: Partial<Run>;
}

/** Options of `predictRecords`. */
export interface PredictRecordsOptions extends Pick<ClassifyRowsOptions, "rule" | "onNotice" | "run"> {
  /** Number of columns that explain each answer; by default none, because reasons take far longer than predictions. */
  readonly reasons?: number;
}

/** Classified rows. */
export interface ClassifiedTable {
  /** Predicted classes; "" if the classifier abstains. */
  readonly predictions: string[];
  /** Prediction set of each row; absent for a classifier without sets. */
  readonly sets?: string[][];
  /** Calibrated probabilities, one column per class; absent if the model has none. */
  readonly probabilities?: Matrix;
  /** The model's own scores; larger is more likely. */
  readonly scores: Matrix;
}
