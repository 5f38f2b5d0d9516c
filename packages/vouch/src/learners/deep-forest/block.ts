import type { BinnedColumns } from "../../encode/binned-columns.js";
import { settleAll } from "../../runtime/event-loop.js";
import { Matrix } from "../../runtime/matrix.js";
import { seedAt } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import type { Split } from "../../table/splits.js";
import { forestScores, forestScoresAtOnce } from "../forest/forest-scores.js";
import { type ForestPlan, growForests } from "../forest/grow-forest.js";
import { predictionsOf } from "../scores.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import { TreeSet } from "../tree/tree-set.js";
import type { FittedMember } from "./deep-forest-parts.js";
import { type LayerInput, meanOf } from "./layer-input.js";
import {
  type EncodedModel,
  encodedScores,
  type ForestMember,
  fitEncoded,
  type LayerTarget,
  type LearnerMember,
  type Member,
} from "./members.js";

/** The training rows of a deep forest. */
export interface TrainingRows {
  readonly features: BinnedColumns;
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  /** Weights that sum to one. */
  readonly distribution: Float64Array;
}

/** The training rows of a block. */
export interface BlockRows extends LayerTarget {
  readonly input: LayerInput;
  /** The same columns, laid out for trees. */
  readonly columns: TreeColumns;
}

/** A trained member, and the out-of-fold class vectors of the training rows. */
export interface BlockMember {
  readonly member: FittedMember;
  readonly outOfFold: Matrix;
}

/**
 * Trains the random forests block (Algorithm 1): every member is trained k times, each time without one of k folds, which the
 * members share. The class vector of a training row comes from the model trained without it; that of another row is the
 * mean over the folds (`memberScores`).
 */
export async function fitBlock(
  rows: BlockRows,
  members: readonly Member[],
  folds: readonly Split[],
  run: Run,
): Promise<BlockMember[]> {
  checkFolds(folds, rows.labels.length);
  return await fitFolds(rows, members, folds, run);
}

/** Trains a block on folds of some of the rows; the class vectors of the others are zeros. */
export async function fitFolds(
  rows: BlockRows,
  members: readonly Member[],
  folds: readonly Split[],
  run: Run,
): Promise<BlockMember[]> {
  const shared = folds.map(({ train, test }) => ({
    train: onSharedMemory(train),
    test: onSharedMemory(test),
  }));
  const fitted: (BlockMember | undefined)[] = members.map(() => undefined);
  // Learners first: one that does not give probabilities fails before the forests are grown.
  for (const [m, member] of members.entries()) {
    if (member.kind === "learner") {
      fitted[m] = await fitLearner(rows, member, shared, { ...run, seed: seedAt(run.seed, m) });
    }
  }
  await growMembers(rows, members, shared, run, (m, member) => {
    fitted[m] = member;
  });
  return fitted.filter((member) => member !== undefined);
}

/** Returns the class vectors of new rows: the mean over the folds of a member. */
export function memberScores(member: FittedMember, input: LayerInput): Matrix {
  if (member.kind === "forest") return forestScoresAtOnce(member.trees, input.columns());
  const table = input.table();
  return meanOf(member.folds.map((model) => encodedScores(model, table)));
}

/** Throws unless each row is tested by one fold, and no fold tests a row that it trains on. */
function checkFolds(folds: readonly Split[], rows: number): void {
  const testedBy = new Int32Array(rows).fill(-1);
  folds.forEach(({ test }, fold) => {
    for (const row of test) {
      if (testedBy[row] !== -1) throw new Error(`Row ${row + 1} is tested by more than one fold.`);
      testedBy[row] = fold;
    }
  });
  folds.forEach(({ train }, fold) => {
    for (const row of train) {
      if (testedBy[row] === fold) throw new Error(`Row ${row + 1} is tested by a fold that trains on it.`);
    }
  });
  const left = testedBy.indexOf(-1);
  if (left >= 0) throw new Error(`Row ${left + 1} is tested by no fold.`);
}

/** Grows the trees of all forests and folds together. */
async function growMembers(
  { columns, labels, classes, weights }: BlockRows,
  members: readonly Member[],
  folds: readonly Split[],
  run: Run,
  onMember: (m: number, member: BlockMember) => void,
): Promise<void> {
  const forests = members.flatMap((member, m) => (member.kind === "forest" ? [{ m, member }] : []));
  if (forests.length === 0) return;
  const plans = forests.flatMap(({ m, member }) =>
    folds.map(({ train }, fold) => planOf(member, columns.columns, train, seedAt(run.seed, m, fold))),
  );
  const target = { labels, classes: classes.length, ...(weights && { weights }) };
  const grown = await growForests(columns, target, plans, run);
  const outOfFold = forests.map(() => new Matrix(labels.length, classes.length));
  const scoresRun = { ...run, progress: () => {} };
  let done = 0;
  // All together: threads need not wait for the last rows of each forest and fold.
  await settleAll(
    grown.map(async (trees, k) => {
      const { test } = folds[k % folds.length];
      const scores = await forestScores(trees, columns, test, scoresRun);
      place(scores, test, outOfFold[Math.floor(k / folds.length)]);
      run.progress({ stage: "scores", done: ++done, total: grown.length });
    }),
  );
  forests.forEach(({ m, member }, f) => {
    const trees = TreeSet.concat(grown.slice(f * folds.length, (f + 1) * folds.length));
    onMember(m, { member: { kind: "forest", name: member.name, trees }, outOfFold: outOfFold[f] });
  });
}

function planOf(member: ForestMember, columns: number, rows: Int32Array, seed: number): ForestPlan {
  const { trees, bootstrap } = member;
  return { growth: member.growth(columns), trees, bootstrap, seed, rows };
}

/** Trains a learner without each fold, one after the other: it uses the threads itself. */
async function fitLearner(
  { input, labels, classes, weights }: BlockRows,
  { learner }: LearnerMember,
  folds: readonly Split[],
  run: Run,
): Promise<BlockMember> {
  const table = input.table();
  const outOfFold = new Matrix(labels.length, classes.length);
  const models: EncodedModel[] = [];
  for (const [fold, { train, test }] of folds.entries()) {
    const target = {
      classes,
      labels: train.map((row) => labels[row]),
      ...(weights && { weights: Float64Array.from(train, (row) => weights[row]) }),
    };
    const own = { ...run, seed: seedAt(run.seed, fold) };
    const model = await fitEncoded(learner, table.select(train), target, own);
    place(encodedScores(model, table.select(test)), test, outOfFold);
    models.push(model);
  }
  return { member: { kind: "learner", name: learner.name, folds: models }, outOfFold };
}

/** Writes the scores of some rows to their places among all. */
function place(scores: Matrix, rows: Int32Array, to: Matrix): void {
  const { columns } = to;
  for (let i = 0; i < rows.length; i++) {
    for (let k = 0; k < columns; k++) to.values[rows[i] * columns + k] = scores.values[i * columns + k];
  }
}

/** Returns the weighted share of rows that scores get right. */
export function accuracyOf(scores: Matrix, labels: Int32Array, distribution: Float64Array): number {
  const predictions = predictionsOf(scores);
  let right = 0;
  let all = 0;
  for (let i = 0; i < labels.length; i++) {
    all += distribution[i];
    if (predictions[i] === labels[i]) right += distribution[i];
  }
  return right / all;
}

/** Scales weights to 1 on average; undefined if all are equal, which is faster. */
export function treeWeights(distribution: Float64Array): Float64Array | undefined {
  if (distribution.every((share) => share === distribution[0])) return undefined;
  return distribution.map((share) => share * distribution.length);
}
