import { adaboost, type Criterion, choiceOf, criterionNamed, type Labelled, select, Table } from "vouch";
import { defineTask, Matrix, Random, Sample } from "vouch/learning";
import { countErrors } from "../labelled-rows.js";
import { type OracleProblem, type OracleSizes, oracleProblem } from "./oracle-committee.js";

/** The sizes T that are tried: k/4 of the true one, k = 1 … 8. */
export const QUARTERS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** The constant that the thesis settles on for adjusted SRM (§5.2). */
const THESIS_ADJUSTMENT = 2 ** -9;

/** One problem of the experiment. */
export interface OracleTrialInput extends OracleSizes {
  /** Points to train on; the others measure the error. */
  readonly training: number;
  readonly folds: number;
  readonly seed: number;
  /** Which of the problems of this seed. */
  readonly problem: number;
}

/** What came out of one problem. */
export interface OracleTrial {
  readonly trueRounds: number;
  /** Share of the points that have the more frequent label. */
  readonly largerClass: number;
  /** Error on the points not trained on, for each size. */
  readonly errors: readonly number[];
  /** Index into `QUARTERS` of the size that each criterion chose, in the order of `oracleCriteria`. */
  readonly choices: readonly number[];
  /** What each criterion takes the error of its choice to be: its estimate or bound; null if that is infinite. */
  readonly values: readonly (number | null)[];
  /** C of adjusted SRM, calibrated on this problem. */
  readonly adjustment: number;
}

/** SRM with the complexity term times the constant of the thesis. */
const thesisSrm: Criterion = {
  ...criterionNamed("srm"),
  name: "adjusted SRM, C = 2⁻⁹",
  score(candidates, settings) {
    const { scores } = criterionNamed("srm").score(candidates, settings);
    return {
      scores: scores.map(({ terms }) => ({
        value: terms.trainingError + THESIS_ADJUSTMENT * terms.complexity,
        terms,
      })),
    };
  },
};

/** The criteria by the names of the figures: those of Figure 5.1 first. */
export const oracleCriteria: readonly Criterion[] = [
  { ...criterionNamed("margin"), name: "margins" },
  thesisSrm,
  { ...criterionNamed("cv"), name: "10-fold CV" },
  { ...criterionNamed("adjusted-srm"), name: "adjusted SRM, C by holdout" },
  { ...criterionNamed("holdout"), name: "holdout" },
  { ...criterionNamed("srm"), name: "SRM" },
];

/** Makes a problem, selects a size by every criterion, and measures the error of every size. */
export const oracleTrialTask = defineTask(
  "experiments/oracle-trial",
  async (input: OracleTrialInput, { checkpoint, progress }): Promise<OracleTrial> => {
    const { training, folds, seed, problem } = input;
    const oracle = oracleProblem(new Random(seed).fork(problem), input);
    const sizes = QUARTERS.map((k) => Math.floor((k * oracle.trueRounds) / 4));
    await checkpoint();
    const { rankings } = await select(
      sizes.map((rounds) => adaboost({ rounds })),
      trainingRows(oracle, training),
      oracleCriteria,
      { folds, run: { seed, progress: ({ done, total = 1 }) => progress((0.9 * done) / total) } },
    );
    await checkpoint();
    const ones = oracle.labels.reduce((sum, label) => sum + label, 0) / oracle.labels.length;
    const calibrated = rankings.find(({ facts }) => facts.C !== undefined);
    return {
      trueRounds: oracle.trueRounds,
      largerClass: Math.max(ones, 1 - ones),
      errors: await testErrors(oracle, training, sizes),
      choices: rankings.map(choiceOf),
      values: rankings.map(({ scores: [{ value }] }) => (Number.isFinite(value) ? value : null)),
      adjustment: calibrated?.facts.C ?? Number.NaN,
    };
  },
  import.meta.url,
);

const CLASSES = ["-1", "1"];

/** The first points as labelled rows of a table. */
function trainingRows({ features, labels }: OracleProblem, rows: number): Labelled {
  const columns = Array.from({ length: features.columns }, (_, j) => ({
    kind: "numeric" as const,
    name: `x${j + 1}`,
    values: Float64Array.from({ length: rows }, (_, i) => features.values[i * features.columns + j]),
  }));
  const target = { target: "label", classes: CLASSES };
  return {
    ...target,
    features: new Table("oracle", rows, columns),
    labels: labels.slice(0, rows),
    notices: [],
  };
}

/** The error of each size, trained on the first points, on all others. */
async function testErrors(
  { features, labels }: OracleProblem,
  training: number,
  sizes: readonly number[],
): Promise<number[]> {
  const part = (from: number, to: number) =>
    new Sample({
      features: new Matrix(
        to - from,
        features.columns,
        features.values.slice(from * features.columns, to * features.columns),
      ),
      labels: labels.slice(from, to),
      classes: CLASSES,
    });
  const model = await adaboost({ rounds: Math.max(...sizes) }).fit(part(0, training));
  const rest = part(training, labels.length);
  const byRound = Array.from(
    model.stagedPredictions?.(rest.features) ?? [],
    (predictions) => countErrors(predictions, rest.labels) / rest.rows,
  );
  return sizes.map((rounds) => byRound[Math.min(rounds, byRound.length) - 1]);
}
