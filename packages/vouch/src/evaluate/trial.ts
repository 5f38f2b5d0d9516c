import { type Encoder, type Encoding, fitEncoderInSteps, labelledSampleInSteps } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import { createLearner, isPortableLearner } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import type { Complexity, LayerReconstruction, Model } from "../learners/model.js";
import { countErrors } from "../learners/training-facts.js";
import type { TaskContext } from "../runtime/executor.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { withPauses } from "../runtime/steps.js";
import { defineTask } from "../runtime/task.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Column, Table } from "../table/table.js";
import { type Labelled, type LabelledRows, selectRows } from "../table/target.js";
import { marginQuantiles } from "../theory/margins/margin-statistics.js";
import { growthFamilies } from "./growth-families.js";

/** Labelled rows divided into those that learners are fitted to and others that their models are tried on. */
export interface Division {
  readonly data: Labelled;
  /** Rows of the data to fit to; all of them if absent. */
  readonly train?: Int32Array;
  /** Rows of the data to try models on, or other rows. */
  readonly test: Int32Array | Pick<LabelledRows, "features" | "labels">;
}

/** One model on rows that it did not see. */
export interface Trial {
  readonly rows: number;
  readonly errors: number;
  /** 1 for each test row that the model misclassifies, otherwise 0. */
  readonly mistakes: Uint8Array;
  /** Reconstruction errors of its pre-trained layers; absent without pre-training. */
  readonly reconstruction?: readonly LayerReconstruction[];
  /** The model on its training rows; present if it was asked for. */
  readonly fitted?: FittedFacts;
  /** To encode all rows, to fit, and to classify the test rows. */
  readonly seconds: { readonly encode: number; readonly fit: number; readonly test: number };
  /** Size of the model in a file; present if it was asked for. */
  readonly bytes?: number;
}

/** A model on the rows that it was trained on. */
export interface FittedFacts {
  readonly rows: number;
  readonly errors: number;
  readonly complexity: Complexity;
  /** Quantiles of the normalised margins, as `marginQuantiles` gives them. */
  readonly margins: readonly number[];
  /** Log-likelihood of the labels; only for learners that maximise it. */
  readonly logLikelihood?: number;
}

/** How trials are made, and what they tell beside the errors. */
export interface TrialOptions {
  /** Measure the models on their training rows, too. */
  readonly facts?: boolean;
  /** Measure the size of the models. */
  readonly bytes?: boolean;
  /** Fit each kind of learner once to a few rows first, untimed: the first fit loads modules and compiles. */
  readonly warmUp?: boolean;
  /** Seconds since some moment; that of the machine if absent. */
  readonly clock?: () => number;
}

/** The rows of a division, encoded for some learners. */
export interface EncodedRows {
  readonly encoder: Encoder;
  readonly train: Sample<Features>;
  readonly test: Sample<Features>;
  readonly seconds: number;
}

/** Test rows that are classified without a pause. */
const BLOCK = 2000;

/** With more training rows than this a warm-up is worth its time; it takes so many rows. */
const WARM_UP_ABOVE = 1000;
const WARM_UP_ROWS = 200;

/** Every thread that fits beside others encodes the rows for itself: above this many cells fits come one by one. */
const MOST_CELLS_BESIDE = 4_000_000;

/** Learners that this thread has fitted before. */
const warm = new Set<string>();

/**
 * The rows of one division, encoded once for all learners that want the same encoding. Encoders are fitted to the training
 * rows alone.
 */
export class TrialRows {
  readonly #division: Division;
  readonly #encoded = new Map<string, EncodedRows>();

  constructor(division: Division) {
    this.#division = division;
  }

  async encode(encoding: Encoding, { signal }: Run, clock = secondsNow): Promise<EncodedRows> {
    const key = JSON.stringify(encoding);
    const known = this.#encoded.get(key);
    if (known) return known;
    const began = clock();
    const { data, train, test } = this.#division;
    const rows = train ? selectRows(data, train) : data;
    checkClassesLeft(rows.labels, data);
    const encoder = await withPauses(fitEncoderInSteps(rows.features, data, encoding), signal);
    const others = test instanceof Int32Array ? selectRows(data, test) : test;
    const encoded = {
      encoder,
      train: await withPauses(labelledSampleInSteps(encoder, rows), signal),
      test: await withPauses(labelledSampleInSteps(encoder, others), signal),
      seconds: clock() - began,
    };
    this.#encoded.set(key, encoded);
    return encoded;
  }
}

