import { deepCascadePerceptron, holdout, type Model } from "vouch";
import { defineTask, type Matrix, Random, type Sample } from "vouch/learning";
import { kFold, mean } from "vouch/select";
import type { ExperimentRun } from "../experiment.js";
import { countErrors, type PlainRows, plainRows, receivedRows } from "../labelled-rows.js";
import { scaledSamples } from "../scaled-samples.js";
import { type Contender, type ContenderName, contenderNames, contenders } from "./contenders.js";

/** Share of the rows that test. */
const TEST = 0.2;
const FOLDS = 3;

/** One random split of a data set. */
export interface ReportSplitInput {
  readonly rows: PlainRows;
  readonly seed: number;
  /** Which of the splits of this seed. */
  readonly split: number;
}

/** How a contender did on a split. */
export interface ContenderErrors {
  readonly name: ContenderName;
  /** Errors in the three folds, with the values that have the smallest mean. */
  readonly validation: readonly number[];
  /** Error on the test rows after training with these values on all others. */
  readonly test: number;
  /** Levels of that model; 1 where it is not a cascade. */
  readonly depth: number;
}

/** Lets every contender choose by three folds of the training rows, and tests it on the others. */
export const reportSplitTask = defineTask(
  "experiments/report-split",
  async ({ rows, seed, split }: ReportSplitInput, { progress, checkpoint }): Promise<ContenderErrors[]> => {
    const all = receivedRows(rows);
    const random = new Random(seed).fork(split);
    const { train, test } = holdout(all.labels, TEST, random.bits());
    const inner = kFold(
      train.map((row) => all.labels[row]),
      FOLDS,
      random.bits(),
    ).folds;
    const rowsOf = (positions: Int32Array) => positions.map((position) => train[position]);
    const folds = inner.map((fold) =>
      scaledSamples(all, [rowsOf(fold.train), rowsOf(fold.test)], "standardised"),
    );
    const whole = scaledSamples(all, [train, test], "standardised");
    const outcomes: ContenderErrors[] = [];
    for (const name of contenderNames) {
      await checkpoint();
      outcomes.push({ name, ...(await errorsOf(contenders[name], folds, whole)) });
      progress(outcomes.length / contenderNames.length);
    }
    return outcomes;
  },
  import.meta.url,
);

/** Splits a data set so many times, each split on whatever thread is free. */
export async function reportSplits(
  dataset: string,
  splits: number,
  { seed, executor, signal, progress }: ExperimentRun,
): Promise<ContenderErrors[][]> {
  const rows = await plainRows(dataset, {}, signal);
  const inputs = Array.from({ length: splits }, (_, split) => ({ rows, seed, split }));
  return executor.map(reportSplitTask, inputs, {
    ...(signal && { signal }),
    onProgress: (done, total) => progress({ stage: `${dataset}: splits`, done, total }),
  });
}

async function errorsOf(
  contender: Contender,
  folds: readonly (readonly Sample[])[],
  [train, test]: readonly Sample[],
): Promise<Omit<ContenderErrors, "name">> {
  const errors: number[][] = [];
  for (const [training, validation] of folds) {
    errors.push((await contender(training)).map((model) => errorOn(model, validation)));
  }
  const means = errors[0].map((_, value) => mean(errors.map((fold) => fold[value])));
  const best = means.indexOf(Math.min(...means));
  const model = (await contender(train))[best];
  return {
    validation: errors.map((fold) => fold[best]),
    test: errorOn(model, test),
    depth: deepCascadePerceptron.made(model) ? model.levels.length : 1,
  };
}

function errorOn(model: Model<Matrix>, { features, labels }: Sample): number {
  return countErrors(model.predict(features), labels) / labels.length;
}
