import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import {
  areaUnderRoc,
  averagePrecision,
  precisionRecallPoints,
  rocPoints,
  type ScoreCurve,
  scoreCurve,
} from "@vouch/core/internal/metrics/score-curve";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { thinned } from "../../charts/thinned.js";
import { shortened } from "../../text/text.js";

/** A place in a unit square. */
export interface SquarePoint {
  readonly x: number;
  readonly y: number;
}

/** Curves that show how well scores rank the rows of a class above all other rows, or their mean over classes. */
export interface RankingCurve {
  readonly name: string;
  /** x is the false positive rate, y the true positive rate. Joined by straight lines. */
  readonly roc: readonly SquarePoint[];
  readonly areaUnderRoc: number;
  /** x is recall, y precision, valid down to the previous recall. */
  readonly precisionRecall: readonly SquarePoint[];
  readonly averagePrecision: number;
}

/** A point on both curves of a class. */
export interface OperatingPoint {
  readonly roc: SquarePoint;
  /** Absent if the class is never predicted. */
  readonly precisionRecall?: SquarePoint;
}

export interface RankingFacts {
  readonly classes: number;
  readonly curves: readonly RankingCurve[];
  /** Position of the predictions on the curves; only for two classes. */
  readonly point?: OperatingPoint;
}

/** Computes ROC and precision–recall curves; undefined without scores or if all rows belong to one class. */
export function rankingFacts(predicted: Predictions, positive = 1): RankingFacts | undefined {
  const curves = rankingCurves(predicted, positive);
  if (curves.length === 0) return undefined;
  const classes = predicted.classes.length;
  return { classes, curves, ...(classes === 2 && { point: predictedPoint(predicted, positive) }) };
}

/** Points closer than this coincide in a figure of 300 pixels. */
const NEAR = 0.003;

/** Drops points close to the previous one; keeps the first and the last. */
function thinnedCurve(points: readonly SquarePoint[]): readonly SquarePoint[] {
  const kept: SquarePoint[] = [];
  points.forEach((point, i) => {
    const last = kept.at(-1);
    const isEnd = i === 0 || i === points.length - 1;
    if (isEnd || !last || Math.abs(point.x - last.x) > NEAR || Math.abs(point.y - last.y) > NEAR) {
      kept.push(point);
    }
  });
  return thinned(kept);
}

/** With more classes than this, the mean over classes and the hardest class are drawn. */
const MOST_CLASSES = 4;

/** Maximum length of a class name. */
const MOST_LETTERS = 24;

/** Grid on which curves are averaged. */
const GRID = Array.from({ length: 201 }, (_, i) => i / 200);

/**
 * Computes the curves of the positive class (of two), of each of a few classes, or the mean over many classes and the
 * class with the smallest area. Empty if all rows belong to one class.
 */
export function rankingCurves(predicted: Predictions, positive = 1): RankingCurve[] {
  const { classes } = predicted;
  const indices = classes.length === 2 ? [positive] : classes.map((_, c) => c);
  if (indices.length > MOST_CLASSES) return meanAndHardest(predicted, indices);
  return indices.flatMap((c) => rankingCurve(predicted, c) ?? []);
}

function rankingCurve({ classes, labels, scores }: Predictions, c: number): RankingCurve | undefined {
  const curve = scores && scoreCurve(labels, scores, c);
  return (
    curve && {
      name: shortened(classes[c], MOST_LETTERS),
      roc: thinnedCurve(rocCurvePoints(curve)),
      areaUnderRoc: areaUnderRoc(curve),
      precisionRecall: thinnedCurve(precisionRecallCurvePoints(curve)),
      averagePrecision: averagePrecision(curve),
    }
  );
}

/** Averages the curves on the grid, and adds the curve with the smallest area. */
function meanAndHardest(predicted: Predictions, indices: readonly number[]): RankingCurve[] {
  const curves = indices.flatMap((c) => rankingCurve(predicted, c) ?? []);
  if (curves.length === 0) return [];
  const meanOf = (heights: readonly Float64Array[]) =>
    GRID.map((x, i) => ({ x, y: mean(heights.map((own) => own[i])) }));
  const hardest = curves.reduce((a, b) => (b.areaUnderRoc < a.areaUnderRoc ? b : a));
  return [
    {
      name: `mean of ${curves.length} classes`,
      roc: [{ x: 0, y: 0 }, ...meanOf(curves.map(({ roc }) => heightsOfLines(roc)))],
      areaUnderRoc: mean(curves.map((curve) => curve.areaUnderRoc)),
      precisionRecall: meanOf(curves.map(({ precisionRecall }) => heightsOfSteps(precisionRecall))),
      averagePrecision: mean(curves.map((curve) => curve.averagePrecision)),
    },
    { ...hardest, name: `${hardest.name} (hardest)` },
  ];
}

function rocCurvePoints(curve: ScoreCurve): SquarePoint[] {
  return rocPoints(curve).map(({ falsePositiveRate, truePositiveRate }) => ({
    x: falsePositiveRate,
    y: truePositiveRate,
  }));
}

/** Starts at recall 0 with the precision of the first point. */
function precisionRecallCurvePoints(curve: ScoreCurve): SquarePoint[] {
  const points = precisionRecallPoints(curve).map(({ recall, precision }) => ({ x: recall, y: precision }));
  return [{ x: 0, y: points[0].y }, ...points];
}

/** Interpolates points joined by straight lines on the grid; takes the upper end of vertical lines. */
export function heightsOfLines(points: readonly SquarePoint[]): Float64Array {
  let next = 0;
  return Float64Array.from(GRID, (x) => {
    while (next < points.length && points[next].x <= x) next++;
    const before = points[next - 1];
    const after = points[next];
    if (!after) return before.y;
    return before.y + ((after.y - before.y) * (x - before.x)) / (after.x - before.x);
  });
}

/** Interpolates steps on the grid: the value of the first point at or after each place. */
export function heightsOfSteps(points: readonly SquarePoint[]): Float64Array {
  let next = 0;
  return Float64Array.from(GRID, (x) => {
    while (next < points.length - 1 && points[next].x < x) next++;
    return points[next].y;
  });
}

/** Returns the point on the curves for given numbers of true and false positives. */
export function operatingPoint(counts: {
  readonly positives: number;
  readonly negatives: number;
  readonly found: number;
  readonly alarms: number;
}): OperatingPoint {
  const { positives, negatives, found, alarms } = counts;
  const recall = found / positives;
  return {
    roc: { x: alarms / negatives, y: recall },
    ...(found + alarms > 0 && { precisionRecall: { x: recall, y: found / (found + alarms) } }),
  };
}

/** Returns the point of the predictions on the curves of a class; some rows are of this class and some are not. */
export function predictedPoint(
  { labels, predictions }: Pick<Predictions, "labels" | "predictions">,
  c: number,
): OperatingPoint {
  return operatingPoint(predictedCounts(labels, predictions, c));
}

/**
 * Counts the rows in the class and in all other classes, and how many of each are predicted as the class. Skips rows of
 * unknown class.
 */
export function predictedCounts(labels: Int32Array, predictions: Int32Array, c: number) {
  const counts = { positives: 0, negatives: 0, found: 0, alarms: 0 };
  labels.forEach((label, i) => {
    if (label < 0) return;
    const isPredicted = Number(predictions[i] === c);
    counts[label === c ? "positives" : "negatives"]++;
    counts[label === c ? "found" : "alarms"] += isPredicted;
  });
  return counts;
}