/**
 * Fits learners to the training rows of a division and tries their models on its test rows: the engine of folds, hold-outs,
 * comparisons, selections and races. Learners that differ in the number of growth steps only, such as rounds of boosting,
 * are fitted once. Trials come in the order of the learners.
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
  { facts = false, bytes = false, clock = secondsNow }: TrialOptions,
): Promise<Trial> {
  const testing = clock();
  const mistakes = await mistakesOf(model, test, run);
  const { reconstruction } = model;
  return {
    rows: test.rows,
    errors: mistakes.reduce((sum, mistake) => sum + mistake, 0),
    mistakes,
    seconds: { ...seconds, test: clock() - testing },
    ...(reconstruction && { reconstruction }),
    ...(facts && { fitted: fittedFacts(model, train) }),
    ...(bytes && { bytes: bytesOf(model) }),
  };
}

/** Learners to be tried on one division. */
interface TrialWork {
  readonly learners: readonly Learner[];
  readonly division: Division;
}

/**
 * Tries learners on every division; the trials come by division, then by learner. Independent fits run side by side: with at
 * least as many divisions as threads each division is a task, otherwise each fit. With fewer fits than threads, and for
 * custom learners that other threads cannot make, fits come one after the other and learners use the threads themselves. The
 * results are the same bits.
 */
export async function runTrials(
  learners: readonly Learner[],
  divisions: readonly Division[],
  stage: string,
  run: Run,
  options: TrialOptions = {},
): Promise<Trial[][]> {
  const { executor, signal } = run;
  const families = growthFamilies(learners).map(({ members }) => members.map(({ candidate }) => candidate));
  const together = divisions.length >= executor.threads ? [[...learners.keys()]] : families;
  const work = divisions.flatMap((division) =>
    together.map((candidates) => ({ division, candidates, learners: candidates.map((c) => learners[c]) })),
  );
  const total = work.length;
  const results = divisions.map((): Trial[] => []);
  const keep = (i: number, trials: readonly Trial[]) => {
    const { division, candidates } = work[i];
    const own = results[divisions.indexOf(division)];
    trials.forEach((trial, k) => {
      own[candidates[k]] = trial;
    });
  };
  const portable = learners.every(isPortableLearner);
  if (executor.threads > 1 && total >= executor.threads && portable) {
    const inputs = work.map((each) => trialInput(each, run.seed, options));
    const found = await executor.map(trialTask, inputs, {
      ...(signal && { signal }),
      onProgress: (done, _, note) =>
        run.progress({ stage, done, total, ...(note !== undefined && { note }) }),
    });
    found.forEach((trials, i) => {
      keep(i, trials);
    });
    return results;
  }
  const rowsOfDivision = new Map<Division, TrialRows>();
  for (const [i, { division, learners: own }] of work.entries()) {
    const rows = rowsOfDivision.get(division) ?? new TrialRows(division);
    rowsOfDivision.clear();
    rowsOfDivision.set(division, rows);
    const progress: Run["progress"] = (part) =>
      run.progress({ stage, done: i + part.done, total, note: part.stage });
    keep(i, await tryLearners(own, rows, { ...run, progress }, options));
    run.progress({ stage, done: i + 1, total });
  }
  return results;
}

/** Whether learners can be tried on threads side by side: other threads can make them, and their rows fit into memory. */
export function canRunBeside(
  learners: readonly Learner[],
  { data, train }: Division,
  { executor }: Run,
): boolean {
  if (executor.threads === 1 || !learners.every(isPortableLearner)) return false;
  const rows = train?.length ?? data.labels.length;
  return rows * data.features.columns.length <= MOST_CELLS_BESIDE;
}

/** Tries learners on a thread of the pool, beside whatever else runs there. */
export async function tryOnThread(
  learners: readonly Learner[],
  division: Division,
  { executor, signal, seed, progress }: Run,
  options: Omit<TrialOptions, "clock"> = {},
): Promise<Trial[]> {
  const [trials] = await executor.map(trialTask, [trialInput({ learners, division }, seed, options)], {
    ...(signal && { signal }),
    onProgress: (done, total, note) => progress({ stage: note ?? "", done, total }),
  });
  return trials;
}

/** A division and learners as plain data, for another thread. */
interface TrialInput {
  /** The same for all work on the same division, so that a thread encodes its rows once. */
  readonly key: string;
  readonly learners: readonly Pick<Learner, "name" | "options">[];
  readonly data: PlainRows & Pick<Labelled, "target" | "classes">;
  readonly train?: Int32Array;
  readonly test: Int32Array | PlainRows;
  readonly seed: number;
  readonly options: Omit<TrialOptions, "clock">;
}

interface PlainRows {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly labels: Int32Array;
}

const keys = new WeakMap<Division, string>();

function keyOf(division: Division): string {
  const key = keys.get(division) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  keys.set(division, key);
  return key;
}

