import {
  type Encoder,
  type Encoding,
  labelledSampleInSteps,
  trainingSampleInSteps,
} from "../encode/encoder.js";
import { fitEncoderInSteps } from "../encode/fit-encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import type { Learner } from "../learners/learner.js";
import type { Complexity, LayerReconstruction, Model } from "../learners/model.js";
import { modelBytes } from "../learners/model-size.js";
import { assessRows, classifyRows } from "../learners/score-rows.js";
import { countErrors } from "../learners/training-summary.js";
import * as real from "../runtime/maths/portable-math.js";
import { runOnThreads } from "../runtime/parallel/pausable.js";
import { checkpoint, type Run } from "../runtime/parallel/run.js";
import { visibleSpaces } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Labelled, type LabelledRows, selectRows } from "../table/target.js";
import { marginQuantiles } from "../theory/margins/margin-quantiles.js";
import { growthFamilies } from "./growth-families.js";

/** Labelled rows, divided into rows to fit learners to and other rows to test their models on. */
export interface TrainTestSplit {
  readonly data: Labelled;
  /** Indices of the training rows; all rows if absent. */
  readonly train?: Int32Array;
  /** Indices of the test rows, or rows from elsewhere. */
  readonly test: Int32Array | Pick<LabelledRows, "features" | "labels">;
}

/** Result of a model on rows that it did not see. */
export interface Trial {
  readonly rows: number;
  readonly errors: number;
  /** 1 for each test row that the model misclassifies, otherwise 0. */
  readonly mistakes: Uint8Array;
  /** Predictions and scores of the test rows; present if requested. */
  readonly classified?: ClassifiedTest;
  /** Reconstruction errors of its pre-trained layers; absent without pre-training. */
  readonly reconstruction?: readonly LayerReconstruction[];
  /** Measures on its training rows; present if requested. */
  readonly fitted?: TrainingMeasures;
  /** Present if the fit itself classified the training rows, so that they need not be scored again. */
  readonly knowsTraining?: true;
  /** Time to encode all rows, to fit, and to classify the test rows. */
  readonly seconds: { readonly encode: number; readonly fit: number; readonly test: number };
  /** Size of the model in a file; present if requested. */
  readonly bytes?: number;
}

/** Predictions and scores of test rows; plain data, which other threads can send. */
export interface ClassifiedTest {
  /** Class index of each row. */
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  /** One row per row, one column per class. */
  readonly scores: Float64Array;
  readonly scoring: "probability" | "decision";
}

/** Predictions and scores of the test rows of a fold. */
export interface ClassifiedFold extends ClassifiedTest {
  /** Indices of the rows, if rows may be tested by several folds. */
  readonly tested?: Int32Array;
}

/** A model on the rows that it was trained on. */
export interface TrainingMeasures {
  readonly rows: number;
  readonly errors: number;
  readonly complexity: Complexity;
  /** Quantiles of the normalised margins, as `marginQuantiles` gives them. */
  readonly margins: readonly number[];
  /** Log-likelihood of the labels; only for learners that maximise it. */
  readonly logLikelihood?: number;
}

/** Options of trials, and what to measure in addition to errors. */
export interface TrialOptions {
  /** Measures the models on their training rows, too. */
  readonly facts?: boolean;
  /** Measures the size of the models in a file. */
  readonly bytes?: boolean;
  /** Keeps the scores of the test rows, if rows × classes are at most this many. */
  readonly scores?: number;
  /** Fits each kind of learner to a few rows first, untimed, because the first fit loads and compiles modules. */
  readonly warmUp?: boolean;
  /** Expected seconds of a fit, if known; short work starts no threads. */
  readonly fitSeconds?: number | undefined;
  /** Whether fits that use all threads may run simultaneously; their times are then longer than alone. */
  readonly together?: boolean;
  /** Returns the time in seconds; by default the machine's clock. */
  readonly clock?: () => number;
}

/** The rows of a division in one encoding. */
interface EncodedRows {
  readonly encoder: Encoder;
  readonly train: Sample<Features>;
  readonly test: Sample<Features>;
  readonly seconds: number;
}

/** Minimum number of training rows for a warm-up, which uses at most 200 rows of at most eight classes. */
const MIN_ROWS_TO_WARM_UP = 1000;
const WARM_UP_ROWS = 200;
const WARM_UP_CLASSES = 8;

/** Names of learners that this thread has already fitted. */
const warm = new Set<string>();

/**
 * The rows of a division, encoded once for all learners with the same encoding. Encoders are fitted to the training
 * rows only.
 */
export class TrialRows {
  readonly #division: TrainTestSplit;
  readonly #encoded = new Map<string, EncodedRows>();

  constructor(division: TrainTestSplit) {
    this.#division = division;
  }

  async encode(encoding: Encoding, run: Run, clock = secondsNow): Promise<EncodedRows> {
    const key = JSON.stringify(encoding);
    const known = this.#encoded.get(key);
    if (known) return known;
    const began = clock();
    const { data, train, test } = this.#division;
    const rows = train ? selectRows(data, train) : data;
    checkClassesLeft(rows.labels, data);
    const encoder = await runOnThreads(fitEncoderInSteps(rows.features, data, encoding), run);
    const others = test instanceof Int32Array ? selectRows(data, test) : test;
    const encoded = {
      encoder,
      train: await runOnThreads(trainingSampleInSteps(encoder, rows), run),
      test: await runOnThreads(labelledSampleInSteps(encoder, others), run),
      seconds: clock() - began,
    };
    this.#encoded.set(key, encoded);
    return encoded;
  }
}

