import { createLearner } from "@vouch/core/internal/learners/index";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import { completeRun } from "@vouch/core/internal/runtime/parallel/run";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { kFold } from "@vouch/core/internal/table/splits";
import { type Labelled, selectRows } from "@vouch/core/internal/table/target";
import { type TrainTestSplit, TrialRows } from "@vouch/core/internal/validation/trial";
import { labelledRows, type PlainRows } from "../datasets.js";
import type { CascadeContender } from "./contenders.js";

/** One contender on one fold of a data set. */
export interface ContenderFoldInput {
  readonly rows: PlainRows;
  readonly contender: CascadeContender;
  /** Seed of the folds, and index of the test fold. */
  readonly seed: number;
  readonly fold: number;
  readonly folds: number;
}

/** The result of a contender on a fold. */
export interface ContenderFold {
  readonly error: number;
  /** Leaves of a cascade; 1 for other models. */
  readonly leaves: number;
}

/** Folds of the cross-validation that chooses settings. */
const INNER_FOLDS = 3;

/** Chooses the settings of a contender on the training rows of a fold, fits it to them, and counts its errors on the test rows. */
export const contenderFoldTask = definePortableTask(
  "experiments/contender-fold",
  async (input: ContenderFoldInput, { checkpoint }): Promise<ContenderFold> => {
    const { contender, seed, fold, folds } = input;
    const data = labelledRows(input.rows);
    const { train, test } = kFold(data.labels, folds, seed).folds[fold];
    const settings = await chosenSettings(contender, selectRows(data, train), seed, checkpoint);
    const { errors, leaves } = await errorsOf(contender.learner, settings, { data, train, test }, seed);
    return { error: errors / test.length, leaves };
  },
  import.meta.url,
);

async function chosenSettings(
  { learner, settings }: CascadeContender,
  data: Labelled,
  seed: number,
  checkpoint: () => Promise<void> | void,
): Promise<CascadeContender["settings"][number]> {
  if (settings.length === 1) return settings[0];
  let best = { wrong: Number.POSITIVE_INFINITY, options: settings[0] };
  for (const options of settings) {
    let wrong = 0;
    for (const { train, test } of kFold(data.labels, INNER_FOLDS, seed).folds) {
      await checkpoint();
      wrong += (await errorsOf(learner, options, { data, train, test }, seed)).errors;
    }
    if (wrong < best.wrong) best = { wrong, options };
  }
  return best.options;
}

async function errorsOf(
  name: string,
  options: Readonly<Record<string, unknown>>,
  division: TrainTestSplit,
  seed: number,
): Promise<{ readonly errors: number; readonly leaves: number }> {
  const learner = await createLearner(name, options);
  const run = completeRun({ seed });
  const { train, test } = await new TrialRows(division).encode(learner.encoding, run);
  const model = await learner.fit(train, run);
  const { leaves = 1 } = name.startsWith("deep-cascade") ? model.complexity().counts : {};
  return { errors: countErrors(model.predict(test.features), test.labels), leaves };
}
