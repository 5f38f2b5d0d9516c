import type { ObjectiveOptions } from "../metrics/objective.js";
import type { Run } from "../runtime/parallel/run.js";
import { checkOptionNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { riskOfFailure } from "../theory/certificate.js";
import { checkSelectiveOptions, type SelectiveOptions } from "./selective-prediction.js";
import type { SplitOptions } from "./split.js";

/**
 * Options of a training; at most one of `holdout`, `test` and `folds`. Without any, all rows are used for training and
 * nothing is measured, so there is no verdict. Hold-outs and folds respect `group` or `time`.
 */
export interface TrainOptions extends SplitColumns, SplitOptions, ObjectiveOptions, SelectiveOptions {
  /** Column with the class; by default the column with the most telling name, such as `label`, or else the last one. */
  readonly target?: string;
  /** Number of folds to cross-validate with before training on all rows. */
  readonly folds?: number;
  /** Columns of the same rows that are not features, such as identifiers, for checks of the rows. */
  readonly aside?: Table;
  /** Rows without a label, for a learner that pre-trains; a target column is ignored. The encoder does not see them. */
  readonly unlabelled?: Table;
  /** Size of a stratified subsample to train on; by default all rows that are not held out. */
  readonly rows?: number;
  /**
   * Class weights in training: "balanced" gives all classes the same total weight. Or by name, `{ Yes: 5 }`; other
   * classes have weight 1.
   */
  readonly classWeights?: "balanced" | Readonly<Record<string, number>>;
  /**
   * Whether to calibrate probabilities even if the metric does not need it; default true. Without out-of-bag rows and
   * folds, that takes more fits: five with few rows, one with many.
   */
  readonly calibrate?: boolean;
  /** Confidence of the certificates; default 0.95. */
  readonly confidence?: number;
  /**
   * Number of candidates among which these rows chose the learner before, if the caller names the chosen one.
   * Certificates from the training rows then get a share of δ each. Learners that are `uncertified` need not be
   * counted.
   */
  readonly chosenAmong?: number;
  /** Called after all checks of the rows, with the notices about them, before the search for a learner or the fit begins. */
  readonly onChecked?: (notices: readonly string[]) => void;
  readonly run?: Partial<Run>;
}

const OPTIONS: Readonly<Record<keyof TrainOptions, true>> = {
  target: true,
  group: true,
  time: true,
  holdout: true,
  stratify: true,
  test: true,
  folds: true,
  aside: true,
  unlabelled: true,
  rows: true,
  metric: true,
  costs: true,
  positive: true,
  classWeights: true,
  calibrate: true,
  abstain: true,
  sets: true,
  setsBy: true,
  confidence: true,
  chosenAmong: true,
  onChecked: true,
  run: true,
};

/** Throws unless the options are known, valid and compatible. */
export function checkTrainOptions(options: TrainOptions): void {
  checkOptionNames("trainClassifier", options, OPTIONS);
  const { holdout, test, folds, unlabelled, rows, chosenAmong, confidence = 0.95 } = options;
  if (chosenAmong !== undefined && !(Number.isInteger(chosenAmong) && chosenAmong >= 1)) {
    throw new VouchError("option/invalid", `chosenAmong must be a whole number ≥ 1, not ${chosenAmong}.`);
  }
  if (folds !== undefined && unlabelled) {
    throw new VouchError("option/invalid", "Unlabelled rows cannot be combined with folds.", {
      hint: "Measure the error on held-out rows.",
    });
  }
  if ([holdout, test, folds].filter((choice) => choice !== undefined).length > 1) {
    throw new VouchError("option/invalid", "Use only one of holdout, test and folds.");
  }
  if (rows !== undefined && !(Number.isInteger(rows) && rows >= 2)) {
    throw new VouchError("option/invalid", `rows must be a whole number ≥ 2, not ${rows}.`);
  }
  riskOfFailure(confidence);
  const heldOut = holdout !== undefined || test !== undefined;
  checkSelectiveOptions(options, { heldOut, calibrate: options.calibrate ?? true });
}