/**
 * Fits learners to the training rows of a division and tests their models on its test rows: the engine of folds,
 * hold-out, `compare`, `select` and races. Learners that differ only in the number of growth steps, such as rounds of
 * boosting, are fitted once. Trials are in the order of the learners.
 */
export async function tryLearners(
  learners: readonly Learner[],
  rows: TrialRows,
  run: Run,
  options: TrialOptions = {},
): Promise<Trial[]> {
  const { clock = secondsNow } = options;
  const families = growthFamilies(learners);
  const trials: Trial[] = [];
  for (const [i, { learner, members }] of families.entries()) {
    await checkpoint(run);
    const { train, test, seconds: encode } = await rows.encode(learner.encoding, run, clock);
    const own = progressOf(run, learner.name, i, families.length);
    if (options.warmUp) await warmUp(learner, train, own);
    const fitting = clock();
    const model = await learner.fit(train, own);
    const fit = clock() - fitting;
    for (const { candidate, modelIn } of members) {
      await checkpoint(run);
      trials[candidate] = await trialOf(modelIn(model), { train, test }, { encode, fit }, run, options);
    }
  }
  return trials;
}

async function trialOf(
  model: Model,
  { train, test }: Pick<EncodedRows, "train" | "test">,
  seconds: { readonly encode: number; readonly fit: number },
  run: Run,
  { facts = false, bytes = false, scores = 0, clock = secondsNow }: TrialOptions,
): Promise<Trial> {
  const testing = clock();
  const keepsScores = test.rows * model.classes.length <= scores;
  const { predictions, scores: own } = await classifyRows(model, test.features, run);
  const { labels } = test;
  const mistakes = Uint8Array.from(labels, (label, i) => (predictions[i] === label ? 0 : 1));
  const { reconstruction, scoring } = model;
  return {
    rows: test.rows,
    errors: mistakes.reduce((sum, mistake) => sum + mistake, 0),
    mistakes,
    ...(keepsScores && {
      classified: { labels, predictions, scores: Float64Array.from(own.values), scoring },
    }),
    ...(model.training && { knowsTraining: true }),
    seconds: { ...seconds, test: clock() - testing },
    ...(reconstruction && { reconstruction }),
    ...(facts && { fitted: await fittedFacts(model, train, run) }),
    ...(bytes && { bytes: modelBytes(model) }),
  };
}

async function warmUp(learner: Learner, train: Sample<Features>, run: Run): Promise<void> {
  if (train.rows <= MIN_ROWS_TO_WARM_UP || warm.has(learner.name)) return;
  warm.add(learner.name);
  try {
    await learner.fit(train.select(warmUpRows(train.labels)), run);
  } catch (error) {
    // A fit that fails on few rows may succeed on many.
    if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
  }
}

/**
 * Picks the same number of rows from each of the first classes, fewer if a class has fewer. Many learners take time
 * proportional to the number of classes or of their pairs, so a few rows of hundreds of classes would take as long as
 * all rows.
 */
function warmUpRows(labels: Int32Array): Int32Array {
  const classes = [...new Set(labels)].slice(0, WARM_UP_CLASSES);
  const perClass = Math.floor(WARM_UP_ROWS / classes.length);
  const taken = new Map(classes.map((label) => [label, 0]));
  return Int32Array.from(labels.keys()).filter((row) => {
    const count = taken.get(labels[row]) ?? perClass;
    if (count >= perClass) return false;
    taken.set(labels[row], count + 1);
    return true;
  });
}

async function fittedFacts(model: Model, sample: Sample<Features>, run: Run): Promise<TrainingMeasures> {
  const complexity = model.complexity();
  const { scores, predictions, margins } = await assessRows(model, sample, run);
  return {
    rows: sample.rows,
    errors: countErrors(predictions, sample.labels),
    complexity,
    margins: marginQuantiles(margins),
    ...(complexity.freeParameters !== undefined && { logLikelihood: logLikelihood(scores, sample.labels) }),
  };
}

/** Sums ln of the probability that the model gives to the class of each row. */
function logLikelihood({ values, columns }: ReturnType<Model["scores"]>, labels: Int32Array): number {
  return labels.reduce((sum, label, i) => sum + real.log(values[i * columns + label]), 0);
}

function checkClassesLeft(labels: Int32Array, { classes }: Labelled): void {
  const [first] = labels;
  if (labels.length === 0 || labels.some((label) => label !== first)) return;
  throw new VouchError(
    "data/too-few-rows",
    `Once test rows are held out, all training rows are of class "${visibleSpaces(classes[first])}": the other classes have too few rows.`,
    { hint: "Use more rows, fewer folds, or a criterion that holds out no rows, such as srm." },
  );
}

/** Scales the progress of a run to part `i` of `parts`, from 0 to 1. */
function progressOf(run: Run, learner: string, i: number, parts: number): Run {
  return {
    ...run,
    progress: ({ done, total }) =>
      run.progress({ stage: learner, done: (i + (total ? Math.min(1, done / total) : 0)) / parts, total: 1 }),
  };
}

function secondsNow(): number {
  return performance.now() / 1000;
}
