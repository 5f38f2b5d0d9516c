import type { Predictions } from "vouch";
import {
  areaUnderRoc,
  averagePrecision,
  precisionRecallPoints,
  rocPoints,
  type ScoreCurve,
  scoreCurve,
} from "vouch/select";
import { shortened } from "./shortened.js";
import { type CurvePoint, thinnedCurve } from "./thinned-curve.js";

/** How well scores put the rows of a class before the others, or the mean of that over classes. */
export interface RankingCurve {
  readonly name: string;
  /** x: share of the other rows that are taken for the class; y: share of its own rows. Joined by straight lines. */
  readonly roc: readonly CurvePoint[];
  readonly areaUnderRoc: number;
  /** x: recall; y: precision, for all smaller recalls down to the point before. */
  readonly precisionRecall: readonly CurvePoint[];
  readonly averagePrecision: number;
}

/** With more classes than this the mean over classes and the hardest class are drawn. */
const MOST_CLASSES = 4;

/** Of the name of a class. */
const MOST_LETTERS = 24;

/** Places along the axis at which curves are averaged. */
const GRID = Array.from({ length: 201 }, (_, i) => i / 200);

/**
 * The curves that tell how well the scores order the rows: of two classes that of the second, of a few one for each, of many
 * the mean over classes and the class with the smallest area. None where the rows are all of one class.
 */
export function rankingCurves(predicted: Predictions): RankingCurve[] {
  const { classes } = predicted;
  const indices = classes.length === 2 ? [1] : classes.map((_, c) => c);
  if (indices.length > MOST_CLASSES) return meanAndHardest(predicted, indices);
  return indices.flatMap((c) => curveOf(predicted, c) ?? []);
}

function curveOf({ classes, labels, scores }: Predictions, c: number): RankingCurve | undefined {
  const curve = scores && scoreCurve(labels, scores, c);
  return (
    curve && {
      name: shortened(classes[c], MOST_LETTERS),
      roc: thinnedCurve(rocOf(curve)),
      areaUnderRoc: areaUnderRoc(curve),
      precisionRecall: thinnedCurve(precisionRecallOf(curve)),
      averagePrecision: averagePrecision(curve),
    }
  );
}

/** The mean of the curves at each place of the axis, whose areas are the means of theirs; and the curve of least area. */
function meanAndHardest(predicted: Predictions, indices: readonly number[]): RankingCurve[] {
  const curves = indices.flatMap((c) => curveOf(predicted, c) ?? []);
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

function rocOf(curve: ScoreCurve): CurvePoint[] {
  return rocPoints(curve).map(({ falsePositiveRate, truePositiveRate }) => ({
    x: falsePositiveRate,
    y: truePositiveRate,
  }));
}

/** From recall 0, where the precision is that of the first point. */
function precisionRecallOf(curve: ScoreCurve): CurvePoint[] {
  const points = precisionRecallPoints(curve).map(({ recall, precision }) => ({ x: recall, y: precision }));
  return [{ x: 0, y: points[0].y }, ...points];
}

/** Heights over the grid of points that are joined by straight lines; where they rise upright, the upper end. */
export function heightsOfLines(points: readonly CurvePoint[]): Float64Array {
  let next = 0;
  return Float64Array.from(GRID, (x) => {
    while (next < points.length && points[next].x <= x) next++;
    const before = points[next - 1];
    const after = points[next];
    if (!after) return before.y;
    return before.y + ((after.y - before.y) * (x - before.x)) / (after.x - before.x);
  });
}

/** Heights over the grid of steps: that of the first point at or after each place. */
export function heightsOfSteps(points: readonly CurvePoint[]): Float64Array {
  let next = 0;
  return Float64Array.from(GRID, (x) => {
    while (next < points.length - 1 && points[next].x < x) next++;
    return points[next].y;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
