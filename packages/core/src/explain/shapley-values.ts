import { BinnedColumns } from "../encode/binned-columns.js";
import type { Encoder } from "../encode/encoder.js";
import { type Features, featuresFrom, type PlainFeatures, sharedFeatures } from "../encode/sample.js";
import type { AdditiveScore, ScoreUnit } from "../learners/additive.js";
import { isPortable, learnerNamed, withLearners } from "../learners/index.js";
import type { Model } from "../learners/model.js";
import type { State } from "../runtime/codec/state.js";
import { Random } from "../runtime/maths/random.js";
import { mean } from "../runtime/maths/statistics.js";
import type { TaskContext } from "../runtime/parallel/executor.js";
import { type Pausable, runWithCheckpoints } from "../runtime/parallel/pausable.js";
import { checkpoint, type Run } from "../runtime/parallel/run.js";
import { defineTask } from "../runtime/parallel/task.js";
import { type FeatureGroup, stackedRows } from "./feature-groups.js";
import { sampledShapley, samplingPlan } from "./sampled-shapley.js";
import { addTreeShapley, treeSumOf } from "./tree-shapley.js";

/** Tasks per thread, so that no thread waits long for the last one. */
const TASKS_PER_THREAD = 4;

/** The encoded rows to explain, and those to compare them with. */
interface ShapleyProblem<F> {
  readonly features: F;
  readonly background: F;
  /** The features of each raw column. */
  readonly groups: readonly FeatureGroup[];
  /** The raw column of each feature. */
  readonly columnOf: readonly number[];
  /** Class of each row whose score is explained. */
  readonly classes: Int32Array;
  readonly seed: number;
  /** Number of the first row in all data; the sampling of a row depends on its number. */
  readonly firstRow: number;
  readonly permutations?: number;
}

/** Shapley values of the raw columns, row after row. */
export interface ShapleyValues {
  readonly values: Float64Array;
  /** Standard errors; NaN for exact values. */
  readonly errors: Float64Array;
  /** Mean score of the background rows, for the class of each row. */
  readonly bases: Float64Array;
  readonly scores: Float64Array;
  readonly units: readonly ScoreUnit[];
}

