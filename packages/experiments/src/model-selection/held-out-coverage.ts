import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { checkpoint, completeRun } from "@vouch/core/internal/runtime/parallel/run";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { formatNumber, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { heldOutBinomial, heldOutHoeffding } from "@vouch/core/internal/theory/held-out/held-out";
import { TrialRows, tryLearners } from "@vouch/core/internal/validation/trial";
import * as z from "zod";
import { labelledRows, loadRows, type PlainRows } from "../datasets.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { papers } from "../papers.js";
import { binomialProbabilities } from "./binomial-probabilities.js";

const CONFIDENCE = 0.95;
const HELD_OUT_ROWS = [20, 50, 140, 500, 2000];
const TRUE_ERRORS = [0.01, 0.05, 0.1, 0.2, 0.5];
/** The true errors to search for the lowest coverage: 0.001, 0.002, … 0.999. */
const FINE_GRID = Array.from({ length: 999 }, (_, i) => (i + 1) / 1000);

const DATASETS = ["breastcancer", "ionosphere"];
const ROUNDS = 50;
const SPLITS: Readonly<Record<Scale, number>> = { quick: 200, paper: 1000 };

/** Half of the rows train and a fifth is held out for the certificate; the rest, the fresh rows, measures the error. */
const TRAINING = 0.5;
const HELD_OUT = 0.2;

const share = z.number().min(0).max(1);

/** Makes the schema of a value for each of the two certificates. */
const ofBoth = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ binomial: value, hoeffding: value });

const exactSchema = z.strictObject({
  rows: z.int().min(1),
  /** The lowest coverage on the fine grid. */
  lowest: ofBoth(share),
  errors: z.array(
    z.strictObject({
      error: share,
      /** Probability that the certificate is at least the true error. */
      coverage: ofBoth(share),
      /** Mean of the certificate minus the true error. */
      excess: ofBoth(z.number()),
    }),
  ),
});

const measuredSchema = z.strictObject({
  dataset: z.string(),
  splits: z.int().min(1),
  /** Maximum number of stumps in each committee. */
  rounds: z.int().min(1),
  trainingRows: z.int().min(1),
  heldOutRows: z.int().min(1),
  freshRows: z.int().min(1),
  /** Mean error on the fresh rows. */
  error: share,
  /** Mean certificate. */
  bound: ofBoth(z.number()),
  /** Share of the splits whose certificate is at least the error on the fresh rows. */
  coverage: ofBoth(share),
  /** Coverage of classifiers whose true error is exactly the mean error. */
  expected: ofBoth(share),
});

/** Coverage in theory, for one number of held-out rows. */
type ExactCoverage = z.infer<typeof exactSchema>;

/** Coverage on one data set. */
type MeasuredCoverage = z.infer<typeof measuredSchema>;

/** The coverage of the two held-out certificates, in theory and on data. */
export const heldOutCoverage = defineExperiment({
  name: "model-selection/held-out-coverage",
  paper: papers.thesis.citation,
  shows:
    "Corollary 2.1, eq. 2.5 (Hoeffding), compared with the exact binomial tail: how often a 95% certificate from held-out rows covers the error, and by how much it exceeds it.",
  cost: {
    quick: "exact coverage, and 200 splits of 2 data sets: about a second",
    paper: "exact coverage, and 1,000 splits of 2 data sets: a few seconds",
  },
  data: z.strictObject({
    confidence: share,
    promised: z.array(exactSchema),
    measured: z.array(measuredSchema),
  }),
  async measure(run) {
    const promised: ExactCoverage[] = [];
    for (const rows of HELD_OUT_ROWS) promised.push(await exactCoverage(rows, run));
    const measured = await partsOf(run, DATASETS, measuredSchema, (name) =>
      measuredCoverage(name, SPLITS[run.scale], run),
    );
    return { confidence: CONFIDENCE, promised, measured };
  },
  tables({ confidence, promised, measured }) {
    return [
      "### Coverage in theory",
      `These numbers are exact, because the number of errors on the held-out rows is binomial. Coverage is the probability that the ${formatRoundPercent(confidence)} certificate is at least the true error; excess is its mean minus the true error.`,
      exactTable(promised),
      "Lowest coverage over the true errors 0.001, 0.002, …, 0.999:",
      lowestTable(promised),
      "### Coverage on data",
      `AdaBoost is trained on randomly chosen rows and certified on others (held-out); its error is measured on the rest (fresh). That error is an estimate too: a certificate can cover the true error and miss the measured one. _Expected_ is the coverage of the measured error for a classifier whose true error equals the mean error.`,
      measuredTable(measured),
    ].join("\n\n");
  },
});

