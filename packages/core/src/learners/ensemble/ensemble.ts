import type { Features } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { formatPercent } from "../../runtime/text/number-format.js";
import { defineLearner } from "../define-learner.js";
import type { Complexity } from "../model.js";
import { isPortableLearner } from "../registry.js";
import { classifyInSteps } from "../score-rows.js";
import type { Evaluations } from "../scores.js";
import { describeEnsemble } from "./describe-ensemble.js";
import { ENSEMBLE, encodingOf, ensembleOptions, planEnsemble } from "./ensemble-options.js";
import { type EnsembleParts, ensembleParts, faultOfEnsemble, partAt, poolOf } from "./ensemble-parts.js";
import { PooledRows } from "./pool.js";
import { probabilitiesOf } from "./temperature.js";

/**
 * Ensemble: a weighted combination of different learners, selected by their predictions in folds. From `fit` to the model:
 *
 * 1. `planEnsemble` reads the members: learners, options, and the encoding that each of them takes.
 * 2. `fitEnsemble` divides the rows into folds. `scoreOutOfFold` fits each member to each fold without its rows and scores them.
 * 3. `fitTemperature` turns decision values into probabilities, for each member.
 * 4. `choosePool` selects weights, for an average (`selectGreedily`) and a log-linear pool (`fitLogLinearPool`), and keeps the
 *    pool with the smaller cross-fitted loss.
 * 5. Each member with a weight is fitted to all rows.
 * 6. `evaluate` scores rows with each member and pools the probabilities (`PooledRows`).
 */
export const ensemble = defineLearner({
  name: ENSEMBLE,
  title: "Ensemble",
  summary: "Combines different learners, with weights selected by their predictions in folds.",
  tasks: ["ensemble/fold", "ensemble/pool"],
  memberTasks: ({ members }) => members.flatMap(({ learner }) => learner.tasks ?? []),
  options: ensembleOptions,
  features: "any",
  resolve: planEnsemble,
  shownOptions: ({ shown }) => shown,
  encoding: encodingOf,
  local: ({ members }) => members.some(({ learner }) => !isPortableLearner(learner)),
  keepsRows: ({ members }) => members.some(({ learner }) => learner.keepsRows),
  parts: ensembleParts,
  async fit({ sample }, plan, run) {
    // A page that only predicts does not load what selects weights.
    return (await import("./fit-ensemble.js")).fitEnsemble(sample, plan, run);
  },
  fault: faultOfEnsemble,
  *evaluate(model, features): Pausable<Matrix> {
    const pooled = new PooledRows(poolOf(model), features.rows, model.classes.length);
    for (const [m, { model: member, place, temperature }] of model.members.entries()) {
      const { scores } = yield* classifyInSteps(member, partAt(features, place, model.widths.length));
      pooled.add(m, probabilitiesOf(scores, member.scoring, temperature));
    }
    return new Matrix(features.rows, model.classes.length, pooled.probabilities());
  },
  scores: (_, scores) => scores,
  complexity: complexityOf,
  evaluations: evaluationsOf,
  /** Says nothing about single members: the weights allow for how good each of them is. */
  notices({ outOfFold, warnings }) {
    const estimate = outOfFold
      ? [`Out-of-fold error: ${formatPercent(outOfFold.error)} of ${outOfFold.rows} training rows.`]
      : [];
    return [...new Set([...warnings, ...estimate])];
  },
  describe: describeEnsemble,
});

/** A model of `ensemble`. */
export type EnsembleModel = ReturnType<typeof ensemble.assemble>;

/** Counts of members that add up to one of the ensemble. */
const ADDITIVE_COUNTS = ["trees", "leaves", "supportVectors", "machines", "weights", "parameters"];

function complexityOf({ members, featureNames }: EnsembleParts): Complexity {
  const all = members.map(({ model }) => model.complexity().counts);
  const sums = ADDITIVE_COUNTS.flatMap((name): [string, number][] => {
    const counts = all.flatMap((own) => own[name] ?? []);
    return counts.length === 0 ? [] : [[name, counts.reduce((sum, count) => sum + count, 0)]];
  });
  return {
    counts: { members: members.length, ...Object.fromEntries(sums), features: featureNames.length },
  };
}

/** Sums the cost of predicting a row over the members; one that is not made of machines is one machine. */
function evaluationsOf({ members, widths }: EnsembleParts, features: Features): Evaluations {
  const each = members.map(
    ({ model, place }): Evaluations =>
      model.evaluations?.(partAt(features, place, widths.length)) ?? { nodes: 1 },
  );
  const kernels = each.flatMap(({ kernel }) => kernel ?? []);
  return {
    ...(kernels.length > 0 && { kernel: kernels.reduce((sum, kernel) => sum + kernel, 0) }),
    nodes: each.reduce((sum, { nodes }) => sum + nodes, 0),
  };
}
