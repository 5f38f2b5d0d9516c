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

/** Curves that show how well scores rank the rows of a class before the others, or their mean over classes. */
export interface RankingCurve {
  readonly name: string;
  /** x: false positive rate; y: true positive rate. Joined by straight lines. */
  readonly roc: readonly SquarePoint[];
  readonly areaUnderRoc: number;
  /** x: recall; y: precision, for all smaller recalls down to the point before. */
  readonly precisionRecall: readonly SquarePoint[];
  readonly averagePrecision: number;
}

/** A place on both curves of a class. */
export interface OperatingPoint {
  readonly roc: SquarePoint;
  /** Absent if the class is never predicted. */
  readonly precisionRecall?: SquarePoint;
}

/** How well scores rank the rows. */
export interface RankingFacts {
  readonly classes: number;
  readonly curves: readonly RankingCurve[];
  /** Where the predictions are on the curves; of two classes only. */
  readonly point?: OperatingPoint;
}

/** Computes ROC and precision–recall curves; returns undefined without scores, or if all rows are of one class. */
export function rankingFacts(predicted: Predictions, positive = 1): RankingFacts | undefined {
  const curves = rankingCurves(predicted, positive);
  if (curves.length === 0) return undefined;
  const classes = predicted.classes.length;
  return { classes, curves, ...(classes === 2 && { point: predictedPoint(predicted, positive) }) };
}

/** Points nearer to each other than this are one in a figure of 300 pixels. */
const NEAR = 0.003;

/** Drops points near to the one before; the first and the last stay. */
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

/** Letters of the name of a class. */
const MOST_LETTERS = 24;

/** Places along the axis at which curves are averaged. */
const GRID = Array.from({ length: 201 }, (_, i) => i / 200);

/**
 * Computes the curves: with two classes that of the positive one, the second by default, with a few one per class, with many the mean over classes and the
 * class with the smallest area. Returns none if all rows are of one class.
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

/** Averages the curves at each place of the axis, and adds the curve of smallest area. */
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

/** Computes heights over the grid of points joined by straight lines; the upper end if a line is vertical. */
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

/** Computes heights over the grid of steps: that of the first point at or after each place. */
export function heightsOfSteps(points: readonly SquarePoint[]): Float64Array {
  let next = 0;
  return Float64Array.from(GRID, (x) => {
    while (next < points.length - 1 && points[next].x < x) next++;
    return points[next].y;
  });
}

/** Finds the place on the curves of a class by its numbers of true and false positives. */
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

/** Finds the point of the predictions on the curves of a class, which has rows, as have others. */
export function predictedPoint(
  { labels, predictions }: Pick<Predictions, "labels" | "predictions">,
  c: number,
): OperatingPoint {
  return operatingPoint(predictedCounts(labels, predictions, c));
}

/** Counts the rows of a class and of others, and those of both that are predicted as this class. Rows of unknown classes are left out. */
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
