import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { operatingPoint, type RankingCurve } from "./ranking-facts.js";

/** Numbers of positive predictions, with two classes. */
export interface PredictedCounts {
  /** Number of positive rows that are predicted positive. */
  readonly found: number;
  /** Number of negative rows that are predicted positive. */
  readonly alarms: number;
}

/** Outcome of a threshold: rows whose probability of the positive class is at least `at` are predicted positive. */
export interface ThresholdPoint extends PredictedCounts {
  readonly at: number;
}

/** Cost of a row by its true class and prediction. */
export interface ErrorCosts {
  /** Cost of a positive row that is predicted negative. */
  readonly missed: number;
  /** Cost of a negative row that is predicted positive. */
  readonly alarm: number;
  /** Cost of a correct positive prediction, which may not be zero. */
  readonly found: number;
  readonly rejected: number;
}

/** Outcomes of thresholds on the probability of the positive class. */
export interface ThresholdFacts {
  readonly positive: string;
  readonly negative: string;
  /** Number of rows of each class. */
  readonly positives: number;
  readonly negatives: number;
  /** The model's own predictions; `at` is absent if they do not follow a threshold. */
  readonly used: PredictedCounts & { readonly at?: number };
  /** Thresholds to choose from, ascending. */
  readonly points: readonly ThresholdPoint[];
  readonly areaUnderRoc: number;
  readonly averagePrecision: number;
  /** A few thresholds for a table, ascending. */
  readonly listed: readonly ThresholdPoint[];
  /** The metric that the model was trained for. */
  readonly metric?: MetricName;
  /** The costs that the model was trained for. */
  readonly costs?: ErrorCosts;
}

/** Equal costs of 1: the cost of a row is the error. */
export const EQUAL_COSTS: ErrorCosts = { missed: 1, alarm: 1, found: 0, rejected: 0 };

export interface ThresholdMeasures {
  readonly recall: number;
  /** NaN if the positive class is never predicted. */
  readonly precision: number;
  /** Share of the negative rows that are predicted positive. */
  readonly falseAlarms: number;
  readonly error: number;
  readonly balancedError: number;
  readonly f1: number;
  /** Mean cost of a row. */
  readonly cost: number;
}

export function thresholdMeasures(
  { positives, negatives }: Pick<ThresholdFacts, "positives" | "negatives">,
  { found, alarms }: PredictedCounts,
  costs: ErrorCosts = EQUAL_COSTS,
): ThresholdMeasures {
  const rows = positives + negatives;
  const missed = positives - found;
  const paid =
    costs.missed * missed +
    costs.alarm * alarms +
    costs.found * found +
    costs.rejected * (negatives - alarms);
  return {
    recall: found / positives,
    precision: found / (found + alarms),
    falseAlarms: alarms / negatives,
    error: (missed + alarms) / rows,
    balancedError: (missed / positives + alarms / negatives) / 2,
    f1: (2 * found) / (positives + found + alarms),
    cost: paid / rows,
  };
}

/** Finds the index of the cheapest threshold; ties go to the smallest threshold. */
export function cheapestPoint(facts: ThresholdFacts, costs: ErrorCosts): number {
  const paid = facts.points.map((point) => thresholdMeasures(facts, point, costs).cost);
  return paid.indexOf(Math.min(...paid));
}

/** Finds the index of the threshold closest to the model's own predictions. */
export function usedPoint({ points, used }: ThresholdFacts): number {
  const distance = ({ found, alarms }: PredictedCounts) =>
    Math.abs(found - used.found) + Math.abs(alarms - used.alarms);
  const distances = points.map(distance);
  return distances.indexOf(Math.min(...distances));
}

/** Returns the ROC and precision–recall curves through the thresholds. */
export function thresholdCurve(facts: ThresholdFacts): RankingCurve {
  const { positive, points, areaUnderRoc, averagePrecision } = facts;
  const places = points.map((point) => operatingPoint({ ...facts, ...point })).reverse();
  const precisionRecall = places.flatMap((place) => place.precisionRecall ?? []);
  return {
    name: positive,
    roc: [{ x: 0, y: 0 }, ...places.map(({ roc }) => roc)],
    areaUnderRoc,
    precisionRecall: [{ x: 0, y: precisionRecall[0].y }, ...precisionRecall],
    averagePrecision,
  };
}
