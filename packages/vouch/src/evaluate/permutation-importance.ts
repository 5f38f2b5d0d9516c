import { BinnedColumns } from "../encode/binned-columns.js";
import type { Encoder } from "../encode/encoder.js";
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
import { Matrix } from "../runtime/matrix.js";
import { Random } from "../runtime/random.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { sharedBuffer } from "../runtime/shared-array.js";
import { SparseRows } from "../runtime/sparse-rows.js";
import type { State } from "../runtime/state.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import { defineTask } from "../runtime/task.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Rows that are classified between two checkpoints. */
const BLOCK_ROWS = 512;

/** Tasks per thread, so that no thread waits long for the last one. */
const TASKS_PER_THREAD = 4;

const STAGE = "permutation importance";

/** Features that are shuffled together, such as all features of one column of a table. */
export interface FeatureGroup {
  readonly name: string;
  readonly features: readonly number[];
}

/** Groups the features of an encoder by raw column, in the order of its schema. */
export function featuresByColumn({
  schema,
  featureColumns,
}: Pick<Encoder, "schema" | "featureColumns">): FeatureGroup[] {
  const features = schema.columns.map((): number[] => []);
  featureColumns.forEach((column, feature) => {
    features[column].push(feature);
  });
  return schema.columns.map(({ name }, column) => ({ name, features: features[column] }));
}

/** The importance of one feature, or of one group of features. */
export interface FeatureImportance {
  /** Name of the feature or group. */
  readonly feature: string;
  /** Mean increase of the error when it is shuffled. */
  readonly mean: number;
  /** Standard deviation of the increase over the repeats; 0 for a single one. */
  readonly sd: number;
}

/** The importance of all features for a model on some rows. */
export interface PermutationImportance {
  /** Error on the rows before shuffling. */
  readonly error: number;
  /** One per feature or group, in their order. */
  readonly features: readonly FeatureImportance[];
}

/** How to measure importance. */
export interface PermutationOptions {
  /** Number of shuffles; the default is 5. */
  readonly repeats?: number;
  /** Features to shuffle together; by default, each feature by itself. */
  readonly groups?: readonly FeatureGroup[];
}

/**
 * Measures permutation importance (Breiman 2001, section 10): the increase of a model's error when the values of one feature are
 * shuffled among the rows, so that it says nothing about the class. Works for every model. On training rows it shows what the
 * model relies on, on other rows what helps it to predict. Two features with the same information may both seem to matter
 * little. Features of one group are shuffled alike; with one group per column of a table (`featuresByColumn`), this is the same
 * as shuffling the column before it is encoded.
 *
 * The result depends only on the model, the rows, the groups, the seed and the number of repeats.
 */
export async function permutationImportance<F extends Features>(
  model: Model<F>,
  sample: Sample<F>,
  run?: Partial<Run>,
  { repeats = 5, groups = eachFeature(sample) }: PermutationOptions = {},
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
  const counts = await countShuffledErrors(model, sample, { repeats, groups }, completeRun(run));
  const error = counts[0] / rows;
  const features = groups.map(({ name }, g) => {
    const own = counts.subarray(1 + g * repeats, 1 + (g + 1) * repeats);
    const increases = Array.from(own, (count) => count / rows - error);
    return { feature: name, mean: mean(increases), sd: standardDeviation(increases) };
  });
  return { error, features };
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
interface Shuffling<F extends Features> {
  readonly features: F & Selectable<F>;
  readonly labels: Int32Array;
  readonly repeats: number;
  readonly groups: readonly FeatureGroup[];
  /** The source of row i is at repeat · rows + i; all features of a repeat are shuffled alike. */
  readonly sources: Int32Array;
}

/** Rows of a sample; `to` is exclusive. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Counts the errors of a model on the rows before shuffling, then with the first group shuffled, repeat by repeat, then with the
 * second, and so on. Counts are the same on any number of threads.
 */
async function countShuffledErrors<F extends Features>(
  model: Model<F>,
  { features, labels, rows }: Sample<F>,
  { repeats, groups }: Required<PermutationOptions>,
  run: Run,
): Promise<Int32Array> {
  const shuffling = { features, labels, repeats, groups, sources: shuffledRows(rows, repeats, run.seed) };
  // Another thread cannot restore the model of a custom learner without a module.
  if (!isPortable(model.learner)) {
    return countPart(model, shuffling, { from: 0, to: rows }, (done) => {
      run.progress({ stage: STAGE, done, total: 1 });
      return checkpoint(run);
    });
  }
  const { executor, signal } = run;
  const { learner } = model;
  const input = { learner, state: model.toState(), ...shuffling, features: plainFeatures(features) };
  const counts = await executor.map(
    permutedErrorsTask,
    partsOf(rows, executor.threads * TASKS_PER_THREAD).map((part) => ({ ...input, part })),
    {
      ...(signal && { signal }),
      onProgress: (done, total) => run.progress({ stage: STAGE, done, total }),
    },
  );
  return counts.reduce((sum, own) => sum.map((count, k) => count + own[k]));
}

/** Counts the errors of a model on a part of the rows. */
const permutedErrorsTask = defineTask(
  "evaluate/permuted-errors",
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
      readonly part: RowRange;
    },
    context: TaskContext,
  ) => {
    const kind = await learnerNamed(learner);
    const model = await withLearners(() => kind.restore(state));
    return countPart(model, { ...shuffling, features: featuresFrom(features) }, part, (done) => {
      context.progress(done);
      return context.checkpoint();
    });
  },
);

async function countPart<F extends Features>(
  model: Model<F>,
  { features, labels, repeats, groups, sources }: Shuffling<F>,
  { from, to }: RowRange,
  pause: (done: number) => Promise<void> | undefined,
): Promise<Int32Array> {
  const all: Selectable<F> = features;
  const counts = new Int32Array(1 + groups.length * repeats);
  for (let begin = from; begin < to; begin += BLOCK_ROWS) {
    const rows = Int32Array.from({ length: Math.min(to - begin, BLOCK_ROWS) }, (_, i) => begin + i);
    const block = all.select(rows);
    const wrong = () => model.predict(block).reduce((sum, k, i) => sum + Number(k !== labels[begin + i]), 0);
    counts[0] += wrong();
    for (const [g, group] of groups.entries()) {
      const take = (sources: Int32Array) => {
        for (const j of group.features) copyCells(features, j, sources, block);
      };
      for (let repeat = 0; repeat < repeats; repeat++) {
        await pause((begin - from + (rows.length * g) / groups.length) / (to - from));
        const shift = repeat * features.rows + begin;
        take(sources.subarray(shift, shift + rows.length));
        counts[1 + g * repeats + repeat] += wrong();
      }
      take(rows);
    }
  }
  return counts;
}

/** Sets feature j of a block to its values in the given rows of all features. */
function copyCells(features: Features, j: number, rows: Int32Array, block: Features): void {
  if (features instanceof Matrix && block instanceof Matrix) {
    const { columns, values } = features;
    for (let i = 0; i < rows.length; i++) block.values[i * columns + j] = values[rows[i] * columns + j];
  } else if (features instanceof BinnedColumns && block instanceof BinnedColumns) {
    const cells = features.column(j);
    const own = block.column(j);
    for (let i = 0; i < rows.length; i++) own[i] = cells[rows[i]];
  }
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

function partsOf(rows: number, max: number): RowRange[] {
  const parts = Math.min(max, Math.ceil(rows / BLOCK_ROWS));
  const start = (p: number) => Math.floor((p * rows) / parts);
  return Array.from({ length: parts }, (_, p) => ({ from: start(p), to: start(p + 1) }));
}
