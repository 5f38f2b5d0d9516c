import {
  type Features,
  featuresFrom,
  type PlainFeatures,
  type Sample,
  type Selectable,
  sharedFeatures,
} from "../encode/sample.js";
import { isPortable, learnerNamed, withLearners } from "../learners/index.js";
import type { Model } from "../learners/model.js";
import { applyDecision, DEFAULT_DECISION, type Decision, outputKind } from "../metrics/decision.js";
import { decisionState, restoreDecision } from "../metrics/decision-state.js";
import { type MetricName, metricFacts } from "../metrics/metric-name.js";
import { ERROR, type Objective, rowLosses } from "../metrics/objective-metric.js";
import type { State } from "../runtime/codec/state.js";
import { Matrix } from "../runtime/maths/matrix.js";
import { Random } from "../runtime/maths/random.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import type { TaskContext } from "../runtime/parallel/executor.js";
import { checkpoint, completeRun, type Run } from "../runtime/parallel/run.js";
import { sharedBuffer } from "../runtime/parallel/shared-array.js";
import { defineTask } from "../runtime/parallel/task.js";
import { VouchError } from "../runtime/vouch-error.js";
import { holm } from "../theory/multiple-testing.js";
import { studentTail } from "../theory/test-tails.js";
import { type FeatureGroup, withCells } from "./feature-groups.js";

/** Rows classified between two checkpoints. */
const BLOCK_ROWS = 512;

/** Tasks per thread, so that no thread waits long for the last one. */
const TASKS_PER_THREAD = 4;

const STAGE = "permutation importance";

/** Adjusted p-values below this are evidence that a column matters. */
const SIGNIFICANCE = 0.05;

/** The importance of one feature, or of one group of features. */
export interface FeatureImportance {
  /** Name of the feature or group. */
  readonly feature: string;
  /** Mean increase of the loss when it is shuffled. */
  readonly mean: number;
  /** Standard error of the mean over the rows, from the increase of each row averaged over the repeats. */
  readonly se: number;
  /** Standard deviation of the increase over the repeats; 0 for a single one. */
  readonly sd: number;
  /** One-sided p-value of an increase by chance, adjusted for the number of features by Holm's method. */
  readonly p: number;
  /** Whether the increase is distinguishable from 0: p < 0.05. */
  readonly matters: boolean;
}

/** The importance of all features for a model on some rows. */
export interface PermutationImportance {
  readonly metric: MetricName;
  /** Mean loss of the rows before shuffling. */
  readonly loss: number;
  /** One per feature or group, in order. */
  readonly features: readonly FeatureImportance[];
}

/** How to measure importance. */
export interface PermutationOptions {
  /** Metric whose loss is measured; by default log loss for probabilities, otherwise error. */
  readonly objective?: Objective;
  /** How scores become probabilities and predictions; by default the model's own. */
  readonly decision?: Decision;
  /** Number of shuffles; default 5. */
  readonly repeats?: number;
  /** Features to shuffle together; by default, each feature separately. */
  readonly groups?: readonly FeatureGroup[];
}

/**
 * Measures permutation importance (Breiman 2001, section 10): the increase of a model's loss when the values of one
 * feature are shuffled among the rows, so that it says nothing about the class. It works for every model. On training
 * rows it shows what the model relies on, on other rows what helps it to predict. Two features with the same
 * information may both seem unimportant. Features of one group are shuffled alike; with one group per column of a table
 * (`featuresByColumn`), this equals shuffling the column before it is encoded.
 *
 * The p-value comes from a one-sided t-test of the increases of the rows, each averaged over the repeats. On rows that
 * the model was not trained on, a column unrelated to the others and to the class has an expected increase of 0.
 *
 * In the log loss, probabilities below 0.001 count as 0.001. The result depends only on the model and its decision, the
 * rows, the groups, the metric, the seed and the number of repeats.
 */