/** A number for each of the two certificates. */
interface Both {
  readonly binomial: number;
  readonly hoeffding: number;
}

function both(of: (certificate: keyof Both) => number): Both {
  return { binomial: of("binomial"), hoeffding: of("hoeffding") };
}

/** The certificates, at most 1, by the number of errors on the held-out rows. */
interface Bounds {
  readonly binomial: readonly number[];
  readonly hoeffding: readonly number[];
}

async function boundsFor(rows: number, run: Pick<ExperimentRun, "signal">): Promise<Bounds> {
  const binomial: number[] = [];
  const hoeffding: number[] = [];
  for (let errors = 0; errors <= rows; errors++) {
    await checkpoint(run);
    const evidence = { rows, errors, confidence: CONFIDENCE };
    binomial.push(Math.min(1, heldOutBinomial(evidence).value));
    hoeffding.push(Math.min(1, heldOutHoeffding(evidence).value));
  }
  return { binomial, hoeffding };
}

/** Computes coverage and excess of both certificates exactly, as sums over the binomial number of errors. */
export async function exactCoverage(
  rows: number,
  run: Pick<ExperimentRun, "signal">,
): Promise<ExactCoverage> {
  const bounds = await boundsFor(rows, run);
  const lowest = { binomial: 1, hoeffding: 1 };
  for (const error of FINE_GRID) {
    await checkpoint(run);
    const coverage = coverageOf(bounds, error);
    lowest.binomial = Math.min(lowest.binomial, coverage.binomial);
    lowest.hoeffding = Math.min(lowest.hoeffding, coverage.hoeffding);
  }
  const errors = TRUE_ERRORS.map((error) => {
    const probabilities = binomialProbabilities(rows, error);
    const excess = both((name) => expectation(probabilities, (k) => bounds[name][k]) - error);
    return { error, coverage: coverageOf(bounds, error), excess };
  });
  return { rows, lowest, errors };
}

function coverageOf(bounds: Bounds, error: number): Both {
  const probabilities = binomialProbabilities(bounds.binomial.length - 1, error);
  return both((name) => expectation(probabilities, (k) => (bounds[name][k] >= error ? 1 : 0)));
}

/** Computes Σ P(X = k) · value(k), at most 1 in spite of rounding. */
function expectation(probabilities: Float64Array, value: (k: number) => number): number {
  return Math.min(
    1,
    probabilities.reduce((sum, probability, k) => sum + probability * value(k), 0),
  );
}

/** A random split of a data set. */
interface CertifiedSplitInput {
  readonly rows: PlainRows;
  readonly rounds: number;
  readonly seed: number;
  /** Index of the split within this seed. */
  readonly split: number;
}

/** Errors of a committee of stumps on the two parts that it was not trained on. */
interface CertifiedSplit {
  readonly trainingRows: number;
  readonly heldOutRows: number;
  readonly heldOutErrors: number;
  readonly freshRows: number;
  readonly freshErrors: number;
}

/** Splits the rows at random, boosts on the first part and counts the errors on the other two. */
const certifiedSplitTask = definePortableTask(
  "experiments/certified-split",
  async ({ rows, rounds, seed, split }: CertifiedSplitInput): Promise<CertifiedSplit> => {
    const data = labelledRows(rows);
    const shuffled = new Random(seed).fork(split).shuffle(Int32Array.from(data.labels.keys()));
    const [first, second] = [TRAINING, TRAINING + HELD_OUT].map((part) => Math.round(part * shuffled.length));
    const division = new TrialRows({ data, train: shuffled.slice(0, first), test: shuffled.slice(first) });
    const [{ mistakes }] = await tryLearners([adaboost({ rounds })], division, completeRun());
    const errorsIn = (part: Uint8Array) => part.reduce((sum, mistake) => sum + mistake, 0);
    const heldOutRows = second - first;
    return {
      trainingRows: first,
      heldOutRows,
      heldOutErrors: errorsIn(mistakes.subarray(0, heldOutRows)),
      freshRows: mistakes.length - heldOutRows,
      freshErrors: errorsIn(mistakes.subarray(heldOutRows)),
    };
  },
  import.meta.url,
);

