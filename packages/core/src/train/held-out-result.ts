import type { Features, Sample } from "../encode/sample.js";
import type { Assessment, Model } from "../learners/model.js";
import { type AgainstBaseline, againstBaseline, type Baseline, markMistakes } from "../metrics/baseline.js";
import { applyDecision, type Decision, outputKind } from "../metrics/decision.js";
import {
  auc,
  brierLosses,
  brierRange,
  confusionMatrix,
  type Evaluation,
  evaluate,
  logLosses,
} from "../metrics/evaluation.js";
import { groupCounts, meansByGroup } from "../metrics/groups.js";
import { CLIPPED_PROBABILITY, type Objective } from "../metrics/objective-metric.js";
import { type ErrorByPeriod, errorByPeriod } from "../metrics/periods.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import { formatPercent } from "../runtime/text/number-format.js";
import type { RepeatedRows } from "../table/repeated-rows.js";
import { classCounts, type LabelledRows } from "../table/target.js";
import type { AlikeRows, HeldOut, HeldOutLosses, Repeats, SplitMethod } from "../theory/held-out/held-out.js";
import { type HeldOutTest, type PredictedRows, testSelection } from "./selective-prediction.js";
import { type ClassFound, classesFound } from "./warnings.js";

/** Results of a model on held-out rows. */
export interface HeldOutResult {
  /** The evidence for certificates. */
  readonly evidence: HeldOutTest;
  /** The rows that count as evidence. */
  readonly evidenceRows: PredictedRows;
  readonly evaluation: Evaluation;
  readonly assessment: Assessment;
  readonly comparison: AgainstBaseline;
  /** Recall by class, among the rows that count as evidence. */
  readonly classes: readonly ClassFound[];
  /** Error over time; present if the times of the rows are known. */
  readonly periods?: ErrorByPeriod;
}

/** A model with the decision that makes its answers, and the metric that it was trained for. */
export interface TestedClassifier {
  readonly model: Model;
  readonly decision: Decision;
  readonly objective: Objective;
}

/** Held-out rows, encoded, and what is known about where they come from. */
export interface HeldOutRows {
  readonly rows: LabelledRows;
  readonly sample: Sample<Features>;
  /** The rows as scored by the model. */
  readonly assessment: Assessment;
  readonly drawn: SplitMethod;
  readonly dependence: string | undefined;
  /** Whether some training rows are unknown, so that some of these rows may be training rows. */
  readonly unchecked?: boolean;
  readonly repeated?: FoundRepeats | undefined;
  /** A column whose values mark similar rows. */
  readonly alike?: AlikeRows | undefined;
  /** 1 for each row that does not count, because its group has training rows. */
  readonly ofKnownGroup?: Uint8Array | undefined;
}

/** Rows that repeat others, whether independent rows would, and how they repeat if they are not equal. */
export interface FoundRepeats extends Pick<Repeats, "natural" | "nearness"> {
  readonly rows: Pick<RepeatedRows, "repeated" | "firstOfKind">;
}

/** Measures a model on rows that took no part in its training. */
export function heldOutResult(
  { model, decision, objective }: TestedClassifier,
  tested: HeldOutRows,
  baseline: Baseline,
): HeldOutResult {
  const { rows, sample, drawn, dependence, repeated } = tested;
  const { labels } = sample;
  const assessment = { ...tested.assessment, ...applyDecision(decision, tested.assessment) };
  const scoring = outputKind(decision, model);
  const mistakes = markMistakes({ labels, predictions: assessment.predictions });
  const countings = countedRows(labels.length, tested);
  const { predictions, scores } = assessment;
  const { positive } = objective;
  const evaluation = evaluate({ classes: model.classes, labels, predictions, scores, scoring, positive });
  const allRows = { labels, predictions, scores, scoring, groups: rows.groups, area: evaluation.auc };
  const isProof = countings[0]?.length !== 0 && dependence === undefined;
  const { counted, evidenceRows, comparison } = mostCautious(
    (countings.length > 0 ? countings : [undefined]).map((counted) => {
      const evidenceRows = counted ? pickRows(allRows, counted) : allRows;
      const comparison = isProof
        ? againstBaseline(baseline, evidenceRows, objective)
        : unproven(baseline, allRows, objective);
      return { counted, evidenceRows, comparison };
    }),
  );
  const periods = rows.times && errorByPeriod(...timedRows(rows.times, mistakes, counted));
  const confusion = confusionMatrix({ classes: model.classes, ...evidenceRows });
  const evidence: HeldOut = {
    rows: labels.length,
    errors: sum(mistakes),
    drawn,
    ...(repeated && hasRepeats(repeated) && { repeats: repeatCounts(mistakes, repeated) }),
    ...(evidenceRows.groups && { groups: groupCounts(markMistakes(evidenceRows), evidenceRows.groups) }),
    ...(periods && periods.p < SIGNIFICANT_CHANGE && { change: describeChange(periods) }),
    ...(tested.alike && { alike: { column: tested.alike.column, kind: tested.alike.kind } }),
    ...(dependence !== undefined && { dependence }),
    ...(tested.unchecked && { unchecked: true }),
    confusion: { classes: model.classes, matrix: confusion.matrix },
    ...aucOf(evidenceRows),
    losses: lossesOf(evidenceRows),
  };
  return {
    evidence: { ...evidence, ...testSelection(decision, evidenceRows) },
    evidenceRows,
    evaluation,
    assessment,
    comparison,
    classes: classesFound(confusion),
    ...(periods && { periods }),
  };
}

