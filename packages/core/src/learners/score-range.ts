import {
  type Features,
  featuresFrom,
  type PlainFeatures,
  plainFeatures,
  rowRange,
  type Selectable,
} from "../encode/sample.js";
import { Matrix } from "../runtime/maths/matrix.js";
import type { TaskContext } from "../runtime/parallel/executor.js";
import type { Run } from "../runtime/parallel/run.js";
import { definePortableTask } from "../runtime/parallel/task.js";
import { taskRun } from "../runtime/parallel/task-run.js";
import type { Classification, Model } from "./model.js";
import { isLibraryLearner } from "./registry.js";
import { classifyRows, modelFrom, type SentModel, sentModel } from "./score-rows.js";

/** Rows that are scored first, to see how long the others will take. */
const FIRST_ROWS = 64;

/** Work that takes fewer milliseconds on the threads of this machine is not worth a cluster. */
const MIN_WORK_TO_SEND = 300;

/** Several tasks per machine, so that no machine waits long for the last one. */
const RANGES_PER_MACHINE = 2;

/** Rows to score with a model, as values. */
interface RangeInput {
  readonly model: SentModel;
  readonly features: PlainFeatures;
}

/**
 * Computes what `model.classify` computes: on the machines of a cluster if that is faster, otherwise on the threads of the
 * run, with checkpoints. Scores do not depend on how the rows are divided.
 */
export async function classifyManyRows(
  model: Model,
  features: Features & Selectable<Features>,
  run: Run,
): Promise<Classification> {
  const { cluster } = run.executor;
  if (!cluster || !isLibraryLearner({ name: model.learner }) || !isSlow(model, features, run)) {
    return await classifyRows(model, features, run);
  }
  const { rows } = features;
  const parts = Math.min(rows, RANGES_PER_MACHINE * cluster.count);
  const start = (part: number) => Math.floor((part * rows) / parts);
  const sent = sentModel(model);
  const inputs = Array.from({ length: parts }, (_, part) => ({
    model: sent,
    features: plainFeatures(rowRange(features, start(part), start(part + 1))),
  }));
  const outputs = await run.executor.map(scoreRangeTask, inputs, {
    signal: run.signal,
    wholeMachines: true,
    rows,
  });
  const width = model.classes.length;
  const scores = new Matrix(rows, width);
  const predictions = new Int32Array(rows);
  outputs.forEach((output, part) => {
    scores.values.set(output.scores, start(part) * width);
    predictions.set(output.predictions, start(part));
  });
  return { scores, predictions };
}

/** Returns whether scoring takes long on the threads of this machine, by the time of a few rows. */
function isSlow(model: Model, features: Features & Selectable<Features>, { executor }: Run): boolean {
  const known = Math.min(features.rows, FIRST_ROWS);
  if (known === features.rows) return false;
  const began = performance.now();
  model.classify(rowRange(features, 0, known));
  const milliseconds = ((performance.now() - began) * (features.rows - known)) / known;
  return milliseconds / executor.threads >= MIN_WORK_TO_SEND;
}

/** Scores some of the rows on the threads of a machine. */
const scoreRangeTask = definePortableTask(
  "learners/score-range",
  async (
    { model: sent, features }: RangeInput,
    context: TaskContext,
  ): Promise<{ readonly scores: Float64Array; readonly predictions: Int32Array }> => {
    const model = await modelFrom(sent);
    const { scores, predictions } = await classifyRows(model, featuresFrom(features), taskRun(context));
    return { scores: Float64Array.from(scores.values), predictions };
  },
);
