import {
  type Features,
  featuresFrom,
  type PlainFeatures,
  plainFeatures,
  type Sample,
  type Selectable,
} from "../encode/sample.js";
import { isPortable, learnerNamed, withLearners } from "../learners/index.js";
import type { Model } from "../learners/model.js";
import type { TaskContext } from "../runtime/executor.js";
import { Random } from "../runtime/random.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { sharedBuffer } from "../runtime/shared-array.js";
import { SparseRows } from "../runtime/sparse-rows.js";
import type { State } from "../runtime/state.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import { defineTask } from "../runtime/task.js";
import { VouchError } from "../runtime/vouch-error.js";
import { studentTail } from "../theory/distributions.js";
import { holm } from "../theory/multiple-testing.js";
import { copyCells, type FeatureGroup } from "./feature-groups.js";
import { lossesOfRows, type RowMetric, rowMetricFor } from "./row-losses.js";

/** Rows that are classified between two checkpoints; sums over them are the same on any number of threads. */
const BLOCK_ROWS = 512;

/** Tasks per thread, so that no thread waits long for the last one. */
const TASKS_PER_THREAD = 4;

const STAGE = "permutation importance";

/** Adjusted p-values below this count as evidence that a column matters. */
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
  readonly metric: RowMetric;
  /** Mean loss of the rows before shuffling. */
  readonly loss: number;
  /** One per feature or group, in their order. */
  readonly features: readonly FeatureImportance[];
}

/** How to measure importance. */
export interface PermutationOptions {
  /** The loss whose increase is measured; the default is log-loss for probabilities, otherwise error. */
  readonly metric?: RowMetric;
  /** Number of shuffles; the default is 5. */
  readonly repeats?: number;
  /** Features to shuffle together; by default, each feature by itself. */
  readonly groups?: readonly FeatureGroup[];
}

/**
 * Measures permutation importance (Breiman 2001, section 10): the increase of a model's loss when the values of one feature are
 * shuffled among the rows, so that it says nothing about the class. Works for every model. On training rows it shows what the
 * model relies on, on other rows what helps it to predict. Two features with the same information may both seem to matter
 * little. Features of one group are shuffled alike; with one group per column of a table (`featuresByColumn`), this is the same
 * as shuffling the column before it is encoded.
 *
 * The p-value is that of a one-sided t-test of the increases of the rows, each averaged over the repeats. On rows that the model
 * was not trained on, a column that has nothing to do with the others and with the class has an expected increase of 0.
 *
 * In the log-loss, probabilities below 0.001 count as 0.001. The result depends only on the model, the rows, the groups, the
 * metric, the seed and the number of repeats.
 */
export async function permutationImportance<F extends Features>(
  model: Model<F>,
  sample: Sample<F>,
  run?: Partial<Run>,
  { repeats = 5, groups = eachFeature(sample), metric: wanted }: PermutationOptions = {},
): Promise<PermutationImportance> {
  const { rows } = sample;
  if (rows === 0) throw new VouchError("data/no-rows", "There are no rows to measure importance on.");
  if (!Number.isInteger(repeats) || repeats < 1) {
    throw new VouchError("option/invalid", `repeats is ${repeats}, but must be a whole number ≥ 1.`);
  }
  if (sample.features instanceof SparseRows) {
    throw new VouchError("learner/unsupported", "The features of sparse rows cannot be shuffled.", {
      hint: "Convert them to a matrix with features.toMatrix().",
    });
  }
  checkGroups(groups, sample.features.columns);
  const metric = rowMetricFor(model, wanted);
  const sums = await measureBlocks(model, sample, { repeats, groups, metric }, completeRun(run));
  const measured = groups.map(({ name }, g) => ({ feature: name, ...importanceOf(sums, g, repeats, rows) }));
  const adjusted = holm(measured.map(({ p }) => p));
  const features = measured.map((found, g) => ({
    ...found,
    p: adjusted[g],
    matters: adjusted[g] < SIGNIFICANCE,
  }));
  return { metric, loss: sums[0] / rows, features };
}

/** Computes the importance of a group from the sums of all rows. */
function importanceOf(sums: Float64Array, g: number, repeats: number, rows: number) {
  const at = placeOf(g, repeats);
  const increases = Array.from(sums.subarray(at, at + repeats), (sum) => sum / rows);
  const centre = mean(increases);
  const variance = rows < 2 ? 0 : Math.max(0, sums[at + repeats] - rows * centre ** 2) / (rows - 1);
  const se = Math.sqrt(variance / rows);
  return { mean: centre, se, sd: standardDeviation(increases), p: chanceOf(centre, se, rows) };
}

/** Computes the one-sided p-value of a mean increase; if all rows increase by the same amount, that of the sign test. */
function chanceOf(centre: number, se: number, rows: number): number {
  if (rows < 2 || centre === 0) return 1;
  if (se === 0) return centre > 0 ? 2 ** -rows : 1;
  const tail = studentTail(Math.abs(centre) / se, rows - 1);
  return centre > 0 ? tail : 1 - tail;
}

/**
 * The sums of a block of rows: the loss before shuffling; then for each group the increase in each repeat, and the squares of the
 * increases of rows, averaged over the repeats.
 */
