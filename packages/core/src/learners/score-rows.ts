import {
  type Features,
  featuresFrom,
  type PlainFeatures,
  rowRange,
  Sample,
  type Selectable,
  sharedFeatures,
} from "../encode/sample.js";
import type { State, Tensor } from "../runtime/codec/state.js";
import { Matrix } from "../runtime/maths/matrix.js";
import type { Executor, TaskContext } from "../runtime/parallel/executor.js";
import { nowOrOnThreads, type Pausable, runOnThreads, type Threads } from "../runtime/parallel/pausable.js";
import { checkpoint } from "../runtime/parallel/run.js";
import { isShared, onSharedMemory, sharedBuffer } from "../runtime/parallel/shared-array.js";
import { defineTask } from "../runtime/parallel/task.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Assessment, Classification, Model, RowResults } from "./model.js";
import { isPortable, learnerNamed, withLearners } from "./registry.js";

/** Rows that are scored first, to see how long the others will take. */
const FIRST_ROWS = 64;

/** Milliseconds between two checkpoints, about. */
const BLOCK_MILLISECONDS = 10;

/** Work of fewer milliseconds is not worth making the model again on other threads. */
const MIN_WORK_TO_DIVIDE = 60;

/** Several tasks per thread, so that no thread waits long for the last one. */
const TASKS_PER_THREAD = 4;

/**
 * Computes what `model.classify` computes on the threads of the run, with checkpoints. Scores do not depend on how the rows are
 * divided.
 */
export async function classifyRows(
  model: Model,
  features: Features & Selectable<Features>,
  run: Threads,
): Promise<Classification> {
  const { scores, predictions } = await scoreRows(model, features, undefined, run);
  return { scores, predictions };
}

/** Computes what `model.assess` computes on the threads of the run, with checkpoints. */
export async function assessRows(
  model: Model,
  { features, labels }: Sample<Features>,
  run: Threads,
): Promise<Assessment> {
  const { scores, predictions, margins } = await scoreRows(model, features, labels, run);
  if (!margins) throw new TypeError("Rows with labels have margins.");
  return { scores, predictions, margins };
}

/** Computes the same as `classifyRows` as pausable work, for models that are made of models. */
export function classifyInSteps(
  model: Model,
  features: Features & Selectable<Features>,
): Pausable<Classification> {
  if (model.evaluate) return model.evaluate(features);
  return nowOrOnThreads(
    () => model.classify(features),
    (run) => classifyRows(model, features, run),
  );
}

async function scoreRows(
  model: Model,
  features: Features & Selectable<Features>,
  labels: Int32Array | undefined,
  run: Threads,
): Promise<RowResults> {
  if (model.evaluate) return await runOnThreads(model.evaluate(features, labels), run);
  return await scoreInBlocks(model, features, labels, run);
}

/** Results of all rows, which blocks write to. */
interface Results {
  readonly scores: Float64Array;
  readonly predictions: Int32Array;
  /** Present if the rows have labels. */
  readonly margins?: Float64Array;
}

async function scoreInBlocks(
  model: Model,
  features: Features & Selectable<Features>,
  labels: Int32Array | undefined,
  run: Threads,
): Promise<RowResults> {
  const { rows } = features;
  const { classes } = model;
  const results: Results = {
    scores: new Float64Array(sharedBuffer(8 * rows * classes.length, "the scores")),
    predictions: new Int32Array(sharedBuffer(4 * rows)),
    ...(labels && { margins: new Float64Array(sharedBuffer(8 * rows)) }),
  };
  const scores = new Matrix(rows, classes.length, results.scores);
  const known = Math.min(rows, FIRST_ROWS);
  const began = performance.now();
  scoreBlock(model, { features, labels, results, begin: 0, end: known });
  const perRow = (performance.now() - began) / Math.max(1, known);
  if (known === rows) return { ...results, scores };
  const milliseconds = (rows - known) * perRow;
  const isDivided =
    milliseconds >= MIN_WORK_TO_DIVIDE &&
    (await scoreOnThreads(model, { features, labels, results, begin: known, end: rows }, milliseconds, run));
  if (isDivided) return { ...results, scores };
  const step = Math.max(FIRST_ROWS, Math.floor(BLOCK_MILLISECONDS / Math.max(perRow, 1e-6)));
  for (let begin = known; begin < rows; begin += step) {
    await checkpoint(run);
    scoreBlock(model, { features, labels, results, begin, end: Math.min(rows, begin + step) });
  }
  return { ...results, scores };
}

