import { createLearner, isLibraryLearner, isPortableLearner } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import type { Executor, MapOptions, TaskContext } from "../runtime/parallel/executor.js";
import type { Run } from "../runtime/parallel/run.js";
import { definePortableTask } from "../runtime/parallel/task.js";
import { taskRun } from "../runtime/parallel/task-run.js";
import type { Column } from "../table/column.js";
import { SparseValues } from "../table/sparse-cells.js";
import { Table } from "../table/table.js";
import type { Labelled, LabelledRows } from "../table/target.js";
import { growthFamilies } from "./growth-families.js";
import { type TrainTestSplit, type Trial, type TrialOptions, TrialRows, tryLearners } from "./trial.js";

/** Parallel fits each encode the rows; with more cells than this, fits run one by one. */
const MAX_PARALLEL_CELLS = 4_000_000;

/**
 * Shorter fits, in total seconds, run one by one, because starting threads and loading learners there takes as long.
 */
const MIN_SECONDS_TO_START = 0.5;

/** Learners to try on one division. */
interface TrialWork {
  readonly learners: readonly Learner[];
  readonly division: TrainTestSplit;
}

/**
 * Tries learners on every division; trials are ordered by division, then by learner. Independent fits run in parallel.
 * With at least as many divisions as threads, each division is a task, otherwise each fit. With fewer fits than
 * threads, and for custom learners that other threads cannot create, learners use the threads themselves, and fits run
 * in sequence, or `together`. Fits known to be short run in sequence. A cluster gets every fit as a task, if there are
 * several. The results are identical in all cases.
 */
export async function runTrials(
  learners: readonly Learner[],
  divisions: readonly TrainTestSplit[],
  stage: string,
  run: Run,
  options: TrialOptions = {},
): Promise<Trial[][]> {
  const { executor, signal } = run;
  const families = growthFamilies(learners).map(({ members }) => members.map(({ candidate }) => candidate));
  const onCluster = executor.cluster !== undefined && learners.every(isLibraryLearner);
  const together = divisions.length >= countThreads(executor) ? [[...learners.keys()]] : families;
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
  const isLong = total * (options.fitSeconds ?? Number.POSITIVE_INFINITY) >= MIN_SECONDS_TO_START;
  const isDivided = onCluster ? total > 1 : executor.threads > 1 && total >= executor.threads && portable;
  if (isDivided && isLong) {
    const inputs = work.map((each) => trialInput(each, run.seed, options));
    const found = await executor.map(trialTask, inputs, {
      ...(signal && { signal }),
      ...onMachines(executor, total, divisions),
      onProgress: (done, _, note) =>
        run.progress({ stage, done, total, ...(note !== undefined && { note }) }),
    });
    found.forEach((trials, i) => {
      keep(i, trials);
    });
    return results;
  }
  const done = new Float64Array(total);
  const tryOne = async (i: number, rows: TrialRows) => {
    const advance = (fraction: number, note?: string) => {
      done[i] = fraction;
      run.progress({ stage, done: sum(done), total, ...(note !== undefined && { note }) });
    };
    const progress: Run["progress"] = (part) => advance(part.done, part.stage);
    keep(i, await tryLearners(work[i].learners, rows, { ...run, progress }, options));
    advance(1);
  };
  if (options.together && executor.threads > 1 && isLong && fitsTogether(divisions)) {
    // Fits that wait for each other's last task would leave threads idle.
    await allOf(work.map(({ division }, i) => tryOne(i, new TrialRows(division))));
    return results;
  }
  let current: { readonly division: TrainTestSplit; readonly rows: TrialRows } | undefined;
  for (const [i, { division }] of work.entries()) {
    if (current?.division !== division) current = { division, rows: new TrialRows(division) };
    await tryOne(i, current.rows);
  }
  return results;
}

/** Waits for all work, then throws the first error, so that nothing keeps running. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(work))
    if (outcome.status === "rejected") throw outcome.reason;
}

/** Returns the number of simultaneous fits if each has a thread, on this machine or on a cluster. */
export function countThreads({ cluster, threads }: Executor): number {
  return cluster?.threads ?? threads;
}

/** Fits that leave threads of the cluster idle, or need much memory, get all threads of a machine. */
function onMachines(executor: Executor, fits: number, divisions: readonly TrainTestSplit[]): MapOptions {
  if (!executor.cluster) return {};
  const cells = divisions.map(countCells);
  const rows = divisions.reduce((sum, { data }) => sum + data.labels.length, 0);
  return {
    rows: (rows * fits) / divisions.length,
    wholeMachines: fits < executor.cluster.threads || Math.max(...cells) > MAX_PARALLEL_CELLS,
  };
}

