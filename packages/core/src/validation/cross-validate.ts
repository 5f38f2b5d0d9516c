import { checkLearner, type Learner } from "../learners/learner.js";
import { baselineError, baselineLosses } from "../metrics/baseline.js";
import { ERROR, type MetricValues, metricValues, type Objective } from "../metrics/objective-metric.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { completeRun, type Run } from "../runtime/parallel/run.js";
import { checkOptionNames, visibleSpaces } from "../runtime/text/suggestions.js";
import { foldsOf } from "../table/row-splits.js";
import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { chooseTarget, type Labelled, labelled } from "../table/target.js";
import { foldLosses } from "./fold-losses.js";
import { joinOutOfFold, type OutOfFold } from "./out-of-fold.js";
import { runTrials } from "./run-trials.js";

/** Options of a cross-validation. Folds keep groups together, or train on the past and test on the future. */
export interface CrossValidateOptions extends SplitColumns {
  /** Number of folds; at least 2. */
  readonly folds: number;
  /** Column with the class; by default the column with the most telling name, such as `label`, or else the last one. */
  readonly target?: string;
  readonly run?: Partial<Run>;
}

const OPTIONS: Readonly<Record<keyof CrossValidateOptions, true>> = {
  folds: true,
  target: true,
  group: true,
  time: true,
  run: true,
};

/** Errors of a learner on rows that its models did not see. */
export interface CrossValidation {
  /** Fraction of misclassified rows of each fold. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /** Metric in each fold: the error, unless the caller asked for another. */
  readonly metric: MetricValues;
  /** Warnings about classes that some folds do not test. */
  readonly notices: readonly string[];
}

/** Errors of a learner in folds, and of the baseline in the same folds. */
export interface FoldResults extends CrossValidation {
  /** Fraction of rows of each fold that are not of the most common class of the other folds. */
  readonly baseline: readonly number[];
  /** The metric of the best constant answer in each fold. */
  readonly baselineMetric: MetricValues;
  /** Results for the rows from models that did not see them. */
  readonly outOfFold?: OutOfFold | undefined;
}

/**
 * Cross-validates a learner on stratified folds, or on folds by group or time. Each fold is encoded and classified by
 * an encoder and a model fitted to the other folds, or with times to the earlier ones.
 */
export async function crossValidate(
  table: Table,
  learner: Learner,
  options: CrossValidateOptions,
): Promise<FoldResults> {
  checkOptionNames("crossValidate", options, OPTIONS);
  const { target, folds, run, ...columns } = options;
  const data = labelled(table, chooseTarget(table, target, columns), columns);
  return crossValidateRows(data, learner, folds, completeRun(run));
}

/** Cross-validates a learner on labelled rows. */
export async function crossValidateRows(
  data: Labelled,
  learner: Learner,
  k: number,
  run: Run,
  objective: Objective = ERROR,
): Promise<FoldResults> {
  checkLearner(learner);
  const { folds, sparse } = foldsOf(data, k, run.seed);
  const divisions = folds.map(({ train, test }) => ({ data, train, test }));
  const options = { scores: Number.POSITIVE_INFINITY };
  const trials = (await runTrials([learner], divisions, "folds", run, options)).map(([trial]) => trial);
  const errors = trials.map(({ errors, rows }) => errors / rows);
  const classified = trials.flatMap((trial) => (trial.classified ? [trial.classified] : []));
  const tested = classified.map((own, i) => ({ ...own, tested: folds[i].test }));
  const { metric } = objective;
  const constant = divisions.map(({ train, test }) => baselineLosses(objective, data, train, test));
  return {
    errors,
    baseline: divisions.map(({ train, test }) => baselineError(data, train, test)),
    mean: mean(errors),
    sd: standardDeviation(errors),
    metric: metricValues(metric, foldLosses(objective, classified, data.classes.length)),
    baselineMetric: metricValues(metric, constant),
    outOfFold: joinOutOfFold(tested, data.classes.length, data.groups),
    notices: sparseNotices(data, sparse),
  };
}

/** Warns about classes that some folds do not test. */
export function sparseNotices({ classes, group, time }: Labelled, sparse: readonly number[]): string[] {
  const reason =
    group !== undefined
      ? "is in too few groups"
      : time !== undefined
        ? "does not occur at all times"
        : "has fewer rows than there are folds";
  return sparse.map((k) => `Class "${visibleSpaces(classes[k])}" ${reason}: some folds do not test it.`);
}
