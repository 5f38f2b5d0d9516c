import * as real from "../../runtime/maths/portable-math.js";
import { definePausableRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import { type Pausable, runOnThreads, type Threads } from "../../runtime/parallel/pausable.js";
import { LEAST_PROBABILITY, selectGreedily } from "./greedy-selection.js";
import { fitLogLinearPool } from "./log-linear-pool.js";
import { type Pool, pooledProbabilities } from "./pool.js";

/** The members' probabilities of rows that they did not see. */
export interface OutOfFoldMembers {
  /** Rows × classes, one per member. */
  readonly probabilities: readonly Float64Array[];
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weights of the rows; 1 each if absent. */
  readonly weights?: Float64Array | undefined;
  /** The fold that tested each row. */
  readonly foldOf: Int32Array;
}

/** The losses that pools are chosen by. */
export type PoolMetric = "error" | "log-loss";

export interface PoolChoice {
  /** With "auto", the log-linear pool is taken if its cross-fitted loss is smaller. */
  readonly combine: "average" | "log-linear" | "auto";
  readonly metric: PoolMetric;
}

/** A pool, and the probabilities of rows that its weights were not fitted to. */
export interface ChosenPool extends Pool {
  /** Rows × classes. Those of each fold come from weights that the other folds have fitted. */
  readonly outOfFold: Float64Array;
}

/** Rows per parameter of a log-linear pool, at least. */
const ROWS_PER_PARAMETER = 8;

/** Rough operations to fit pools to a cell. */
const CELL = 500;

/**
 * Chooses the weights of members by out-of-fold rows, on the threads of the run. With a single fold there is nothing to compare
 * by: its rows fit the weights and are pooled with them.
 */
export async function choosePool(
  members: OutOfFoldMembers,
  choice: PoolChoice,
  run: Threads,
): Promise<ChosenPool> {
  const { probabilities, labels, classes, foldOf } = members;
  const found = [...new Set(foldOf)].sort((a, b) => a - b);
  const folds = found.length > 1 ? found : [];
  const methods = methodsOf(members, choice).slice(0, folds.length > 0 ? 2 : 1);
  const leftOut = [undefined, ...folds];
  const work = CELL * labels.length * classes * probabilities.length;
  const outputs = forRanges(poolTask, { count: leftOut.length, work }, (begin, end) => {
    return { members, methods, metric: choice.metric, folds: leftOut.slice(begin, end) };
  });
  const [{ pools }, ...tested] = (await runOnThreads(outputs, run)).flat();
  if (folds.length === 0) {
    const [pool] = pools;
    return { ...pool, outOfFold: pooledProbabilities(pool, probabilities, classes) };
  }
  const pooled = methods.map((_, method) =>
    joinedFolds(
      members,
      folds,
      tested.map((own) => own.tested[method]),
    ),
  );
  const chosen = pooled.length === 2 && isBetterPool(pooled[1], pooled[0], choice.metric, members) ? 1 : 0;
  return { ...pools[chosen], outOfFold: pooled[chosen] };
}

/** Computes error and log-loss of probabilities on labelled rows. */
export function lossesOf(
  probabilities: Float64Array,
  { labels, classes, weights }: Pick<OutOfFoldMembers, "labels" | "classes" | "weights">,
): { readonly error: number; readonly logLoss: number } {
  const { errors, logLosses } = rowLossesOf(probabilities, labels, classes);
  return { error: weightedMean(errors, weights), logLoss: weightedMean(logLosses, weights) };
}

function methodsOf(
  { labels, classes, probabilities }: OutOfFoldMembers,
  { combine }: PoolChoice,
): readonly Pool["combine"][] {
  if (combine !== "auto") return [combine];
  const enough = labels.length >= ROWS_PER_PARAMETER * (classes + probabilities.length);
  return probabilities.length > 1 && enough ? ["average", "log-linear"] : ["average"];
}

interface PoolInput {
  readonly members: OutOfFoldMembers;
  readonly methods: readonly Pool["combine"][];
  readonly metric: PoolMetric;
  /** Folds that are left out and tested; undefined for a pool of all rows. */
  readonly folds: readonly (number | undefined)[];
}

interface PoolOutput {
  /** One per method. */
  readonly pools: readonly Pool[];
  /** Pooled probabilities of the rows of the fold, one per method. */
  readonly tested: readonly Float64Array[];
}

/** For each fold, fits pools to all other rows, and pools the rows of the fold with them. */
const poolTask = definePausableRangeTask(
  "ensemble/pool",
  function* ({ members, methods, metric, folds }: PoolInput): Pausable<PoolOutput[]> {
    const outputs: PoolOutput[] = [];
    for (const fold of folds) {
      const fitted = rowsWhere(members, (own) => own !== fold);
      const left = fold === undefined ? undefined : rowsWhere(members, (own) => own === fold);
      const pools: Pool[] = [];
      const tested: Float64Array[] = [];
      for (const combine of methods) {
        yield;
        const pool = fitPool(fitted, combine, metric);
        pools.push(pool);
        if (left) tested.push(pooledProbabilities(pool, left.probabilities, left.classes));
      }
      outputs.push({ pools, tested });
    }
    return outputs;
  },
);

function fitPool(members: OutOfFoldMembers, combine: Pool["combine"], metric: PoolMetric): Pool {
  const { probabilities, labels, classes, weights } = members;
  if (combine === "log-linear") {
    return { combine, ...fitLogLinearPool(probabilities, labels, classes, { weights }) };
  }
  const selected = selectGreedily(probabilities, { kind: metric, labels, classes, weights });
  return { combine, weights: selected, offsets: new Float64Array(0) };
}

function rowsWhere(members: OutOfFoldMembers, isTaken: (fold: number) => boolean): OutOfFoldMembers {
  const { foldOf, classes, weights, labels } = members;
  const rows = Int32Array.from(foldOf.keys()).filter((row) => isTaken(foldOf[row]));
  if (rows.length === foldOf.length) return members;
  const probabilities = members.probabilities.map((from) => {
    const to = new Float64Array(rows.length * classes);
    for (let i = 0; i < rows.length; i++) {
      to.set(from.subarray(rows[i] * classes, (rows[i] + 1) * classes), i * classes);
    }
    return to;
  });
  return {
    probabilities,
    classes,
    labels: Int32Array.from(rows, (row) => labels[row]),
    foldOf: Int32Array.from(rows, (row) => foldOf[row]),
    weights: weights && Float64Array.from(rows, (row) => weights[row]),
  };
}

/** The losses of each row. */
export interface RowLosses {
  /** 1 for a wrong row, otherwise 0. */
  readonly errors: Float64Array;
  readonly logLosses: Float64Array;
}

/** Computes the losses of each row. */
export function rowLossesOf(probabilities: Float64Array, labels: Int32Array, classes: number): RowLosses {
  const errors = new Float64Array(labels.length);
  const logLosses = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) {
    const start = i * classes;
    let place = 0;
    for (let k = 1; k < classes; k++) if (probabilities[start + k] > probabilities[start + place]) place = k;
    errors[i] = place === labels[i] ? 0 : 1;
    const own = labels[i] < 0 ? 0 : probabilities[start + labels[i]];
    logLosses[i] = -real.log(Math.max(LEAST_PROBABILITY, own));
  }
  return { errors, logLosses };
}

/** Puts the rows of all folds at their places among all rows. */
function joinedFolds(
  { foldOf, classes }: OutOfFoldMembers,
  folds: readonly number[],
  parts: readonly Float64Array[],
): Float64Array {
  const joined = new Float64Array(foldOf.length * classes);
  const next = new Int32Array(folds.length);
  for (let row = 0; row < foldOf.length; row++) {
    const fold = folds.indexOf(foldOf[row]);
    const at = next[fold]++ * classes;
    joined.set(parts[fold].subarray(at, at + classes), row * classes);
  }
  return joined;
}

/** Returns whether the mean loss of probabilities is smaller than that of others; the log-loss decides between equal errors. */
function isBetterPool(
  probabilities: Float64Array,
  than: Float64Array,
  metric: PoolMetric,
  members: OutOfFoldMembers,
): boolean {
  const [own, other] = [probabilities, than].map((each) => lossesOf(each, members));
  if (metric === "error" && own.error !== other.error) return own.error < other.error;
  return own.logLoss < other.logLoss;
}

function weightedMean(values: Float64Array, weights: Float64Array | undefined): number {
  let [sum, total] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const weight = weights?.[i] ?? 1;
    sum += weight * values[i];
    total += weight;
  }
  return sum / total;
}