function trialInput({ learners, division }: TrialWork, seed: number, options: TrialOptions): TrialInput {
  const { data, train, test } = division;
  const { facts = false, bytes = false, warmUp = false } = options;
  return {
    key: keyOf(division),
    learners: learners.map(({ name, options }) => ({ name, options })),
    data: { ...plainRows(data), target: data.target, classes: data.classes },
    ...(train && { train }),
    test: test instanceof Int32Array ? test : plainRows(test),
    seed,
    options: { facts, bytes, warmUp },
  };
}

function plainRows({ features, labels }: Pick<LabelledRows, "features" | "labels">): PlainRows {
  return { name: features.name, columns: features.columns, labels };
}

function rowsFrom({ name, columns, labels }: PlainRows): LabelledRows {
  return { features: new Table(name, labels.length, columns), labels, notices: [] };
}

/** The division that this thread worked on last, encoded. */
let recent: { readonly key: string; readonly rows: TrialRows } | undefined;

function rowsOf({ key, data, train, test }: TrialInput): TrialRows {
  if (recent?.key !== key) {
    const { target, classes } = data;
    const division: Division = {
      data: { ...rowsFrom(data), target, classes },
      ...(train && { train }),
      test: test instanceof Int32Array ? test : rowsFrom(test),
    };
    recent = { key, rows: new TrialRows(division) };
  }
  return recent.rows;
}

/** Makes the trials of some learners on one division. */
export const trialTask = defineTask(
  "evaluate/trial",
  async (input: TrialInput, context: TaskContext): Promise<Trial[]> => {
    const learners = await Promise.all(
      input.learners.map(({ name, options }) => createLearner(name, options)),
    );
    const run = completeRun({
      seed: input.seed,
      progress: ({ done, stage }) => context.progress(done, stage),
    });
    await context.checkpoint();
    return tryLearners(learners, rowsOf(input), run, input.options);
  },
);

/** Marks the rows that a model misclassifies. */
async function mistakesOf(
  model: Model,
  { features, labels }: Sample<Features>,
  run: Run,
): Promise<Uint8Array> {
  const mistakes = new Uint8Array(labels.length);
  for (let start = 0; start < labels.length; start += BLOCK) {
    await checkpoint(run);
    const rows = Math.min(BLOCK, labels.length - start);
    const whole = rows === labels.length;
    const block = whole ? features : features.select(Int32Array.from({ length: rows }, (_, i) => start + i));
    const predicted = model.predict(block);
    for (let i = 0; i < rows; i++) mistakes[start + i] = predicted[i] === labels[start + i] ? 0 : 1;
  }
  return mistakes;
}

async function warmUp(learner: Learner, train: Sample<Features>, run: Run): Promise<void> {
  if (train.rows <= WARM_UP_ABOVE || warm.has(learner.name)) return;
  warm.add(learner.name);
  try {
    await learner.fit(train.select(fewRows(train.labels)), run);
  } catch (error) {
    // A fit that fails with few rows may well succeed with many.
    if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
  }
}

/** Rows spread over the sample, with at least one of each class that occurs. */
function fewRows(labels: Int32Array): Int32Array {
  const rows = new Set(
    Array.from({ length: WARM_UP_ROWS }, (_, i) => Math.floor((i * labels.length) / WARM_UP_ROWS)),
  );
  for (const label of new Set(labels)) rows.add(labels.indexOf(label));
  return Int32Array.from(rows).sort();
}

function fittedFacts(model: Model, sample: Sample<Features>): FittedFacts {
  const complexity = model.complexity();
  const { scores, predictions, margins } = model.assess(sample);
  return {
    rows: sample.rows,
    errors: countErrors(predictions, sample.labels),
    complexity,
    margins: marginQuantiles(margins),
    ...(complexity.freeParameters !== undefined && { logLikelihood: logLikelihood(scores, sample.labels) }),
  };
}

/** Σ ln of the probability that the model gives to the class of each row. */
function logLikelihood({ values, columns }: ReturnType<Model["scores"]>, labels: Int32Array): number {
  return labels.reduce((sum, label, i) => sum + Math.log(values[i * columns + label]), 0);
}

function bytesOf(model: Model): number {
  const { json, tensors } = model.toState();
  const numbers = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  return numbers + new TextEncoder().encode(JSON.stringify(json)).length;
}

function checkClassesLeft(labels: Int32Array, { classes }: Labelled): void {
  const [first] = labels;
  if (labels.length === 0 || labels.some((label) => label !== first)) return;
  throw new VouchError(
    "data/too-few-rows",
    `Too few rows are not of class "${classes[first]}": once test rows are held out, no other class is left to train on.`,
    { hint: "Give more rows, fewer folds, or use a criterion that holds out no rows, such as srm." },
  );
}

/** The run with its progress scaled to part `i` of `parts`, from 0 to 1. */
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
