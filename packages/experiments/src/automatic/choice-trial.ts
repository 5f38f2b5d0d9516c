import { ensemble } from "@vouch/core/internal/learners/ensemble/ensemble";
import { createLearner } from "@vouch/core/internal/learners/index";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { defaultCandidates } from "@vouch/core/internal/select/candidates";
import { byRacing } from "@vouch/core/internal/select/choose-learner";
import type { Table } from "@vouch/core/internal/table/table";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { serialise } from "@vouch/core/internal/train/model-file";
import { trainClassifier } from "@vouch/core/internal/train/train";
import type { TrainOptions } from "@vouch/core/internal/train/train-options";
import type { Training } from "@vouch/core/internal/train/training";
import type { LoadedDataset } from "@vouch/datasets";
import * as z from "zod";
import { CHOICE_HOLDOUT, choiceDivision } from "./choice-divisions.js";

/** Single learners, with their default options. */
const singleLearners = [
  "majority",
  "stump",
  "logistic",
  "adaboost",
  "linear-svm",
  "svm",
  "forest",
  "random-trees",
  "boosted-trees",
  "mlp",
  "cascade-forest",
  "mddf",
];

/** Maximum number of test rows for timing predictions. */
const TIMED_ROWS = 2000;

const errorSchema = z.number().min(0).max(1);

/** A model's results on the test rows. */
const modelFacts = {
  /** The learner and its options. */
  name: z.string(),
  error: errorSchema,
  /** Indices of misclassified test rows. */
  wrongRows: z.array(z.int().min(0)),
  /** Seconds to classify a row on one thread. */
  secondsPerRow: z.number(),
  /** Size of the model file. */
  bytes: z.int(),
};

const modelSchema = z.strictObject(modelFacts);

/** Results of the choice on one division. */
export const raceSchema = z.strictObject({
  testRows: z.int().min(1),
  trainingRows: z.int().min(1),
  ...modelFacts,
  /** Numbers of tried candidates and of all candidates. */
  tried: z.int().min(1),
  candidates: z.int().min(1),
  /** The budget, and the time that choosing and training took. */
  budget: z.number(),
  seconds: z.number(),
  /** The best single candidate of the race, if an ensemble was chosen. */
  single: modelSchema.optional(),
});

/** Test errors of single learners; absent if a learner takes too long or cannot be fitted. */
export const singlesSchema = z.array(z.strictObject({ learner: z.string(), error: errorSchema.optional() }));

/** Results of the choice on one division. */
export type RaceTrial = z.output<typeof raceSchema>;

/** Errors of single learners on one division. */
export type SingleErrors = z.output<typeof singlesSchema>;

/**
 * Chooses and trains like `vouch train`, and tests the model. If it is an ensemble, also tests the best single model.
 */
export async function raceOn(data: LoadedDataset, budget: number, run: Run): Promise<RaceTrial> {
  const { train } = data;
  const options = optionsFor(data, run);
  const choose = byRacing(defaultCandidates, { seconds: budget, search: true, ensemble: true });
  const began = performance.now();
  const training = await trainClassifier(train, choose, options);
  const seconds = (performance.now() - began) / 1000;
  const { choice } = training;
  if (!choice) throw new VouchError("data/no-rows", `No learner was chosen for ${train.name}.`);
  const { candidates, untried, rows } = choice;
  const chosen = candidates[0];
  const best = candidates.find(({ learner }) => learner.name !== ensemble.name);
  const isEnsemble = chosen.learner.name === ensemble.name;
  const facts = await modelOf(chosen.name, training, data, run);
  const ofSingle = { ...options, calibrate: false, ...(rows !== undefined && { rows }) };
  return {
    testRows: training.samples.heldOut?.rows ?? 1,
    trainingRows: training.samples.training.rows,
    ...facts,
    tried: candidates.length,
    candidates: candidates.length + untried.length,
    budget,
    seconds,
    ...(isEnsemble &&
      best && {
        single: await modelOf(best.name, await trainClassifier(train, best.learner, ofSingle), data, run),
      }),
  };
}

/** Trains and tests single learners on the same rows. A learner that exceeds the time limit has no error. */
export async function singlesOn(data: LoadedDataset, seconds: number, run: Run): Promise<SingleErrors> {
  const singles: SingleErrors = [];
  for (const learner of singleLearners) {
    const error = await singleError(learner, data, seconds, run);
    singles.push({ learner, error });
  }
  return singles;
}

/** Measures the error of a learner on the test rows; undefined if it takes too long or cannot be fitted. */
async function singleError(
  name: string,
  data: LoadedDataset,
  seconds: number,
  run: Run,
): Promise<number | undefined> {
  const timeout = AbortSignal.timeout(1000 * seconds);
  const signal = run.signal ? AbortSignal.any([run.signal, timeout]) : timeout;
  const options = { ...optionsFor(data, { ...run, signal }), calibrate: false };
  try {
    const { evaluation } = await trainClassifier(data.train, await createLearner(name), options);
    return evaluation?.error;
  } catch (error) {
    if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
    return undefined;
  }
}

function optionsFor({ test, entry }: LoadedDataset, run: Run): TrainOptions {
  const measured = test ? { test } : { holdout: CHOICE_HOLDOUT, stratify: true };
  return { target: entry.target, ...measured, run };
}

async function modelOf(
  name: string,
  { classifier, assessment, samples, evaluation }: Training,
  data: LoadedDataset,
  { seed }: Run,
): Promise<z.output<typeof modelSchema>> {
  const { heldOut } = samples;
  if (!assessment || !heldOut || !evaluation) {
    throw new VouchError("data/no-rows", `${data.train.name} has no rows to test on.`);
  }
  const { labels } = heldOut;
  const wrongRows = Array.from(labels.keys()).filter((row) => assessment.predictions[row] !== labels[row]);
  const { features } = choiceDivision(data, seed).test;
  const secondsPerRow = timePerRow(classifier, features);
  const { length: bytes } = await serialise(classifier);
  return { name, error: evaluation.error, wrongRows, secondsPerRow, bytes };
}

/** Measures the seconds to classify a row on one thread. The first of two passes is a warm-up. */
function timePerRow(classifier: Classifier, rows: Table): number {
  const timed = rows.select(Int32Array.from({ length: Math.min(rows.rows, TIMED_ROWS) }, (_, row) => row));
  const passes = [0, 1].map(() => {
    const began = performance.now();
    classifier.predict(timed);
    return (performance.now() - began) / 1000;
  });
  return Math.min(...passes) / timed.rows;
}
