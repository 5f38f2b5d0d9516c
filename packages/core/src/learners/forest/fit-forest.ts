import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { HalfTest, TestedHalves } from "../../theory/forests/tested-halves.js";
import { rowWeights } from "../row-weights.js";
import type { TrainingSample } from "../training-sample.js";
import type { TreeGrowth } from "../tree/growth-options.js";
import { allRows, sampleSize } from "../tree/sample-rows.js";
import { TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import type { ForestPlan } from "./forest-thread.js";
import { ForestVotes, voteUnits } from "./forest-votes.js";
import { growForests, growJointly } from "./grow-forest.js";
import type { ForestTarget } from "./grow-on-threads.js";
import { ImpurityDecreases } from "./impurity-decreases.js";
import { OutOfBagVotes } from "./out-of-bag.js";
import type { OutOfBag, OutOfBagLosses } from "./out-of-bag-losses.js";

/** Options of the fit, as `forestOptions` describes them. */
export interface ForestFitOptions {
  readonly trees: number;
  readonly bootstrap: boolean;
  readonly outOfBag: boolean;
  readonly halves: boolean;
  readonly rowsPerTree: number;
  readonly classWeights: "none" | "balanced";
}

/** A grown forest, and what is known of it. */
export interface ForestFit {
  readonly trees: TreeSet;
  readonly importances: Float64Array;
  readonly trainingRows: number;
  readonly outOfBag?: { readonly rows: number; readonly errors: number };
  readonly outOfBagScores?: Matrix;
  readonly outOfBagLosses?: OutOfBagLosses;
  readonly halves?: TestedHalves;
}

/** Grows a forest, and measures it on the rows that its trees have not seen. */
export async function fitForest(
  { sample, distribution }: TrainingSample<BinnedColumns>,
  options: ForestFitOptions,
  growth: TreeGrowth,
  run: Run,
): Promise<ForestFit> {
  const { features, labels, classes, rows } = sample;
  const weights = rowWeights(sample, distribution, options.classWeights);
  const { trees, bootstrap } = options;
  using columns = await runOnThreads(TreeColumns.copy(features), run);
  using decreases = new ImpurityDecreases(columns);
  const target = { labels, classes: classes.length, ...(weights && { weights }) };
  if (options.halves) {
    const { rowsPerTree } = options;
    const plan = { growth, trees, rowsPerTree, decreases: decreases.pointer };
    const fit = await fitHalves(columns, target, plan, run);
    const { halves, ...rest } = fit;
    return {
      ...rest,
      importances: sharesOfTotal(decreases.mean(trees)),
      trainingRows: rows,
      // As for bags: weights may depend on the rows of the other half.
      ...(!weights && { halves }),
    };
  }
  const draws = sampleSize(rows, options.rowsPerTree);
  using votes =
    options.outOfBag && (bootstrap || draws < rows)
      ? new OutOfBagVotes(columns, classes.length, trees, weights === undefined)
      : undefined;
  const plan = {
    growth,
    trees,
    bootstrap,
    draws,
    seed: run.seed,
    rows: allRows(rows),
    decreases: decreases.pointer,
    ...(votes && { votes: votes.buffers }),
  };
  const [grown] = await growForests(columns, target, [plan], run);
  const facts = votes ? await outOfBagFacts(votes, target, run) : {};
  return { trees: grown, importances: sharesOfTotal(decreases.mean(trees)), trainingRows: rows, ...facts };
}

/**
 * Predicts each row by the trees that have not seen it. Certificates are about trees that depend only on the rows of their
 * bags; weights, such as those of balanced classes, may depend on other rows.
 */
async function outOfBagFacts(votes: OutOfBagVotes, { labels, weights }: ForestTarget, run: Run) {
  const facts = await runOnThreads(votes.facts(labels), run);
  if (!facts) return {};
  const { rows, errors, scores } = facts;
  return {
    outOfBag: { rows, errors },
    outOfBagScores: scores,
    ...(!weights && { outOfBagLosses: await runOnThreads(votes.losses(), run) }),
  };
}

/** Scales decreases to shares of their sum; zeros if all are zero. */
function sharesOfTotal(decreases: Float64Array): Float64Array {
  const total = decreases.reduce((sum, amount) => sum + amount, 0);
  return total > 0 ? decreases.map((amount) => amount / total) : decreases;
}

/** The streams of the division of the rows, and of the trees of each half. */
const DIVISION = 0;
const FIRST_HALF = 1;

/** A forest of two halves, each grown on one half of the rows and tested on the other. */
interface HalvesFit {
  readonly trees: TreeSet;
  readonly outOfBag: OutOfBag;
  readonly outOfBagScores: Matrix;
  readonly halves: TestedHalves;
}

interface HalvesPlan extends Pick<ForestPlan, "growth" | "trees" | "decreases"> {
  /** Fraction of its half of the rows that each tree is grown on, drawn without replacement. */
  readonly rowsPerTree: number;
}

/** Grows each half of the trees on one random half of the rows. Each tree votes on the other half as soon as it is grown. */
export async function fitHalves(
  columns: TreeColumns,
  target: ForestTarget,
  { trees, rowsPerTree, ...common }: HalvesPlan,
  run: Run,
): Promise<HalvesFit> {
  const halves = drawHalves(trees, columns.rows, run.seed);
  using votes = new ForestVotes(columns, target.classes);
  const buffers = votes.allocate(trees);
  const plans = halves.map(({ rows, seed }, half) => ({
    ...common,
    trees: trees / 2,
    bootstrap: false,
    draws: sampleSize(rows.length, rowsPerTree),
    seed,
    rows,
    votes: { ...buffers, rows: votes.list(halves[1 - half].rows) },
  }));
  const [grown] = await growJointly(columns, target, [plans], run);
  const scoring = votes.scores(buffers, trees / 2, target.labels);
  const { scores, rows, errors } = await runOnThreads(scoring, run);
  return {
    trees: grown,
    outOfBag: { rows, errors },
    outOfBagScores: scores,
    halves: testsOfHalves(scores, target.labels, halves[1].rows, halves[0].rows, trees),
  };
}

/** One half of the rows, ascending, and the seed of the trees that are grown on it. */
interface HalfOfRows {
  readonly rows: Int32Array;
  readonly seed: number;
}

/** Divides rows into two random halves. */
function drawHalves(trees: number, rows: number, seed: number): readonly HalfOfRows[] {
  checkHalves(trees, rows);
  const random = new Random(seed);
  const { first, second } = divided(rows, random.fork(DIVISION));
  return [first, second].map((half, k) => ({ rows: half, seed: random.fork(FIRST_HALF + k).bits() }));
}

/**
 * Counts the errors of each half of the trees on the rows that it votes on. The forest errs only if the sum of both margins is not above the rounding errors
 * of its own sums, so a tie counts as an error of one half only.
 */
function testsOfHalves(
  scores: Matrix,
  labels: Int32Array,
  ofFirst: Int32Array,
  ofSecond: Int32Array,
  trees: number,
): TestedHalves {
  const rounding = trees * 2 ** -22 + 2 / voteUnits(trees);
  return {
    first: testOf(scores, labels, ofFirst, 2 * rounding),
    second: testOf(scores, labels, ofSecond, -rounding),
  };
}

function checkHalves(trees: number, rows: number): void {
  if (trees % 2 !== 0) {
    throw new VouchError("option/invalid", `A forest of two halves cannot have ${trees} trees.`, {
      hint: "Use an even number of trees, or halves=false.",
    });
  }
  if (rows < 2) {
    throw new VouchError("data/too-few-rows", "One row cannot be divided into halves.", {
      hint: "Use more rows, or halves=false.",
    });
  }
}

/** Divides rows into two random halves, each ascending. */
function divided(rows: number, random: Random): { readonly first: Int32Array; readonly second: Int32Array } {
  const order = random.shuffle(allRows(rows));
  const middle = rows >> 1;
  return { first: order.slice(0, middle).sort(), second: order.slice(middle).sort() };
}

/** Counts the rows whose margin is not above a limit. */
function testOf(scores: Matrix, labels: Int32Array, rows: Int32Array, limit: number): HalfTest {
  let errors = 0;
  for (const row of rows) {
    const own = scores.row(row);
    let other = Number.NEGATIVE_INFINITY;
    own.forEach((score, k) => {
      if (k !== labels[row]) other = Math.max(other, score);
    });
    if (own[labels[row]] - other <= limit) errors++;
  }
  return { rows: rows.length, errors };
}