/** Computes Shapley values of raw columns on the threads of a run, identically for any number of them. */
export async function shapleyValues(
  model: Model,
  problem: ShapleyProblem<Features>,
  run: Run,
): Promise<ShapleyValues> {
  const { rows } = problem.features;
  // Another thread cannot restore the model of a custom learner without a module.
  if (!isPortable(model.learner)) {
    return await runWithCheckpoints(valuesOf(model, problem, problem.firstRow), () => checkpoint(run));
  }
  const { executor, signal } = run;
  const parts = Math.min(rows, executor.threads * TASKS_PER_THREAD);
  const start = (part: number) => Math.floor((part * rows) / parts);
  const input = {
    ...problem,
    learner: model.learner,
    state: model.toState(),
    features: sharedFeatures(problem.features),
    background: sharedFeatures(problem.background),
  };
  const all = await executor.map(
    shapleyTask,
    Array.from({ length: parts }, (_, part) => ({ ...input, from: start(part), to: start(part + 1) })),
    {
      ...(signal && { signal }),
      onProgress: (done, total) => run.progress({ stage: "reasons", done, total }),
    },
  );
  return {
    values: joined(all.map(({ values }) => values)),
    errors: joined(all.map(({ errors }) => errors)),
    bases: joined(all.map(({ bases }) => bases)),
    scores: joined(all.map(({ scores }) => scores)),
    units: all.flatMap(({ units }) => units),
  };
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Explains rows `from` … `to` − 1. */
const shapleyTask = defineTask(
  "explain/shapley-values",
  async (
    {
      learner,
      state,
      from,
      to,
      ...given
    }: ShapleyProblem<PlainFeatures> & {
      readonly learner: string;
      readonly state: State;
      readonly from: number;
      readonly to: number;
    },
    context: TaskContext,
  ) => {
    const kind = await learnerNamed(learner);
    const model = await withLearners(() => kind.restore(state));
    const rows = Int32Array.from({ length: to - from }, (_, i) => from + i);
    const problem = {
      ...given,
      features: featuresFrom(given.features).select(rows),
      background: featuresFrom(given.background),
      classes: given.classes.slice(from, to),
    };
    return await runWithCheckpoints(valuesOf(model, problem, given.firstRow + from), () =>
      context.checkpoint(),
    );
  },
);

/** Unfinished values. */
interface Unfinished extends ShapleyValues {
  readonly units: ScoreUnit[];
}

/** Explains rows class by class; `first` is the number of the first row, on which its sampling depends. */
function* valuesOf(model: Model, problem: ShapleyProblem<Features>, first: number): Pausable<ShapleyValues> {
  const { features, groups, classes } = problem;
  const { rows } = features;
  const result: Unfinished = {
    values: new Float64Array(rows * groups.length),
    errors: new Float64Array(rows * groups.length).fill(Number.NaN),
    bases: new Float64Array(rows),
    scores: new Float64Array(rows),
    units: new Array<ScoreUnit>(rows),
  };
  for (const k of new Set(classes)) {
    const own = Int32Array.from(classes.keys()).filter((i) => classes[i] === k);
    const sum = model.additive?.(k);
    if (!sum) yield* explainBySampling(model, k, problem, own, first, result);
    else if (sum.kind === "trees") yield* explainTrees(sum, problem, own, result);
    else explainTerms(sum, problem, own, result);
    yield;
  }
  return result;
}

/**
 * Explains sums of functions of single features: the value of a column is its term minus the background's mean term.
 */
function explainTerms(
  { unit, base, columnTerms }: Extract<AdditiveScore, { kind: "terms" }>,
  { features, background, groups, columnOf }: ShapleyProblem<Features>,
  rows: Int32Array,
  { values, bases, scores, units }: Unfinished,
): void {
  const columns = groups.length;
  const means = new Float64Array(columns);
  const others = columnTerms(background, columnOf, columns);
  for (let b = 0; b < others.rows; b++) {
    for (let g = 0; g < columns; g++) means[g] += others.values[b * columns + g] / others.rows;
  }
  const terms = columnTerms(features.select(rows), columnOf, columns);
  const baseScore = base + means.reduce((sum, term) => sum + term, 0);
  for (const [r, i] of rows.entries()) {
    let score = base;
    for (let g = 0; g < columns; g++) {
      const term = terms.values[r * columns + g];
      score += term;
      values[i * columns + g] = term - means[g];
    }
    scores[i] = score;
    bases[i] = baseScore;
    units[i] = unit;
  }
}

function* explainTrees(
  sum: Extract<AdditiveScore, { kind: "trees" }>,
  { features, background, groups, columnOf }: ShapleyProblem<Features>,
  rows: Int32Array,
  { values, bases, scores, units }: Unfinished,
): Pausable<void> {
  const columns = groups.length;
  const joint = stackedRows(features, background);
  if (!(joint instanceof BinnedColumns)) throw new TypeError("Trees take binned columns.");
  const others = rowsFrom(features.rows, background.rows);
  const base = mean(treeSumOf(sum, joint, others));
  const sums = new Float64Array(rows.length * columns);
  yield* addTreeShapley(sum, { features: joint, rows, background: others, columnOf, columns }, sums);
  const own = treeSumOf(sum, joint, rows);
  rows.forEach((i, r) => {
    values.set(sums.subarray(r * columns, (r + 1) * columns), i * columns);
    scores[i] = own[r];
    bases[i] = base;
    units[i] = sum.unit;
  });
}

function* explainBySampling(
  model: Model,
  classIndex: number,
  { features, background, groups, seed, permutations }: ShapleyProblem<Features>,
  rows: Int32Array,
  first: number,
  { values, errors, bases, scores, units }: Unfinished,
): Pausable<void> {
  const columns = groups.length;
  const joint = stackedRows(features, background);
  const scoresOf = (block: Features) => {
    const { values: all, columns: width } = model.scores(block);
    return Float64Array.from({ length: block.rows }, (_, i) => all[i * width + classIndex]);
  };
  const plan = samplingPlan(columns, background.rows, permutations);
  const others = rowsFrom(features.rows, plan.rows);
  const backgroundScores = scoresOf(joint.select(others));
  const own = scoresOf(joint.select(rows));
  const sampling = { features: joint, groups, background: others, backgroundScores, pairs: plan.pairs };
  for (const [r, row] of rows.entries()) {
    const random = new Random(seed).fork(first + row);
    const found = yield* sampledShapley({ ...sampling, scoresOf, row, score: own[r] }, random);
    values.set(found.values, row * columns);
    errors.set(found.errors, row * columns);
    scores[row] = own[r];
    bases[row] = mean(backgroundScores);
    units[row] = model.scoring === "probability" ? "probability" : "decision value";
  }
}

/** Computes the scores that Shapley values explain, for one class per row and in the same unit. */
export function explainedScores(
  model: Model,
  features: Features,
  classes: Int32Array,
  encoder: Pick<Encoder, "featureColumns" | "schema">,
): Float64Array {
  const scores = new Float64Array(features.rows);
  for (const k of new Set(classes)) {
    const own = Int32Array.from(classes.keys()).filter((i) => classes[i] === k);
    const found = scoresOfClass(model, k, features.select(own), encoder);
    for (const [r, i] of own.entries()) scores[i] = found[r];
  }
  return scores;
}

function scoresOfClass(
  model: Model,
  k: number,
  features: Features,
  { featureColumns, schema }: Pick<Encoder, "featureColumns" | "schema">,
): Float64Array {
  const sum = model.additive?.(k);
  if (!sum) {
    const { values, columns } = model.scores(features);
    return Float64Array.from({ length: features.rows }, (_, i) => values[i * columns + k]);
  }
  if (sum.kind === "trees") {
    if (!(features instanceof BinnedColumns)) throw new TypeError("Trees take binned columns.");
    return treeSumOf(sum, features, rowsFrom(0, features.rows));
  }
  const { values, columns } = sum.columnTerms(features, featureColumns, schema.columns.length);
  const scores = new Float64Array(features.rows).fill(sum.base);
  for (let i = 0; i < values.length; i++) scores[Math.floor(i / columns)] += values[i];
  return scores;
}

function rowsFrom(first: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => first + i);
}
