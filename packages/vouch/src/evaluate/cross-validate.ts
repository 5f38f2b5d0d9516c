import { fitEncoderInSteps, labelledSampleInSteps } from "../encode/encoder.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import { errorsOn } from "../learners/training-facts.js";
import { checkOptionNames } from "../runtime/option-names.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import { withPauses } from "../runtime/steps.js";
import { kFold } from "../table/splits.js";
import type { Table } from "../table/table.js";
import { chooseTarget, type Labelled, labelled, selectRows } from "../table/target.js";

/** How to cross-validate. */
export interface CrossValidateOptions {
  /** How many parts the rows are divided into; at least 2. */
  readonly folds: number;
  /** Column that holds the class; `label` or the last one if not given. */
  readonly target?: string;
  readonly run?: Partial<Run>;
}

const OPTIONS: Readonly<Record<keyof CrossValidateOptions, true>> = { folds: true, target: true, run: true };

/** The error of a learner on rows that its models did not see. */
export interface CrossValidation {
  /** Share of misclassified rows of each fold. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /** What the user should know: classes with fewer rows than folds. */
  readonly notices: readonly string[];
}

/**
 * k-fold cross-validation, stratified by class: each fold is classified by a model, and encoded by an encoder, that
 * were fitted to the other folds. Folds come one after the other; learners use all threads themselves.
 */
export async function crossValidate(
  table: Table,
  learner: Learner,
  options: CrossValidateOptions,
): Promise<CrossValidation> {
  checkOptionNames("crossValidate", options, OPTIONS);
  const data = labelled(table, chooseTarget(table, options.target));
  return crossValidateRows(data, learner, options.folds, completeRun(options.run));
}

/** `crossValidate` for rows that are labelled already. */
export async function crossValidateRows(
  data: Labelled,
  learner: Learner,
  k: number,
  run: Run,
): Promise<CrossValidation> {
  checkLearner(learner);
  const { folds, sparse } = kFold(data.labels, k, run.seed);
  const errors: number[] = [];
  for (const { train, test } of folds) {
    await checkpoint(run);
    const training = selectRows(data, train);
    const encoder = await withPauses(
      fitEncoderInSteps(training.features, data, learner.encoding),
      run.signal,
    );
    const sample = await withPauses(labelledSampleInSteps(encoder, training), run.signal);
    const model = await learner.fit(sample, inFold(run, errors.length, folds.length));
    const tested = await withPauses(labelledSampleInSteps(encoder, selectRows(data, test)), run.signal);
    errors.push(errorsOn(model, tested) / test.length);
    run.progress({ stage: "folds", done: errors.length, total: folds.length });
  }
  const notices = sparse.map(
    (index) =>
      `Class "${data.classes[index]}" has fewer rows than there are folds: some folds do not test it.`,
  );
  return { errors, mean: mean(errors), sd: standardDeviation(errors), notices };
}

/** The same run, whose progress says which fold it is about. */
function inFold(run: Run, fold: number, folds: number): Run {
  return {
    ...run,
    progress: (progress) =>
      run.progress({ ...progress, stage: `fold ${fold + 1} of ${folds}: ${progress.stage}` }),
  };
}