function placeOf(group: number, repeats: number): number {
  return 1 + group * (repeats + 1);
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

/** The rows of a sample, and the row from which each gets the shuffled value of a feature. */
interface Shuffling<F extends Features> extends Required<PermutationOptions> {
  readonly features: F & Selectable<F>;
  readonly labels: Int32Array;
  /** The source of row i is at repeat · rows + i; all features of a repeat are shuffled alike. */
  readonly sources: Int32Array;
}

/** Blocks of rows; `to` is exclusive. */
interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Sums the losses of all blocks of rows, in their order, so that the sums are the same on any number of threads. */
async function measureBlocks<F extends Features>(
  model: Model<F>,
  { features, labels, rows }: Sample<F>,
  options: Required<PermutationOptions>,
  run: Run,
): Promise<Float64Array> {
  const sources = shuffledRows(rows, options.repeats, run.seed);
  const shuffling = { ...options, features, labels, sources };
  const blocks = Math.ceil(rows / BLOCK_ROWS);
  // Another thread cannot restore the model of a custom learner without a module.
  if (!isPortable(model.learner)) {
    const own = await measurePart(model, shuffling, { from: 0, to: blocks }, (done) => {
      run.progress({ stage: STAGE, done, total: 1 });
      return checkpoint(run);
    });
    return totalOf(own);
  }
  const { executor, signal } = run;
  const { learner } = model;
  const input = { learner, state: model.toState(), ...shuffling, features: plainFeatures(features) };
  const parts = await executor.map(
    permutedLossesTask,
    partsOf(blocks, executor.threads * TASKS_PER_THREAD).map((part) => ({ ...input, part })),
    {
      ...(signal && { signal }),
      onProgress: (done, total) => run.progress({ stage: STAGE, done, total }),
    },
  );
  return totalOf(parts.flat());
}

function totalOf(blocks: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(blocks[0].length);
  for (const own of blocks) for (let k = 0; k < own.length; k++) total[k] += own[k];
  return total;
}

/** Measures the losses of a model on some blocks of rows. */
const permutedLossesTask = defineTask(
  "evaluate/permuted-losses",
  async (
    {
      learner,
      state,
      features,
      part,
      ...shuffling
    }: Omit<Shuffling<Features>, "features"> & {
      readonly learner: string;
      readonly state: State;
      readonly features: PlainFeatures;
      readonly part: BlockRange;
    },
    context: TaskContext,
  ) => {
    const kind = await learnerNamed(learner);
    const model = await withLearners(() => kind.restore(state));
    return measurePart(model, { ...shuffling, features: featuresFrom(features) }, part, (done) => {
      context.progress(done);
      return context.checkpoint();
    });
  },
);

/** Measures the sums of each block. */
async function measurePart<F extends Features>(
  model: Model<F>,
  shuffling: Shuffling<F>,
  { from, to }: BlockRange,
  pause: (done: number) => Promise<void> | undefined,
): Promise<Float64Array[]> {
  const sums: Float64Array[] = [];
  for (let block = from; block < to; block++) {
    sums.push(
      await measureBlock(model, shuffling, block, (done) => pause((block - from + done) / (to - from))),
    );
  }
  return sums;
}

async function measureBlock<F extends Features>(
  model: Model<F>,
  { features, labels, repeats, groups, metric, sources }: Shuffling<F>,
  block: number,
  pause: (done: number) => Promise<void> | undefined,
): Promise<Float64Array> {
  const all: Selectable<F> = features;
  const begin = block * BLOCK_ROWS;
  const rows = Int32Array.from({ length: Math.min(features.rows - begin, BLOCK_ROWS) }, (_, i) => begin + i);
  const own = labels.subarray(begin, begin + rows.length);
  const cells = all.select(rows);
  const losses = () => lossesOfRows(metric, own, model.classify(cells));
  const before = losses();
  const sums = new Float64Array(placeOf(groups.length, repeats));
  for (const loss of before) sums[0] += loss;
  const increases = new Float64Array(rows.length);
  for (const [g, group] of groups.entries()) {
    const at = placeOf(g, repeats);
    increases.fill(0);
    const take = (from: Int32Array) => {
      for (const j of group.features) copyCells(features, j, from, cells);
    };
    for (let repeat = 0; repeat < repeats; repeat++) {
      await pause(g / groups.length);
      const shift = repeat * features.rows + begin;
      take(sources.subarray(shift, shift + rows.length));
      const after = losses();
      for (let i = 0; i < rows.length; i++) {
        sums[at + repeat] += after[i] - before[i];
        increases[i] += (after[i] - before[i]) / repeats;
      }
    }
    for (const increase of increases) sums[at + repeats] += increase ** 2;
    take(rows);
  }
  return sums;
}

/** Shuffles all rows once for each repeat, on shared memory. */
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

function partsOf(blocks: number, max: number): BlockRange[] {
  const parts = Math.min(max, blocks);
  const start = (p: number) => Math.floor((p * blocks) / parts);
  return Array.from({ length: parts }, (_, p) => ({ from: start(p), to: start(p + 1) }));
}