/** Compares a model on rows that prove nothing, because they are training rows or repeat them. */
function unproven(baseline: Baseline, rows: ScoredRows, objective: Objective): AgainstBaseline {
  const compared = againstBaseline(baseline, rows, objective);
  return {
    error: { ...compared.error, p: 1 },
    ...(compared.objective && { objective: { ...compared.objective, p: 1 } }),
  };
}

/** Significance level for a change of the error over time; at 5%, every twentieth model would lose its certificate. */
const SIGNIFICANT_CHANGE = 0.01;

function describeChange({ periods }: ErrorByPeriod): string {
  const [first] = periods;
  const last = periods[periods.length - 1];
  return `The error changes over time: ${formatPercent(first.errors / first.rows)} in the first period of the test, ${formatPercent(last.errors / last.rows)} in the last.`;
}

/**
 * Returns the rows that count as evidence: undefined for all of them, otherwise the new rows, and if repeats are not
 * natural also the distinct ones among them (`heldOutNewRows` explains why).
 */
function countedRows(
  rows: number,
  { drawn, repeated, ofKnownGroup }: Pick<HeldOutRows, "drawn" | "repeated" | "ofKnownGroup">,
): Int32Array[] {
  const all = indicesWhere(rows, (row) => ofKnownGroup?.[row] !== 1);
  if (!repeated || !hasRepeats(repeated)) return ofKnownGroup ? [all] : [];
  const { natural, rows: found } = repeated;
  const isOther = (row: number) => found.repeated[row] === 0;
  const others = all.filter(isOther);
  if (!natural) return [others, others.filter((row) => found.firstOfKind[row] === 1)];
  if (drawn === "separate" && others.length > 0) return [others];
  return ofKnownGroup ? [all] : [];
}

/** Returns whether held-out rows equal training rows, or are copies of each other. */
function hasRepeats({ rows, natural }: FoundRepeats): boolean {
  return rows.repeated.includes(1) || (!natural && rows.firstOfKind.includes(0));
}

/** Takes the way of counting rows with the smallest gain on the baseline, and the largest p-value of all ways. */
function mostCautious<Counted extends { readonly comparison: AgainstBaseline }>(
  ways: readonly Counted[],
): Counted {
  const gain = ({ comparison: { objective, error } }: Counted) => (objective ?? error).gain;
  const least = ways.reduce((a, b) => (gain(b) < gain(a) ? b : a));
  const { error, objective } = least.comparison;
  return {
    ...least,
    comparison: {
      ...least.comparison,
      error: { ...error, p: Math.max(...ways.map(({ comparison }) => comparison.error.p)) },
      ...(objective && {
        objective: {
          ...objective,
          p: Math.max(...ways.map(({ comparison }) => comparison.objective?.p ?? 0)),
        },
      }),
    },
  };
}

function repeatCounts(mistakes: Uint8Array, { rows, natural, nearness }: FoundRepeats): Repeats {
  const repeats = indicesWhere(mistakes.length, (row) => rows.repeated[row] === 1);
  const others = indicesWhere(mistakes.length, (row) => rows.repeated[row] === 0);
  const different = others.filter((row) => rows.firstOfKind[row] === 1);
  return {
    rows: repeats.length,
    errors: sumAt(mistakes, repeats),
    newRows: others.length,
    newErrors: sumAt(mistakes, others),
    natural,
    ...(!natural && { different: { rows: different.length, errors: sumAt(mistakes, different) } }),
    ...(nearness !== undefined && { nearness }),
  };
}

/** Rows with predictions and scores. */
interface ScoredRows {
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  readonly scores: Matrix;
  readonly scoring: "probability" | "decision";
  readonly groups: Int32Array | undefined;
  /** The area under the ROC curve; undefined if all rows are of one class. */
  readonly area: number | undefined;
}

function aucOf({ labels, scores, groups, area }: ScoredRows): Pick<HeldOut, "auc"> {
  if (scores.columns !== 2 || groups || area === undefined) return {};
  const [negatives, positives] = classCounts(labels, 2);
  return { auc: { value: area, positives, negatives } };
}

function lossesOf(rows: ScoredRows): HeldOutLosses {
  const { labels, scores, scoring, groups } = rows;
  const units = (values: Float64Array) => (groups ? meansByGroup(values, groups) : values);
  return {
    brierRange: brierRange(scores.columns),
    leastProbability: CLIPPED_PROBABILITY,
    ...(scoring === "probability" && {
      brier: units(brierLosses(labels, scores)),
      logLoss: units(logLosses(labels, scores, CLIPPED_PROBABILITY)),
    }),
  };
}

/** Takes the times and mistakes of the rows that count. */
function timedRows(
  times: Float64Array,
  mistakes: Uint8Array,
  counted: Int32Array | undefined,
): [Float64Array, Uint8Array] {
  if (!counted) return [times, mistakes];
  return [Float64Array.from(counted, (row) => times[row]), Uint8Array.from(counted, (row) => mistakes[row])];
}

function indicesWhere(rows: number, condition: (row: number) => boolean): Int32Array {
  return Int32Array.from({ length: rows }, (_, row) => row).filter(condition);
}

function pickRows(
  { labels, predictions, scores, scoring, groups }: ScoredRows,
  rows: Int32Array,
): ScoredRows {
  const pick = (values: Int32Array) => rows.map((row) => values[row]);
  const own = { labels: pick(labels), scores: scores.select(rows) };
  return {
    ...own,
    predictions: pick(predictions),
    scoring,
    groups: groups && pick(groups),
    area: auc(own.labels, own.scores),
  };
}

function sum(values: Uint8Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function sumAt(values: Uint8Array, rows: Int32Array): number {
  return rows.reduce((total, row) => total + values[row], 0);
}
