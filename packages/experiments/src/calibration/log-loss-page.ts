import { calibrationMethods } from "@vouch/core/internal/metrics/calibrator";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { absenceNote } from "../datasets.js";
import { markdownTable } from "../markdown-table.js";
import type { CalibratedCell, CalibratedTrial, CalibrationResult } from "./calibration-result.js";

/** Smallest increase of the log loss that counts as worse. */
const TOLERANCE = 0.002;

/** A learner on a data set, with means over the splits. */
interface Comparison {
  readonly dataset: string;
  readonly learner: string;
  readonly methods: readonly string[];
  readonly scoring: "probability" | "decision";
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  readonly standardError: number;
  readonly errorBefore: number;
  readonly errorAfter: number;
  readonly chance: number;
}

function comparisonOf({ dataset, learner, trials }: CalibratedCell): Comparison {
  const meanOf = (of: (trial: CalibratedTrial) => number) => mean(trials.map(of));
  const squares = trials.reduce((sum, { standardError }) => sum + standardError ** 2, 0);
  return {
    dataset,
    learner,
    methods: calibrationMethods.filter((method) => trials.some((trial) => trial.method === method)),
    scoring: trials[0].scoring,
    before: meanOf(({ before }) => before),
    after: meanOf(({ after }) => after),
    difference: meanOf(({ before, after }) => after - before),
    standardError: Math.sqrt(squares) / trials.length,
    errorBefore: meanOf(({ errorBefore }) => errorBefore),
    errorAfter: meanOf(({ errorAfter }) => errorAfter),
    chance: meanOf(({ chance }) => chance),
  };
}

/** Renders the whole result. */
export function logLossPage({ cells, skipped, absent }: CalibrationResult): string {
  const compared = cells.filter(({ trials }) => trials.length > 0).map(comparisonOf);
  return [
    summary(compared),
    calibrationTable(cells),
    "Every learner on every set. The difference of log-losses is negative if calibration lowers it; ± is its standard error, over held-out rows of the same divisions. Decision values count as softmax before calibration, which has no claim to be a probability.",
    cellTable(compared),
    ...untrained(cells),
    ...skipped.map(
      ({ learner, sets }) => `Not measured, because it takes too long: ${learner} on ${sets.join(", ")}.`,
    ),
    ...absenceNote(absent),
  ].join("\n\n");
}

function summary(compared: readonly Comparison[]): string {
  const worse = compared.filter(({ difference }) => difference > TOLERANCE);
  const clearly = worse.filter(({ difference, standardError }) => difference - TOLERANCE > 2 * standardError);
  const better = compared.filter(({ difference }) => difference < -TOLERANCE);
  const list = worse.map(
    ({ learner, dataset, difference, standardError }) =>
      `${learner} on ${dataset} (${difference.toFixed(4)} ± ${standardError.toFixed(4)})`,
  );
  return `Log-loss worse by more than ${TOLERANCE}: ${formatNumber(worse.length)} of ${formatNumber(compared.length)}${list.length > 0 ? `: ${list.join(", ")}` : ""}; by more than two standard errors beyond that: ${formatNumber(clearly.length)}. Better by more than ${TOLERANCE}: ${formatNumber(better.length)}.`;
}

/** Renders the means of every learner over its data sets for `docs/probabilities.md`. */
export function calibrationTable(cells: readonly CalibratedCell[]): string {
  const compared = cells.filter(({ trials }) => trials.length > 0).map(comparisonOf);
  const learners = [...new Set(compared.map(({ learner }) => learner))];
  const titles = [
    "learner",
    "sets",
    "scores",
    "log loss before",
    "after",
    "ECE before",
    "after",
    "by chance",
  ];
  const rows = learners.map((learner) => {
    const own = compared.filter((one) => one.learner === learner);
    const meanOf = (of: (one: Comparison) => number) => mean(own.map(of));
    return [
      learner,
      String(own.length),
      own.every(({ scoring }) => scoring === "probability") ? "probabilities" : "decision values",
      meanOf(({ before }) => before).toFixed(3),
      meanOf(({ after }) => after).toFixed(3),
      percent(meanOf(({ errorBefore }) => errorBefore)),
      percent(meanOf(({ errorAfter }) => errorAfter)),
      percent(meanOf(({ chance }) => chance)),
    ];
  });
  return markdownTable(titles, rows);
}

function cellTable(compared: readonly Comparison[]): string {
  const titles = [
    "learner",
    "data set",
    "method",
    "log-loss before",
    "after",
    "difference",
    "ECE before",
    "after",
  ];
  const inOrder = compared.toSorted((a, b) => a.learner.localeCompare(b.learner, "en"));
  return markdownTable(
    titles,
    inOrder.map((one, i) => [
      inOrder[i - 1]?.learner === one.learner ? "" : one.learner,
      one.dataset,
      one.methods.join(", "),
      one.before.toFixed(4),
      one.after.toFixed(4),
      `${one.difference > TOLERANCE ? "**" : ""}${one.difference.toFixed(4)} ± ${one.standardError.toFixed(4)}${one.difference > TOLERANCE ? "**" : ""}`,
      percent(one.errorBefore),
      percent(one.errorAfter),
    ]),
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** Lists the combinations that cannot be trained, such as a learner of two classes on three. */
function untrained(cells: readonly CalibratedCell[]): string[] {
  const none = cells.filter(({ trials }) => trials.length === 0);
  if (none.length === 0) return [];
  const learners = [...new Set(none.map(({ learner }) => learner))];
  const list = learners.map((learner) => {
    const sets = none.filter((cell) => cell.learner === learner);
    return `${learner} on ${formatCount(sets.length, "set")} (“${sets[0].reason}”)`;
  });
  return [`Not possible: ${list.join("; ")}.`];
}
