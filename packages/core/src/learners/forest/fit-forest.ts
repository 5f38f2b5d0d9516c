import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import type { TestedHalves } from "../../theory/forests/tested-halves.js";
import { rowWeights } from "../row-weights.js";
import type { TrainingSample } from "../training-sample.js";
import { drawsPerTree } from "../tree/draw-subsample.js";
import type { TreeGrowth } from "../tree/growth-options.js";
import { TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import { fitHalves } from "./fit-halves.js";
import { growForests } from "./grow-forest.js";
import type { ForestTarget } from "./grow-on-threads.js";
import { ImpurityDecreases } from "./impurity-decreases.js";
import { OutOfBagVotes } from "./out-of-bag.js";
import type { OutOfBagLosses } from "./out-of-bag-losses.js";

/** Options of the fit: see those of `forest`. */
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
  using columns = await TreeColumns.onThreads(features, run);
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
  const draws = drawsPerTree(rows, options.rowsPerTree);
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
    rows: Int32Array.from({ length: rows }, (_, i) => i),
    decreases: decreases.pointer,
    ...(votes && { votes: votes.places }),
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
  const facts = await votes.facts(labels, run);
  if (!facts) return {};
  const { rows, errors, scores } = facts;
  return {
    outOfBag: { rows, errors },
    outOfBagScores: scores,
    ...(!weights && { outOfBagLosses: await votes.losses(run) }),
  };
}

/** Scales decreases to shares of their sum; zeros if all are zero. */
function sharesOfTotal(decreases: Float64Array): Float64Array {
  const total = decreases.reduce((sum, amount) => sum + amount, 0);
  return total > 0 ? decreases.map((amount) => amount / total) : decreases;
}
