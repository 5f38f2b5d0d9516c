import type { Features, Sample } from "@vouch/core/internal/encode/sample";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { checkpoint } from "@vouch/core/internal/runtime/parallel/run";
import type { ExperimentRun } from "../experiment.js";

/** The trees of a random forest, with their losses on unseen rows and their votes on test rows. */
export interface BaggedTrees {
  /** Mean loss of each tree on its out-of-bag rows. */
  readonly losses: Float64Array;
  readonly rows: Float64Array;
  /** Mean product of the losses of each pair of trees on rows out of bag for both, T × T. */
  readonly pairLosses: Float64Array;
  readonly pairRows: Float64Array;
  /** Class shares of the test rows by each tree. */
  readonly votes: readonly Matrix[];
}

/** Grows trees on bootstrap samples and measures them. */
export async function growBaggedTrees(
  train: Sample<Features>,
  test: Sample<Features>,
  trees: number,
  run: ExperimentRun,
): Promise<BaggedTrees> {
  const { rows, labels } = train;
  const learner: Learner = forest({ trees: 1, bootstrap: false, outOfBag: false });
  const lossTable: Float64Array[] = [];
  const votes: Matrix[] = [];
  for (let t = 0; t < trees; t++) {
    const random = new Random(run.seed).fork(t);
    const bag = Int32Array.from({ length: rows }, () => random.integer(rows)).sort();
    const model = await learner.fit(train.select(bag), { ...run, seed: random.bits(), progress: () => {} });
    const shares = model.scores(train.features);
    // NaN marks rows that the tree has seen.
    const losses = Float64Array.from(labels, (label, i) => Math.max(0, 1 - shares.row(i)[label]));
    for (const row of bag) losses[row] = Number.NaN;
    lossTable.push(losses);
    votes.push(model.scores(test.features));
    run.progress({ stage: "trees", done: t + 1, total: trees });
    await checkpoint(run);
  }
  return { ...(await measured(lossTable, run)), votes };
}

async function measured(lossTable: readonly Float64Array[], run: ExperimentRun) {
  const trees = lossTable.length;
  const pairLosses = new Float64Array(trees * trees);
  const pairRows = new Float64Array(trees * trees);
  const losses = new Float64Array(trees);
  const rows = new Float64Array(trees);
  for (let a = 0; a < trees; a++) {
    const own = lossTable[a].filter((loss) => !Number.isNaN(loss));
    rows[a] = own.length;
    losses[a] = own.reduce((sum, loss) => sum + loss, 0) / own.length;
    for (let b = 0; b <= a; b++) {
      let [sum, count] = [0, 0];
      for (let i = 0; i < lossTable[a].length; i++) {
        const product = lossTable[a][i] * lossTable[b][i];
        if (Number.isNaN(product)) continue;
        sum += product;
        count++;
      }
      for (const place of [a * trees + b, b * trees + a]) {
        pairLosses[place] = count > 0 ? sum / count : 1;
        pairRows[place] = count;
      }
    }
    await checkpoint(run);
  }
  return { losses, rows, pairLosses, pairRows };
}
