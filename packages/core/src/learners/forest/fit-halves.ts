import type { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { HalfTest, TestedHalves } from "../../theory/forests/tested-halves.js";
import { drawsPerTree } from "../tree/draw-subsample.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import type { ForestPlan } from "./forest-thread.js";
import { ForestVotes, voteUnits } from "./forest-votes.js";
import { growJointly } from "./grow-forest.js";
import type { ForestTarget } from "./grow-on-threads.js";
import type { OutOfBag } from "./out-of-bag-losses.js";

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
  const places = votes.allocate(trees);
  const plans = halves.map(({ rows, seed }, half) => ({
    ...common,
    trees: trees / 2,
    bootstrap: false,
    draws: drawsPerTree(rows.length, rowsPerTree),
    seed,
    rows,
    votes: { ...places, rows: votes.list(halves[1 - half].rows) },
  }));
  const [grown] = await growJointly(columns, target, [plans], run);
  const { scores, rows, errors } = await votes.scores(places, trees / 2, onSharedMemory(target.labels), run);
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
  const order = random.shuffle(Int32Array.from({ length: rows }, (_, i) => i));
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
