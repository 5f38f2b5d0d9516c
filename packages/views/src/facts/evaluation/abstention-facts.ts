import { computeConfidences } from "@vouch/core/internal/metrics/decision";
import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import { type AbstentionRule, answeredMask } from "@vouch/core/internal/theory/conformal/abstention-rule";
import { thinned } from "../../charts/thinned.js";

/** Error of the answers if only the most certain rows are answered. */
export interface RiskPoint {
  /** Share of rows that are answered. */
  readonly answered: number;
  /** Share of the answers that are wrong. */
  readonly error: number;
}

/** Numbers of answered rows and of wrong answers in a class. */
export interface ClassCoverage {
  readonly name: string;
  readonly rows: number;
  readonly answered: number;
  readonly wrong: number;
}

/** When a model answers, and how that changes its error. */
export interface AbstentionFacts {
  readonly rule: AbstentionRule;
  /** From the fewest answers to all. */
  readonly curve: readonly RiskPoint[];
  /** Empty if there are too many classes. */
  readonly classes: readonly ClassCoverage[];
}

/** Computes the answers of an abstaining model; undefined without scores or rows. */
export function abstentionFacts(rule: AbstentionRule, predicted: Predictions): AbstentionFacts | undefined {
  const curve = shownPoints(riskCurve(predicted), predicted.labels.length);
  return curve.length === 0 ? undefined : { rule, curve, classes: classCoverage(rule, predicted) };
}

/**
 * Computes the risk–coverage curve (El-Yaniv and Wiener 2010): the error of the answers at every threshold on the
 * probability of the predicted class, from the fewest answers to all. Rows with equal probability are answered
 * together.
 */
export function riskCurve({ labels, predictions, scores }: Predictions): RiskPoint[] {
  if (!scores) return [];
  const confidences = computeConfidences(predictions, scores);
  const surest = Int32Array.from(labels.keys()).sort((a, b) => confidences[b] - confidences[a]);
  const points: RiskPoint[] = [];
  let wrong = 0;
  surest.forEach((row, i) => {
    if (predictions[row] !== labels[row]) wrong++;
    const isLast = confidences[surest[i + 1]] !== confidences[row];
    if (isLast) points.push({ answered: (i + 1) / labels.length, error: wrong / (i + 1) });
  });
  return points;
}

/** With fewer answers than this, the error is mostly chance. */
const ENOUGH_ANSWERS = 10;

/** Lists the points with enough answers, and always the last one. */
function shownPoints(points: readonly RiskPoint[], rows: number): readonly RiskPoint[] {
  const enough = points.filter(({ answered }) => Math.round(answered * rows) >= ENOUGH_ANSWERS);
  return thinned(enough.length > 0 ? enough : points.slice(-1));
}

/** Maximum number of classes to list. */
const MOST_CLASSES = 12;

function classCoverage(
  rule: AbstentionRule,
  { classes, labels, predictions, scores }: Predictions,
): ClassCoverage[] {
  if (!scores || classes.length > MOST_CLASSES) return [];
  const isAnswered = answeredMask(rule, computeConfidences(predictions, scores));
  return classes.map((name, k) => {
    const counts = { rows: 0, answered: 0, wrong: 0 };
    labels.forEach((label, i) => {
      if (label !== k) return;
      counts.rows++;
      counts.answered += isAnswered[i];
      if (isAnswered[i] === 1 && predictions[i] !== k) counts.wrong++;
    });
    return { name, ...counts };
  });
}