/** Rows `begin` … `end` − 1 of all rows. */
interface Block {
  readonly features: Features & Selectable<Features>;
  readonly labels: Int32Array | undefined;
  readonly results: Results;
  readonly begin: number;
  readonly end: number;
}

function scoreBlock(model: Model, { features, labels, results, begin, end }: Block): void {
  const own = rowRange(features, begin, end);
  const { scores, predictions, margins } = results;
  if (labels && margins) {
    const block = new Sample<Features>({
      features: own,
      labels: labels.subarray(begin, end),
      classes: model.classes,
    });
    const assessed = model.assess(block);
    margins.set(assessed.margins, begin);
    put(assessed);
  } else put(model.classify(own));

  function put(scored: Classification): void {
    scores.set(scored.scores.values, begin * model.classes.length);
    predictions.set(scored.predictions, begin);
  }
}

/** Scores rows on the threads of the run; false if they cannot make the model again. */
async function scoreOnThreads(
  model: Model,
  { features, labels, results, begin, end }: Block,
  milliseconds: number,
  { executor, signal }: Threads,
): Promise<boolean> {
  if (!canDivide(executor, model, results)) return false;
  const common = {
    model: sentModel(model),
    features: sharedFeatures(features),
    labels: labels && onSharedMemory(labels),
    results,
  };
  const tasks = Math.min(executor.threads * TASKS_PER_THREAD, Math.ceil(milliseconds / BLOCK_MILLISECONDS));
  const size = Math.ceil((end - begin) / tasks);
  const inputs = Array.from({ length: Math.ceil((end - begin) / size) }, (_, k): ScoreInput => {
    const first = begin + k * size;
    return { ...common, begin: first, end: Math.min(end, first + size) };
  });
  try {
    await executor.map(scoreTask, inputs, { signal, milliseconds });
    return true;
  } catch (error) {
    // A part of the model is a custom learner that other threads do not know.
    if (error instanceof VouchError && UNKNOWN_LEARNER.has(error.code)) return false;
    throw error;
  }
}

const UNKNOWN_LEARNER: ReadonlySet<string> = new Set(["learner/unknown", "learner/not-loaded"]);

function canDivide({ threads }: Executor, { learner }: Model, { scores }: Results): boolean {
  return threads > 1 && isPortable(learner) && isShared(scores);
}

/** A model as it is sent to other threads and machines: structured-cloneable. */
export interface SentModel {
  /** Threads keep the model that they made last. */
  readonly key: string;
  readonly learner: string;
  readonly state: State;
}

interface ScoreInput extends Omit<Block, "features"> {
  readonly model: SentModel;
  readonly features: PlainFeatures;
}

const keys = new WeakMap<Model, string>();

/** Makes a model ready to be sent, on shared memory. */
export function sentModel(model: Model): SentModel {
  return { key: keyOf(model), learner: model.learner, state: sharedState(model.toState()) };
}

function keyOf(model: Model): string {
  const key = keys.get(model) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  keys.set(model, key);
  return key;
}

function sharedState({ json, tensors }: State): State {
  const shared = Object.entries(tensors).map(([name, { shape, data }]): [string, Tensor] => [
    name,
    { shape, data: onSharedMemory(data) },
  ]);
  return { json, tensors: Object.fromEntries(shared) };
}

let latest: { readonly key: string; readonly model: Model } | undefined;

/** Makes a sent model again. The one that was made last is kept. */
export async function modelFrom({ key, learner, state }: SentModel): Promise<Model> {
  if (latest?.key === key) return latest.model;
  const kind = await learnerNamed(learner);
  const model = await withLearners(() => kind.restore(state));
  latest = { key, model };
  return model;
}

/** Scores some of the rows with a model that another thread has fitted. */
const scoreTask = defineTask(
  "learners/score-rows",
  async (
    { model: sent, features, begin, end, ...common }: ScoreInput,
    context: TaskContext,
  ): Promise<void> => {
    const model = await modelFrom(sent);
    const rows = featuresFrom(features);
    // A first piece shows how many rows take a few milliseconds.
    for (let from = begin, step = FIRST_ROWS; from < end; ) {
      const to = Math.min(end, from + step);
      const began = performance.now();
      scoreBlock(model, { ...common, features: rows, begin: from, end: to });
      const perRow = (performance.now() - began) / (to - from);
      step = Math.max(FIRST_ROWS, Math.floor(BLOCK_MILLISECONDS / Math.max(perRow, 1e-6)));
      from = to;
      await context.checkpoint();
    }
  },
);
