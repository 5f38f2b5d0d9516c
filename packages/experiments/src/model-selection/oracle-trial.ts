import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { completeRun } from "@vouch/core/internal/runtime/parallel/run";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { findChoice } from "@vouch/core/internal/select/agreement";
import { findCriterion } from "@vouch/core/internal/select/criteria";
import type { Criterion } from "@vouch/core/internal/select/criterion";
import { select } from "@vouch/core/internal/select/select";
import { Table } from "@vouch/core/internal/table/table";
import { type Labelled, selectRows } from "@vouch/core/internal/table/target";
import { TrialRows, tryLearners } from "@vouch/core/internal/validation/trial";
import { type OracleProblem, type OracleSizes, oracleProblem } from "./oracle-committee.js";

/** The candidate sizes T: k/4 of the true one, k = 1 … 8. */
export const QUARTERS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

const THESIS_ADJUSTMENT = 2 ** -9;

/** One problem of the experiment. */
export interface OracleTrialInput extends OracleSizes {
  /** Number of training points; the rest measure the error. */
  readonly training: number;
  readonly folds: number;
  readonly seed: number;
  /** Index of the problem within this seed. */
  readonly problem: number;
}

/** The results on one problem. */
interface OracleTrial {
  readonly trueRounds: number;
  /** Share of the points with the more frequent label. */
  readonly largerClass: number;
  /** Error of each size on the remaining points. */
  readonly errors: readonly number[];
  /** Index into `QUARTERS` of the size that each criterion chose, in the order of `oracleCriteria`. */
  readonly choices: readonly number[];
  /** Estimate or bound of each criterion for its choice; null if it is infinite. */
  readonly values: readonly (number | null)[];
  /** C of adjusted SRM, calibrated on this problem. */
  readonly adjustment: number;
}

/** Makes SRM multiply its complexity term by the constant that the thesis settles on (§5.2). */
export function thesisSrm(srm: Criterion): Criterion {
  return {
    ...srm,
    name: "adjusted SRM, C = 2⁻⁹",
    score(candidates, settings) {
      const { scores } = srm.score(candidates, settings);
      return {
        scores: scores.map(({ terms }) => ({
          value: terms.trainingError + THESIS_ADJUSTMENT * terms.complexity,
          terms,
        })),
      };
    },
  };
}

/** The criteria by their names in the figures, the criteria of Figure 5.1 first. */
export const oracleCriteria: readonly Criterion[] = [
  { ...findCriterion("margin"), name: "margins" },
  thesisSrm(findCriterion("srm")),
  { ...findCriterion("cv"), name: "10-fold CV" },
  { ...findCriterion("adjusted-srm"), name: "adjusted SRM, C by holdout" },
  { ...findCriterion("holdout"), name: "holdout" },
  { ...findCriterion("srm"), name: "SRM" },
];

/** Makes a problem, selects a size by every criterion, and measures the error of every size. */
export const oracleTrialTask = definePortableTask(
  "experiments/oracle-trial",
  async (input: OracleTrialInput, { checkpoint, progress }): Promise<OracleTrial> => {
    const { training, folds, seed, problem } = input;
    const oracle = oracleProblem(new Random(seed).fork(problem), input);
    const learners = QUARTERS.map((k) => adaboost({ rounds: Math.floor((k * oracle.trueRounds) / 4) }));
    const data = labelledPoints(oracle);
    const rows = Int32Array.from(data.labels.keys());
    const train = rows.subarray(0, training);
    await checkpoint();
    const { rankings } = await select(learners, selectRows(data, train), oracleCriteria, {
      folds,
      run: { seed, progress: ({ done, total = 1 }) => progress((0.9 * done) / total) },
    });
    await checkpoint();
    const tested = new TrialRows({ data, train, test: rows.subarray(training) });
    const trials = await tryLearners(learners, tested, completeRun({ seed }));
    const ones = oracle.labels.reduce((sum, label) => sum + label, 0) / oracle.labels.length;
    const calibrated = rankings.find(({ facts }) => facts.C !== undefined);
    return {
      trueRounds: oracle.trueRounds,
      largerClass: Math.max(ones, 1 - ones),
      errors: trials.map(({ errors, rows }) => errors / rows),
      choices: rankings.map(findChoice),
      values: rankings.map(({ scores: [{ value }] }) => (Number.isFinite(value) ? value : null)),
      adjustment: calibrated?.facts.C ?? Number.NaN,
    };
  },
  import.meta.url,
);

/** Makes labelled rows of the points. */
function labelledPoints({ features, labels }: OracleProblem): Labelled {
  const { rows } = features;
  const columns = Array.from({ length: features.columns }, (_, j) => ({
    kind: "numeric" as const,
    name: `x${j + 1}`,
    values: Float64Array.from({ length: rows }, (_, i) => features.values[i * features.columns + j]),
  }));
  return {
    target: "label",
    classes: ["-1", "1"],
    features: new Table("oracle", rows, columns),
    labels,
    notices: [],
  };
}
