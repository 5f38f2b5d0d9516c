import type { DecisionRule } from "@vouch/core/internal/metrics/decision-rule";
import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import type { Objective } from "@vouch/core/internal/metrics/objective-metric";
import {
  areaUnderRoc,
  averagePrecision,
  type ScoreCurve,
  scoreCurve,
} from "@vouch/core/internal/metrics/score-curve";
import { thinned } from "../../charts/thinned.js";
import { predictedCounts } from "./ranking-facts.js";
import type { ErrorCosts, PredictedCounts, ThresholdFacts, ThresholdPoint } from "./threshold-measures.js";

/** The decision rule, and the metric or costs behind it. */
export interface DecidedBy {
  readonly rule: DecisionRule;
  readonly objective: Objective | undefined;
}

/** Returns the index of the class that the threshold is about; undefined with more than two classes. */
export function positiveClass(
  { rule, objective }: DecidedBy,
  classes: readonly string[],
): number | undefined {
  if (classes.length !== 2) return undefined;
  return rule.kind === "threshold" ? rule.class : (objective?.positive ?? 1);
}

/**
 * Counts the outcomes of all thresholds on the probability of the positive class; undefined without probabilities or if
 * all rows belong to one class.
 */
export function thresholdFacts(by: DecidedBy, predicted: Predictions): ThresholdFacts | undefined {
  const { classes, labels, predictions, scores, scoring } = predicted;
  const positive = positiveClass(by, classes);
  if (positive === undefined || !scores || scoring !== "probability") return undefined;
  const curve = scoreCurve(labels, scores, positive);
  if (!curve) return undefined;
  const { found, alarms } = predictedCounts(labels, predictions, positive);
  const own = by.rule.kind === "threshold" ? { at: by.rule.at } : {};
  const used = { ...own, found, alarms };
  const all = thresholdPoints(curve);
  return {
    positive: classes[positive],
    negative: classes[1 - positive],
    positives: curve.positives,
    negatives: curve.negatives,
    used,
    areaUnderRoc: areaUnderRoc(curve),
    averagePrecision: averagePrecision(curve),
    points: chosenPoints(all, used),
    listed: listedPoints(all, curve, used),
    ...readCosts(by.objective, positive),
    ...(by.objective && { metric: by.objective.metric }),
  };
}

function readCosts(objective: Objective | undefined, positive: number): { readonly costs?: ErrorCosts } {
  const costs = objective?.costs;
  if (!costs) return {};
  const [own, other] = [costs[positive], costs[1 - positive]];
  return {
    costs: {
      missed: own[1 - positive],
      alarm: other[positive],
      found: own[positive],
      rejected: other[1 - positive],
    },
  };
}

/** Lists one threshold for each number of positive predictions, from all rows down to the rows with probability 1. */
function thresholdPoints({ thresholds, truePositives, falsePositives }: ScoreCurve): ThresholdPoint[] {
  const points = Array.from(thresholds, (score, i) => ({
    at: roundedWithin(thresholds[i + 1] ?? -1, Math.min(1, score)),
    found: truePositives[i],
    alarms: falsePositives[i],
  }));
  points.reverse();
  if (thresholds[0] < 1) points.push({ at: 1, found: 0, alarms: 0 });
  return points;
}

/**
 * Returns the shortest decimal number in (low, high]; all thresholds between two neighbouring scores predict the same.
 */
function roundedWithin(low: number, high: number): number {
  for (let digits = 1; digits <= 12; digits++) {
    const scale = 10 ** digits;
    const rounded = Math.floor(high * scale) / scale;
    if (rounded > low && rounded <= high && rounded >= 0) return rounded;
  }
  return high;
}

/** A slider cannot resolve more steps than this. */
const MOST_STEPS = 300;

/**
 * Chooses the thresholds of a slider: an even selection, the current threshold, and the corners of the convex hull of
 * the ROC curve. One of the corners is the cheapest for any costs of the two errors (Provost and Fawcett 2001).
 */
function chosenPoints(
  all: readonly ThresholdPoint[],
  used: PredictedCounts & { readonly at?: number },
): ThresholdPoint[] {
  const isUsed = ({ found, alarms }: ThresholdPoint) => found === used.found && alarms === used.alarms;
  const kept = new Set([...thinned(all, MOST_STEPS), ...hull(all), ...all.filter(isUsed)]);
  return all
    .filter((point) => kept.has(point))
    .map((point) => (used.at !== undefined && isUsed(point) ? { ...point, at: used.at } : point));
}

/**
 * Returns the corners of the upper convex hull of (false alarms, found), from the most predicted rows to the fewest.
 */
function hull(points: readonly ThresholdPoint[]): ThresholdPoint[] {
  const corners: ThresholdPoint[] = [];
  for (const point of points) {
    while (corners.length > 1 && !turnsAt(corners[corners.length - 2], corners[corners.length - 1], point))
      corners.pop();
    corners.push(point);
  }
  return corners;
}

/** Returns whether the middle point lies above the line through the other two. */
function turnsAt(right: PredictedCounts, middle: PredictedCounts, left: PredictedCounts): boolean {
  const [dx, dy] = [middle.alarms - right.alarms, middle.found - right.found];
  return dx * (left.found - right.found) - dy * (left.alarms - right.alarms) > 0;
}

/** Thresholds of the table; rare classes need small ones. */
const THRESHOLDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/** Adjacent rows of the table differ in at least this share of predictions. */
const LEAST_CHANGE = 0.005;

function listedPoints(
  all: readonly ThresholdPoint[],
  { thresholds, positives, negatives }: ScoreCurve,
  used: PredictedCounts,
): ThresholdPoint[] {
  const apart = Math.max(1, LEAST_CHANGE * (positives + negatives));
  const taken = [used.found + used.alarms];
  return THRESHOLDS.flatMap((at) => {
    // Points are in ascending order of scores, possibly with one more that predicts no row.
    const reached = thresholds.findLastIndex((score) => score >= at);
    const { found, alarms } = all[thresholds.length - 1 - reached] ?? { found: 0, alarms: 0 };
    const count = found + alarms;
    if (taken.some((other) => Math.abs(other - count) < apart)) return [];
    taken.push(count);
    return [{ at, found, alarms }];
  });
}