export async function permutationImportance<F extends Features>(
  model: Model<F>,
  sample: Sample<F>,
  run?: Partial<Run>,
  options: PermutationOptions = {},
): Promise<PermutationImportance> {
  const { rows } = sample;
  const { repeats = 5, groups = eachFeature(sample), decision = DEFAULT_DECISION } = options;
  if (rows === 0) throw new VouchError("data/no-rows", "There are no rows to measure importance on.");
  if (!Number.isInteger(repeats) || repeats < 1) {
    throw new VouchError("option/invalid", `repeats must be a whole number ≥ 1, not ${repeats}.`);
  }
  checkGroups(groups, sample.features.columns);
  const objective = objectiveOf(model, decision, options.objective);
  const wanted = { repeats, groups, objective, decision };
  const measured = await measureGroups(model, sample, wanted, completeRun(run));
  const chances = measured.found.map(({ mean: centre, se }) => chanceOf(centre, se, rows));
  const adjusted = holm(chances);
  const features = groups.map(({ name }, g) => ({
    feature: name,
    ...measured.found[g],
    p: adjusted[g],
    matters: adjusted[g] < SIGNIFICANCE,
  }));
  return { metric: objective.metric, loss: measured.loss, features };
}

/** Computes the one-sided p-value of a mean increase; if all rows increase equally, the p-value of the sign test. */
function chanceOf(centre: number, se: number, rows: number): number {
  if (rows < 2 || centre === 0) return 1;
  if (se === 0) return centre > 0 ? 2 ** -rows : 1;
  const tail = studentTail(Math.abs(centre) / se, rows - 1);
  return centre > 0 ? tail : 1 - tail;
}

/** Returns the objective or the default. Throws if it needs probabilities and there are none. */
function objectiveOf(model: Model, decision: Decision, wanted: Objective | undefined): Objective {
  const scoring = outputKind(decision, model);
  if (wanted === undefined) return scoring === "probability" ? { metric: "log-loss" } : ERROR;
  if (metricFacts(wanted.metric).judges !== "probabilities" || scoring === "probability") return wanted;
  throw new VouchError(
    "learner/unsupported",
    `The ${wanted.metric} of ${model.learner} is not defined: it gives no probabilities.`,
    { hint: 'Measure the "error" instead.' },
  );
}

function eachFeature({ featureNames }: { readonly featureNames: readonly string[] }): FeatureGroup[] {
  return featureNames.map((name, j) => ({ name, features: [j] }));
}

function checkGroups(groups: readonly FeatureGroup[], columns: number): void {
  for (const { name, features } of groups) {
    const wrong = features.find((j) => !(Number.isInteger(j) && j >= 0 && j < columns));
    if (wrong === undefined) continue;
    throw new VouchError(
      "option/invalid",
      `The group "${name}" has feature ${wrong}, but features are numbered from 0 to ${columns - 1}.`,
    );
  }
}

/** Rows of a sample, and the row from which each gets the shuffled value of a feature. */
interface Shuffling<F extends Features> extends Required<PermutationOptions> {
  readonly features: F & Selectable<F>;
  readonly labels: Int32Array;
  /** The source of row i is at repeat · rows + i; all features of a repeat are shuffled alike. */
  readonly sources: Int32Array;
}

type Increase = Pick<FeatureImportance, "mean" | "se" | "sd">;

/** Measures groups on the threads of a run. */
async function measureGroups<F extends Features>(
  model: Model<F>,
  { features, labels, rows }: Sample<F>,
  options: Required<PermutationOptions>,
  run: Run,
): Promise<{ readonly loss: number; readonly found: readonly Increase[] }> {
  const sources = shuffledRows(rows, options.repeats, run.seed);
  const shuffling = { ...options, features, labels, sources };
  const before = await lossesWith(model, shuffling, undefined, () => checkpoint(run));
  const loss = mean(before);
  // Another thread cannot restore the model of a custom learner without a module.
  if (!isPortable(model.learner)) {
    const found = await increasesOf(model, shuffling, before, (done) => {
      run.progress({ stage: STAGE, done, total: 1 });
      return checkpoint(run);
    });
    return { loss, found };
  }
  const { executor, signal } = run;
  const { learner } = model;
  const input = {
    ...shuffling,
    learner,
    state: model.toState(),
    before,
    features: sharedFeatures(features),
    decision: decisionState(options.decision),
  };
  const found = await executor.map(
    permutedLossesTask,
    partsOf(options.groups, executor.threads * TASKS_PER_THREAD).map((groups) => ({ ...input, groups })),
    {
      ...(signal && { signal }),
      onProgress: (done, total) => run.progress({ stage: STAGE, done, total }),
    },
  );
  return { loss, found: found.flat() };
}

