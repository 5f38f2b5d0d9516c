import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { HalfTest, TestedHalves } from "../../theory/forests/tested-halves.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import { ForestVotes, voteUnits } from "./forest-votes.js";
import { growJointForests } from "./grow-forest.js";
import type { ForestTarget } from "./grow-trees.js";
import type { OutOfBag } from "./out-of-bag-losses.js";
import type { ForestPlan } from "./tree-pool.js";

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

/** Grows each half of the trees on one random half of the rows. Each tree votes on the other half as soon as it is grown. */
export async function fitHalves(
  columns: TreeColumns,
  target: ForestTarget,
  { trees, ...common }: Pick<ForestPlan, "growth" | "trees" | "decreases">,
  run: Run,
): Promise<HalvesFit> {
  checkHalves(trees, columns.rows);
  const random = new Random(run.seed);
  const { first, second } = divided(columns.rows, random.fork(DIVISION));
  using votes = new ForestVotes(columns, target.classes);
  const places = votes.allocate(trees);
  const plans = [
    { rows: first, test: second },
    { rows: second, test: first },
  ].map(({ rows, test }, half) => ({
    ...common,
    trees: trees / 2,
    bootstrap: false,
    seed: random.fork(FIRST_HALF + half).bits(),
    rows,
    votes: { ...places, rows: votes.list(test) },
  }));
  const [grown] = await growJointForests(columns, target, [plans], run);
  const { scores, rows, errors } = await votes.scores(places, trees / 2, onSharedMemory(target.labels), run);
  const rounding = trees * 2 ** -22 + 2 / voteUnits(trees);
  return {
    trees: grown,
    outOfBag: { rows, errors },
    outOfBagScores: scores,
    // The forest errs only if the sum of both margins is not above the rounding errors of its own sums. So a tie counts as an
    // error of one half only.
    halves: {
      first: testOf(scores, target.labels, second, 2 * rounding),
      second: testOf(scores, target.labels, first, -rounding),
    },
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
