import type { Features, Sample } from "@vouch/core/internal/encode/sample";
import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Model } from "@vouch/core/internal/learners/model";
import { classifyRows } from "@vouch/core/internal/learners/score-rows";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { checkpoint } from "@vouch/core/internal/runtime/parallel/run";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import { type Labelled, labelled, labelsFor, selectRows } from "@vouch/core/internal/table/target";
import { type TrainTestSplit, TrialRows } from "@vouch/core/internal/validation/trial";
import { loadDataset } from "@vouch/datasets";
import * as z from "zod";
import type { ExperimentRun } from "./experiment.js";

/** Share of the test rows if there is no official test part, as in gcForest's tests on yeast. */
export const TEST_SHARE = 0.3;

/** Facts of a result about a data set and its split: numbers of rows, features and classes. */
export const divisionFacts = {
  training: z.int(),
  test: z.int(),
  features: z.int(),
  classes: z.int(),
  split: z.enum(["official", "random"]),
};

/** A data set in memory and its split. */
export interface DividedSet extends Readonly<z.infer<z.ZodObject<typeof divisionFacts>>> {
  /** Returns the official split for any seed; without one, a random, stratified split. */
  division(seed: number, split: number): TrainTestSplit;
}

/** Loads a data set and splits it, at random if it has no official test part. */
export async function dividedSet(
  name: string,
  { signal }: Pick<ExperimentRun, "signal">,
  testShare = TEST_SHARE,
): Promise<DividedSet> {
  const { train, test, entry } = await loadDataset(name, signal ? { signal } : {});
  const data = labelled(train, entry.target);
  const official = test && labelsFor(test, data);
  const division = (seed: number, split: number): TrainTestSplit =>
    official
      ? { data, test: official }
      : { data, ...stratifiedHoldout(data.labels, testShare, new Random(seed).fork(split).bits()) };
  const tested = testRows(division(0, 0)).labels.length;
  return {
    training: official ? data.labels.length : data.labels.length - tested,
    test: tested,
    features: data.features.columns.length,
    classes: data.classes.length,
    split: official ? "official" : "random",
    division,
  };
}

/** Returns the training rows of a division. */
export function trainingRows({ data, train }: TrainTestSplit): Labelled {
  return train ? selectRows(data, train) : data;
}

/** Returns the test rows of a division. */
export function testRows({ data, test }: TrainTestSplit): Labelled {
  return test instanceof Int32Array ? selectRows(data, test) : { ...data, ...test };
}

/** A model fitted to the training rows of a split, and the encoded test rows. */
export interface FittedDivision<M extends Model = Model> {
  readonly model: M;
  readonly test: Sample<Features>;
}

/** Fits a learner to the training rows of a split; reports progress under the name of the part. */
export async function fitDivision<M extends Model>(
  learner: Learner<M>,
  division: TrainTestSplit,
  part: string,
  run: ExperimentRun,
): Promise<FittedDivision<M>> {
  const { train, test } = await new TrialRows(division).encode(learner.encoding, run);
  await checkpoint(run);
  const model = await learner.fit(train, {
    ...run,
    progress: (report) => run.progress({ ...report, stage: `${part}: ${report.stage}` }),
  });
  await checkpoint(run);
  return { model, test };
}

/** Computes the share of correctly classified rows, on the threads of the run. */
export async function accuracyOn(
  model: Model,
  { features, labels, rows }: Sample<Features>,
  run: ExperimentRun,
): Promise<number> {
  const { predictions } = await classifyRows(model, features, run);
  return (rows - countErrors(predictions, labels)) / rows;
}
