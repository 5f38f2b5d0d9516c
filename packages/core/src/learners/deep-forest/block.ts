import type { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { seedAt } from "../../runtime/maths/random.js";
import { type Pausable, runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import type { Split } from "../../table/splits.js";
import type { ForestPlan } from "../forest/forest-thread.js";
import { ForestVotes } from "../forest/forest-votes.js";
import { growJointly } from "../forest/grow-forest.js";
import { forestScores, walksRowByRow } from "../tree/score-trees.js";
import type { TreeColumns } from "../tree/tree-columns.js";
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
 * members share. The class vector of a training row comes from the model trained without it; the vector of another row is the
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

/** Computes the class vectors of new rows: the mean over the folds of a member. `columns` are the input laid out for trees. */
export function* memberScores(
  member: FittedMember,
  input: LayerInput,
  columns?: TreeColumns,
): Pausable<Matrix> {
  if (member.kind === "forest") return yield* forestScores(member.trees, columns ?? input.columns());
  const table = input.table();
  const scores: Matrix[] = [];
  for (const model of member.folds) {
    scores.push(encodedScores(model, table));
    yield;
  }
  return meanOf(scores);
}

/** Whether a member predicts rows faster where they are than in WebAssembly memory. */
export function walksWithoutCopy(member: FittedMember, rows: number): boolean {
  return member.kind !== "forest" || walksRowByRow(member.trees, rows);
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

/** Grows the trees of all forests and folds together. Each tree votes on the rows of its fold as soon as it is grown. */
async function growMembers(
  { columns, labels, classes, weights }: BlockRows,
  members: readonly Member[],
  folds: readonly Split[],
  run: Run,
  onMember: (m: number, member: BlockMember) => void,
): Promise<void> {
  const forests = members.flatMap((member, m) => (member.kind === "forest" ? [{ m, member }] : []));
  if (forests.length === 0) return;
  using votes = new ForestVotes(columns, classes.length);
  const tests = folds.map(({ test }) => votes.list(test));
  const buffers = forests.map(({ member }) => votes.allocate(member.trees));
  const groups = forests.map(({ m, member }, f) =>
    folds.map(({ train }, fold) => ({
      ...planOf(member, columns.columns, train, seedAt(run.seed, m, fold)),
      votes: { ...buffers[f], rows: tests[fold] },
    })),
  );
  const target = { labels, classes: classes.length, ...(weights && { weights }) };
  const grown = await growJointly(columns, target, groups, run);
  const shared = onSharedMemory(labels);
  for (const [f, { m, member }] of forests.entries()) {
    const { scores } = await runOnThreads(votes.scores(buffers[f], member.trees, shared), run);
    const fitted = { kind: "forest", name: member.name, trees: grown[f] } as const;
    onMember(m, { member: fitted, outOfFold: scores });
  }
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

/** Scales weights to 1 on average; undefined if all are equal, which is faster. */
export function treeWeights(distribution: Float64Array): Float64Array | undefined {
  if (distribution.every((share) => share === distribution[0])) return undefined;
  return distribution.map((share) => share * distribution.length);
}