/** Measures some of the groups. */
const permutedLossesTask = defineTask(
  "explain/permuted-losses",
  async (
    {
      learner,
      state,
      features,
      decision,
      before,
      ...shuffling
    }: Omit<Shuffling<Features>, "features" | "decision"> & {
      readonly learner: string;
      readonly state: State;
      readonly decision: State;
      readonly features: PlainFeatures;
      readonly before: Float64Array;
    },
    context: TaskContext,
  ) => {
    const kind = await learnerNamed(learner);
    const model = await withLearners(() => kind.restore(state));
    const own = restoreDecision(decision, model.classes.length);
    const all = { ...shuffling, decision: own, features: featuresFrom(features) };
    return increasesOf(model, all, before, (done) => {
      context.progress(done);
      return context.checkpoint();
    });
  },
);

/** Computes how much the losses of the rows grow when each group is shuffled. */
async function increasesOf<F extends Features>(
  model: Model<F>,
  shuffling: Shuffling<F>,
  before: Float64Array,
  pause: (done: number) => Promise<void> | undefined,
): Promise<Increase[]> {
  const { groups, repeats } = shuffling;
  const found: Increase[] = [];
  for (const group of groups) {
    const ofRows = new Float64Array(before.length);
    const ofRepeats = new Float64Array(repeats);
    for (let repeat = 0; repeat < repeats; repeat++) {
      const done = (found.length + repeat / repeats) / groups.length;
      const after = await lossesWith(model, shuffling, { group, repeat }, () => pause(done));
      for (let i = 0; i < after.length; i++) ofRows[i] += (after[i] - before[i]) / repeats;
      ofRepeats[repeat] = mean(after.map((loss, i) => loss - before[i]));
    }
    const se = standardDeviation(ofRows) / Math.sqrt(before.length);
    found.push({ mean: mean(ofRepeats), se, sd: standardDeviation(ofRepeats) });
  }
  return found;
}

/** Computes the loss of every row, with one group shuffled or none. */
async function lossesWith<F extends Features>(
  model: Model<F>,
  { features, labels, objective, decision, sources }: Shuffling<F>,
  shuffled: { readonly group: FeatureGroup; readonly repeat: number } | undefined,
  pause: () => Promise<void> | undefined,
): Promise<Float64Array> {
  const all: Selectable<F> = features;
  const { rows } = features;
  const scores = new Matrix(rows, model.classes.length);
  const predictions = new Int32Array(rows);
  for (let begin = 0; begin < rows; begin += BLOCK_ROWS) {
    await pause();
    const own = Int32Array.from({ length: Math.min(rows - begin, BLOCK_ROWS) }, (_, i) => begin + i);
    const from = (shuffled?.repeat ?? 0) * rows + begin;
    const others = sources.subarray(from, from + own.length);
    const selected = all.select(own);
    const block = shuffled ? withCells<F>(selected, shuffled.group.features, features, others) : selected;
    const classified = model.classify(block);
    scores.values.set(classified.scores.values, begin * scores.columns);
    predictions.set(classified.predictions, begin);
  }
  return rowLosses(objective, { labels, ...applyDecision(decision, { scores, predictions }) });
}

/** Shuffles all rows once per repeat, in shared memory. */
function shuffledRows(rows: number, repeats: number, seed: number): Int32Array {
  const random = new Random(seed);
  const sources = new Int32Array(sharedBuffer(rows * repeats * Int32Array.BYTES_PER_ELEMENT));
  for (let repeat = 0; repeat < repeats; repeat++) {
    const order = sources.subarray(repeat * rows, (repeat + 1) * rows);
    for (let i = 0; i < rows; i++) order[i] = i;
    random.fork(repeat).shuffle(order);
  }
  return sources;
}

/** Divides groups into at most `max` parts. */
function partsOf(groups: readonly FeatureGroup[], max: number): (readonly FeatureGroup[])[] {
  const parts = Math.min(max, groups.length);
  const start = (p: number) => Math.floor((p * groups.length) / parts);
  return Array.from({ length: parts }, (_, p) => groups.slice(start(p), start(p + 1)));
}