/** Splits a data set many times, each split in a task, and counts how often certificates cover the error. */
export async function measuredCoverage(
  name: string,
  splits: number,
  run: ExperimentRun,
): Promise<MeasuredCoverage> {
  const { signal, seed, executor, progress } = run;
  const rows = await loadRows(name, {}, signal);
  const inputs = Array.from(
    { length: splits },
    (_, split): CertifiedSplitInput => ({ rows, rounds: ROUNDS, seed, split }),
  );
  const outcomes = await executor.map(certifiedSplitTask, inputs, {
    signal,
    onProgress: (done, total) => progress({ stage: `${name}: splits`, done, total }),
  });
  return summary(name, outcomes, await boundsFor(outcomes[0].heldOutRows, run));
}

function summary(dataset: string, outcomes: readonly CertifiedSplit[], bounds: Bounds): MeasuredCoverage {
  const [{ trainingRows, heldOutRows, freshRows }] = outcomes;
  const error = mean(outcomes.map((outcome) => outcome.freshErrors)) / freshRows;
  const boundOf = (name: keyof Both, { heldOutErrors }: CertifiedSplit) => bounds[name][heldOutErrors];
  const covers = (name: keyof Both, outcome: CertifiedSplit) =>
    boundOf(name, outcome) >= outcome.freshErrors / freshRows;
  const onHeldOut = binomialProbabilities(heldOutRows, error);
  const onFresh = binomialProbabilities(freshRows, error);
  return {
    dataset,
    splits: outcomes.length,
    rounds: ROUNDS,
    trainingRows,
    heldOutRows,
    freshRows,
    error,
    bound: both((name) => mean(outcomes.map((outcome) => boundOf(name, outcome)))),
    coverage: both((name) => outcomes.filter((outcome) => covers(name, outcome)).length / outcomes.length),
    expected: both((name) =>
      expectation(onHeldOut, (k) => expectation(onFresh, (j) => (bounds[name][k] >= j / freshRows ? 1 : 0))),
    ),
  };
}

function exactTable(promised: readonly ExactCoverage[]): string {
  const titles = [
    "held-out rows",
    "true error",
    "coverage, exact",
    "coverage, Hoeffding",
    "excess, exact",
    "excess, Hoeffding",
    "ratio",
  ];
  const cells = promised.flatMap(({ rows, errors }) =>
    errors.map(({ error, coverage, excess }) => [
      formatNumber(rows),
      String(error),
      fractionCell(coverage.binomial),
      fractionCell(coverage.hoeffding),
      fractionCell(excess.binomial),
      fractionCell(excess.hoeffding),
      (excess.hoeffding / excess.binomial).toFixed(2),
    ]),
  );
  return markdownTable(titles, cells);
}

function lowestTable(promised: readonly ExactCoverage[]): string {
  const cells = promised.map(({ rows, lowest }) => [
    formatNumber(rows),
    fractionCell(lowest.binomial),
    fractionCell(lowest.hoeffding),
  ]);
  return markdownTable(["held-out rows", "exact", "Hoeffding"], cells);
}

function measuredTable(measured: readonly MeasuredCoverage[]): string {
  const titles = [
    "data set",
    "certificate",
    "splits",
    "stumps",
    "rows: training, held-out, fresh",
    "mean error",
    "mean certificate",
    "coverage",
    "expected",
  ];
  const cells = measured.flatMap(({ dataset, splits, rounds, error, ...numbers }) =>
    (["binomial", "hoeffding"] as const).map((name) => [
      dataset,
      name === "binomial" ? "exact" : "Hoeffding",
      formatNumber(splits),
      formatNumber(rounds),
      [numbers.trainingRows, numbers.heldOutRows, numbers.freshRows].map(formatNumber).join(", "),
      fractionCell(error),
      fractionCell(numbers.bound[name]),
      fractionCell(numbers.coverage[name]),
      fractionCell(numbers.expected[name]),
    ]),
  );
  return markdownTable(titles, cells);
}
