import { formatNumber, formatRoundPercent } from "vouch";
import { checkpoint } from "vouch/learning";
import { mean } from "vouch/select";
import { heldOutBinomial, heldOutHoeffding } from "vouch/theory";
import { z } from "zod";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { plainRows } from "../labelled-rows.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { binomialProbabilities } from "./binomial-probabilities.js";
import { type CertifiedSplit, type CertifiedSplitInput, certifiedSplitTask } from "./certified-split.js";
import { thesis } from "./thesis.js";

const CONFIDENCE = 0.95;
const HELD_OUT_ROWS = [20, 50, 140, 500, 2000];
const TRUE_ERRORS = [0.01, 0.05, 0.1, 0.2, 0.5];
/** The true errors among which the lowest coverage is looked for: 0.001, 0.002, … 0.999. */
const FINE_GRID = Array.from({ length: 999 }, (_, i) => (i + 1) / 1000);

const DATASETS = ["breastcancer", "ionosphere"];
const ROUNDS = 50;
const SPLITS: Readonly<Record<Scale, number>> = { quick: 200, paper: 1000 };

const share = z.number().min(0).max(1);

/** Something that is said of both certificates. */
const ofBoth = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ binomial: value, hoeffding: value });

const promiseSchema = z.strictObject({
  rows: z.int().min(1),
  /** The lowest coverage on the fine grid. */
  lowest: ofBoth(share),
  errors: z.array(
    z.strictObject({
      error: share,
      /** Probability that the certificate is at least the true error. */
      coverage: ofBoth(share),
      /** How far above the true error the certificate lies in the mean. */
      excess: ofBoth(z.number()),
    }),
  ),
});

const measuredSchema = z.strictObject({
  dataset: z.string(),
  splits: z.int().min(1),
  /** Stumps in each committee, at most. */
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
  /** The same as it would be if every classifier had exactly the mean error. */
  expected: ofBoth(share),
});

/** What is promised for one number of held-out rows. */
export type Promised = z.infer<typeof promiseSchema>;

/** How certificates did on one data set. */
export type Measured = z.infer<typeof measuredSchema>;

/** Whether the two held-out certificates keep their word, in theory and on data. */
export const heldOutCoverage = defineExperiment({
  name: "model-selection/held-out-coverage",
  paper: thesis,
  shows:
    "Corollary 2.1, eq. 2.5 (Hoeffding), compared with the exact binomial tail: how often a 95 % certificate from held-out rows covers the error, and by how much it exceeds it.",
  cost: {
    quick: "exact coverage, and 200 splits of 2 data sets: about a second",
    paper: "exact coverage, and 1,000 splits of 2 data sets: a few seconds",
  },
  data: z.strictObject({
    confidence: share,
    promised: z.array(promiseSchema),
    measured: z.array(measuredSchema),
  }),
  async measure(run) {
    const promised: Promised[] = [];
    for (const rows of HELD_OUT_ROWS) promised.push(await promiseOf(rows, run));
    const measured = await partsOf(run, DATASETS, measuredSchema, (name) =>
      measuredOn(name, SPLITS[run.scale], run),
    );
    return { confidence: CONFIDENCE, promised, measured };
  },
  tables({ confidence, promised, measured }) {
    return [
      "### Coverage in theory",
      `These numbers are exact, because the number of errors on the held-out rows is binomial. Coverage is the probability that the ${formatRoundPercent(confidence)} certificate is at least the true error; excess is its mean minus the true error.`,
      promisedTable(promised),
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

/** The certificates, at most 1, for each number of errors on some held-out rows. */
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

/** Coverage and excess of both certificates, exactly: sums over the binomial number of errors. */
export async function promiseOf(rows: number, run: Pick<ExperimentRun, "signal">): Promise<Promised> {
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

/** Σ P(X = k) · value(k); a sum of probabilities is at most 1 whatever rounding says. */
function expectation(probabilities: Float64Array, value: (k: number) => number): number {
  return Math.min(
    1,
    probabilities.reduce((sum, probability, k) => sum + probability * value(k), 0),
  );
}

/** Splits a data set many times, each split on whatever thread is free, and counts how often certificates cover. */
export async function measuredOn(name: string, splits: number, run: ExperimentRun): Promise<Measured> {
  const { signal, seed, executor, progress } = run;
  const rows = await plainRows(name, {}, signal);
  const inputs = Array.from(
    { length: splits },
    (_, split): CertifiedSplitInput => ({ rows, rounds: ROUNDS, seed, split }),
  );
  const outcomes = await executor.map(certifiedSplitTask, inputs, {
    ...(signal && { signal }),
    onProgress: (done, total) => progress({ stage: `${name}: splits`, done, total }),
  });
  return summary(name, outcomes, await boundsFor(outcomes[0].heldOutRows, run));
}

function summary(dataset: string, outcomes: readonly CertifiedSplit[], bounds: Bounds): Measured {
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

function promisedTable(promised: readonly Promised[]): string {
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

function lowestTable(promised: readonly Promised[]): string {
  const cells = promised.map(({ rows, lowest }) => [
    formatNumber(rows),
    fractionCell(lowest.binomial),
    fractionCell(lowest.hoeffding),
  ]);
  return markdownTable(["held-out rows", "exact", "Hoeffding"], cells);
}

function measuredTable(measured: readonly Measured[]): string {
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
