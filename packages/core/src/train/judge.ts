import type { Model } from "../learners/model.js";
import { metricFacts } from "../metrics/metric-name.js";
import { mean } from "../runtime/maths/statistics.js";
import { correctedTTest } from "../select/corrected-t-test.js";
import type { TableNotice } from "../table/table.js";
import { classCounts } from "../table/target.js";
import type { Certificate } from "../theory/certificate.js";
import { countsNewRows, type HeldOut } from "../theory/held-out/held-out.js";
import type { FoldResults } from "../validation/cross-validate.js";
import type { RowInspection } from "./inspect-rows.js";
import type { MeasuredModel } from "./measure.js";
import { type RareClass, rarestClass } from "./rare-class.js";
import type { SplitRows } from "./split.js";
import { betterBy, makeVerdict, type Verdict } from "./verdict.js";
import { findWarnings } from "./warnings.js";

/** Everything that a verdict on a training depends on. */
interface JudgedTraining {
  readonly model: Model;
  readonly rows: SplitRows;
  readonly inspected: RowInspection;
  readonly tested: MeasuredModel;
  readonly validation: FoldResults | undefined;
  /** The certificate to quote. */
  readonly quoted: Certificate | undefined;
  /** Largest significant p-value of a gain. */
  readonly significance: number;
}

/**
 * Judges a training: is the model better than always answering the most common class, and what puts that in doubt?
 * Undefined if its error was measured neither on held-out rows nor in folds.
 */
export function judge(training: JudgedTraining): Verdict | undefined {
  const { tested, validation } = training;
  if (tested.heldOut) return judgeHeldOut(training, tested.heldOut);
  return validation && judgeFolds(training, validation);
}

function judgeHeldOut(
  { model, rows, inspected, tested, quoted, significance }: JudgedTraining,
  heldOut: NonNullable<MeasuredModel["heldOut"]>,
): Verdict {
  const { evidence, comparison, classes } = heldOut;
  const warnings = findWarnings({
    heldOut: evidence,
    quoted,
    classes,
    isSplit: rows.heldOut !== undefined && rows.heldOut.drawn !== "separate",
    trainingCounts: countsOf(rows),
    leaking: inspected.leaking,
    targetMeans: inspected.targetMeans,
    alike: inspected.alike,
    doubtful: doubtfulNotices(rows),
    shifted: inspected.shifted,
    converged: model.converged,
  });
  const measuredOn = evidence.groups ? "groups" : isOfNewRows(evidence) ? "new rows" : "held-out rows";
  return makeVerdict(tested.baseline.class, comparison, { measuredOn, classes, warnings }, significance);
}

/** Returns whether only rows that equal no training row count as evidence. */
export function isOfNewRows(heldOut: HeldOut): boolean {
  const { rows = 0, newRows = 0 } = heldOut.repeats ?? {};
  return countsNewRows(heldOut) && rows > 0 && newRows > 0;
}

/** Compares the errors in folds. The test is approximate, because folds share training rows. */
function judgeFolds(
  { model, rows, inspected, tested, significance }: JudgedTraining,
  { errors, baseline, metric, baselineMetric, outOfFold }: FoldResults,
): Verdict {
  const { name } = metric;
  const difference = baselineMetric.mean - metric.mean;
  const gain = metricFacts(name).larger ? -difference : difference;
  const oneRow = name === "error" ? errors.length / rows.training.labels.length : 0;
  const twoSided = correctedTTest(metric.values, baselineMetric.values, oneRow);
  const p = gain > 0 ? twoSided / 2 : 1 - twoSided / 2;
  const compared = { metric: name, model: metric.mean, baseline: baselineMetric.mean, gain, p };
  const warnings = findWarnings({
    copiedRows: inspected.copiedRows,
    folds: { rows: rows.training.labels.length, error: mean(errors) },
    trainingCounts: countsOf(rows),
    leaking: inspected.leaking,
    targetMeans: inspected.targetMeans,
    alike: inspected.alike,
    doubtful: doubtfulNotices(rows),
    shifted: [],
    converged: model.converged,
  });
  const rare = rarestClass(classesInFolds(rows, outOfFold));
  return {
    better: betterBy(gain, p, significance),
    baseline: { class: tested.baseline.class, error: mean(baseline) },
    error: mean(errors),
    gain,
    p,
    ...(name !== "error" && { objective: compared }),
    measuredOn: "folds",
    ...(rare && { rare }),
    warnings,
  };
}

/** Counts the rows of each class, and how many of them models that did not see them find, if that is known. */
function classesInFolds(
  { training }: SplitRows,
  tested: FoldResults["outOfFold"],
): Pick<RareClass, "class" | "rows" | "found">[] {
  const { labels, predictions } = tested?.from === "folds" ? tested : { ...training, predictions: undefined };
  const rows = classCounts(labels, training.classes.length);
  const found = predictions?.filter((prediction, row) => prediction === labels[row]);
  const foundOf = found && classCounts(found, training.classes.length);
  return training.classes.map((name, k) => ({
    class: name,
    rows: rows[k],
    ...(foundOf && { found: foundOf[k] }),
  }));
}

/** Lists the notices that say why the training rows may have been read wrongly. */
function doubtfulNotices({ training }: SplitRows): TableNotice[] {
  return training.features.notices.filter(({ isDoubtful }) => isDoubtful);
}

function countsOf({ training: { labels, classes } }: SplitRows): ReadonlyMap<string, number> {
  const counts = classCounts(labels, classes.length);
  return new Map(classes.map((name, k) => [name, counts[k]]));
}
