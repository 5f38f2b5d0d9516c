import { type ColumnShift, columnShiftsInSteps } from "../evaluate/column-shift.js";
import type { FoldResults } from "../evaluate/cross-validate.js";
import { type LeakingColumn, leakingColumnsInSteps } from "../evaluate/leaking-columns.js";
import { metricFacts } from "../evaluate/metric.js";
import type { Model } from "../learners/model.js";
import type { Run } from "../runtime/run.js";
import { mean } from "../runtime/statistics.js";
import { withPauses } from "../runtime/steps.js";
import { correctedTTest } from "../select/corrected-t-test.js";
import { classCounts } from "../table/target.js";
import type { Certificate } from "../theory/certificate.js";
import type { HeldOut } from "../theory/held-out/held-out.js";
import type { SplitRows } from "./split.js";
import type { TestedModel } from "./test.js";
import { betterBy, type Verdict, verdictOf } from "./verdict.js";
import { warningsOf } from "./warnings.js";

/** Everything that a verdict on a training rests on. */
interface JudgedTraining {
  readonly model: Model;
  readonly rows: SplitRows;
  readonly tested: TestedModel;
  readonly validation: FoldResults | undefined;
  /** The certificate to quote. */
  readonly quoted: Certificate | undefined;
  /** Largest p-value of a gain that counts. */
  readonly significance: number;
}

/**
 * Judges a training: is the model better than always answering the commonest class, and what speaks against trusting it? Undefined
 * if its error was measured neither on held-out rows nor in folds.
 */
export async function judge(training: JudgedTraining, { signal }: Run): Promise<Verdict | undefined> {
  const { tested, validation, rows } = training;
  if (!tested.heldOut && !validation) return undefined;
  const { training: known, heldOut } = rows;
  // Copies make every column look like a leak: its values identify rows.
  const leaking =
    tested.copiedRows > 0
      ? []
      : await withPauses(leakingColumnsInSteps(known, known.classes.length, heldOut?.rows), signal);
  if (!tested.heldOut || !heldOut) return validation && judgeFolds(training, validation, leaking);
  return judgeHeldOut(training, tested.heldOut, leaking, await shiftsOf(rows, signal));
}

/**
 * Finds columns that differ between training and test rows. Rows of a random draw differ by chance only, and the tests are for
 * independent rows, so that rows with groups are not tested.
 */
async function shiftsOf({ training, heldOut }: SplitRows, signal: Run["signal"]): Promise<ColumnShift[]> {
  if (!heldOut || heldOut.rows.groups) return [];
  if (heldOut.drawn !== "separate" && heldOut.drawn !== "time") return [];
  return await withPauses(columnShiftsInSteps(training, heldOut.rows, training.target), signal);
}

function judgeHeldOut(
  { model, rows, tested, quoted, significance }: JudgedTraining,
  heldOut: NonNullable<TestedModel["heldOut"]>,
  leaking: readonly LeakingColumn[],
  shifted: readonly ColumnShift[],
): Verdict {
  const { evidence, comparison, classes } = heldOut;
  const warnings = warningsOf({
    heldOut: evidence,
    quoted,
    classes,
    trainingCounts: countsOf(rows),
    leaking,
    shifted,
    converged: model.converged,
  });
  const measuredOn = evidence.groups ? "groups" : isOfNewRows(evidence) ? "new rows" : "held-out rows";
  return verdictOf(tested.baseline.class, comparison, { measuredOn, classes, warnings }, significance);
}

/** Tells whether the rows that count as evidence are the new ones. */
function isOfNewRows({ repeats }: HeldOut): boolean {
  return repeats !== undefined && !repeats.natural && repeats.newRows > 0;
}

/** Compares the errors in folds. The test is approximate, because folds share training rows. */
function judgeFolds(
  { model, rows, tested, significance }: JudgedTraining,
  { errors, baseline, metric, baselineMetric }: FoldResults,
  leaking: readonly LeakingColumn[],
): Verdict {
  const { name } = metric;
  const difference = baselineMetric.mean - metric.mean;
  const gain = metricFacts(name).larger ? -difference : difference;
  const oneRow = name === "error" ? errors.length / rows.training.labels.length : 0;
  const twoSided = correctedTTest(metric.values, baselineMetric.values, oneRow);
  const p = gain > 0 ? twoSided / 2 : 1 - twoSided / 2;
  const compared = { metric: name, model: metric.mean, baseline: baselineMetric.mean, gain, p };
  const warnings = warningsOf({
    copiedRows: tested.copiedRows,
    trainingCounts: countsOf(rows),
    leaking,
    shifted: [],
    converged: model.converged,
  });
  return {
    better: betterBy(gain, p, significance),
    baseline: { class: tested.baseline.class, error: mean(baseline) },
    error: mean(errors),
    gain,
    p,
    ...(name !== "error" && { objective: compared }),
    measuredOn: "folds",
    warnings,
  };
}

function countsOf({ training: { labels, classes } }: SplitRows): ReadonlyMap<string, number> {
  const counts = classCounts(labels, classes.length);
  return new Map(classes.map((name, k) => [name, counts[k]]));
}