function countCells({ data, train }: TrainTestSplit): number {
  return (train?.length ?? data.labels.length) * data.features.columns.length;
}

function fitsTogether(divisions: readonly TrainTestSplit[]): boolean {
  const cells = divisions.map(({ data }) => data.labels.length * data.features.columns.length);
  return cells.reduce((all, own) => all + own, 0) <= MAX_PARALLEL_CELLS;
}

function sum(values: Float64Array): number {
  return values.reduce((all, own) => all + own, 0);
}

/** Starting threads and loading learners takes a moment, too long for a shorter time limit. */
const LEAST_SECONDS = 20;

/**
 * Returns whether learners can be tried in parallel: other threads can create them, their rows fit into memory, and the
 * time limit, if any, is long enough to start threads.
 */
export function canRunInParallel(
  learners: readonly Learner[],
  division: TrainTestSplit,
  { executor }: Run,
  seconds = Number.POSITIVE_INFINITY,
): boolean {
  if (seconds < LEAST_SECONDS) return false;
  const isKnown = executor.cluster ? isLibraryLearner : isPortableLearner;
  if (countThreads(executor) === 1 || !learners.every(isKnown)) return false;
  return countCells(division) <= MAX_PARALLEL_CELLS;
}

/** Tries learners on a thread of the pool or of a cluster, in parallel with other work. */
export async function tryOnThread(
  learners: readonly Learner[],
  division: TrainTestSplit,
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
  /** Identifies the division, so that a thread encodes its rows once. */
  readonly key: string;
  readonly learners: readonly Pick<Learner, "name" | "options">[];
  readonly data: PlainRows & Pick<Labelled, "target" | "classes" | "classWeights">;
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

const keys = new WeakMap<TrainTestSplit, string>();

function makeKey(division: TrainTestSplit): string {
  const key = keys.get(division) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  keys.set(division, key);
  return key;
}

function trialInput({ learners, division }: TrialWork, seed: number, options: TrialOptions): TrialInput {
  const { data, train, test } = division;
  const { facts = false, bytes = false, scores = 0, warmUp = false } = options;
  return {
    key: makeKey(division),
    learners: learners.map(({ name, options }) => ({ name, options })),
    data: {
      ...plainRows(data),
      target: data.target,
      classes: data.classes,
      classWeights: data.classWeights,
    },
    ...(train && { train }),
    test: test instanceof Int32Array ? test : plainRows(test),
    seed,
    options: { facts, bytes, scores, warmUp },
  };
}

function plainRows({ features, labels }: Pick<LabelledRows, "features" | "labels">): PlainRows {
  return { name: features.name, columns: features.columns, labels };
}

function rowsFrom({ name, columns, labels }: PlainRows): LabelledRows {
  return { features: new Table(name, labels.length, columns.map(columnFrom)), labels, notices: [] };
}

/** Restores a column that was sent; the values of a sparse one have become a plain object. */
function columnFrom(column: Column): Column {
  if (column.kind !== "numeric" || ArrayBuffer.isView(column.values)) return column;
  const { length, ...cells } = column.values;
  return { ...column, values: new SparseValues(length, cells) };
}

/** The encoded rows of the last division on this thread. */
let recent: { readonly key: string; readonly rows: TrialRows } | undefined;

function makeTrialRows({ key, data, train, test }: TrialInput): TrialRows {
  if (recent?.key !== key) {
    const { target, classes, classWeights } = data;
    const division: TrainTestSplit = {
      data: { ...rowsFrom(data), target, classes, classWeights },
      ...(train && { train }),
      test: test instanceof Int32Array ? test : rowsFrom(test),
    };
    recent = { key, rows: new TrialRows(division) };
  }
  return recent.rows;
}

/** Makes the trials of some learners on one division. */
const trialTask = definePortableTask(
  "validation/trial",
  async (input: TrialInput, context: TaskContext): Promise<Trial[]> => {
    const learners = await Promise.all(
      input.learners.map(({ name, options }) => createLearner(name, options)),
    );
    const run = taskRun(context, {
      seed: input.seed,
      progress: ({ done, stage }) => context.progress(done, stage),
    });
    await context.checkpoint();
    return tryLearners(learners, makeTrialRows(input), run, input.options);
  },
);
