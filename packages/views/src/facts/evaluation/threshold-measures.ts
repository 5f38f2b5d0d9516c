import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { operatingPoint, type RankingCurve } from "./ranking-facts.js";

/** How many rows of two classes are predicted as the positive one. */
export interface PredictedCounts {
  /** Rows of the positive class that get it. */
  readonly found: number;
  /** Rows of the other class that get it. */
  readonly alarms: number;
}

/** What a threshold gives: rows whose probability of the positive class is at least `at` get this class. */
export interface ThresholdPoint extends PredictedCounts {
  readonly at: number;
}

/** What a row costs by its true class and prediction. */
export interface ErrorCosts {
  /** A row of the positive class that does not get it. */
  readonly missed: number;
  /** A row of the other class that gets the positive one. */
  readonly alarm: number;
  /** Right answers, which may cost something, too. */
  readonly found: number;
  readonly rejected: number;
}

/** What thresholds on the probability of the positive class of two would give. */
export interface ThresholdFacts {
  readonly positive: string;
  readonly negative: string;
  /** Number of rows of each of them. */
  readonly positives: number;
  readonly negatives: number;
  /** The predictions of the model; `at` is absent if they do not come from a threshold. */
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

/** Every error costs 1: the cost of a row is the error. */
export const EQUAL_COSTS: ErrorCosts = { missed: 1, alarm: 1, found: 0, rejected: 0 };

/** Measures of the predictions of two classes. */
export interface ThresholdMeasures {
  readonly recall: number;
  /** NaN if the positive class is never predicted. */
  readonly precision: number;
  /** Share of the rows of the other class that get the positive one. */
  readonly falseAlarms: number;
  readonly error: number;
  readonly balancedError: number;
  readonly f1: number;
  /** Mean cost of a row. */
  readonly cost: number;
}

/** Computes the measures of predictions from their counts. */
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

/** Finds the index of the threshold that costs least; of several, the smallest threshold. */
export function cheapestPoint(facts: ThresholdFacts, costs: ErrorCosts): number {
  const paid = facts.points.map((point) => thresholdMeasures(facts, point, costs).cost);
  return paid.indexOf(Math.min(...paid));
}

/** Finds the index of the point nearest to the predictions of the model. */
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
