import * as Plot from "@observablehq/plot";
import {
  areaUnderRoc,
  averagePrecision,
  mean,
  precisionRecallPoints,
  rocPoints,
  type ScoreCurve,
  scoreCurve,
} from "vouch/select";
import { formatNumber, formatPercent, type Predictions } from "vouch/train";
import { colour } from "./colours.js";
import { classStyle, diagonal, type LineStyle, legend, smallFigure, thinned } from "./figure.js";
import { html, type Markup, shortened } from "./markup.js";

/** A point of a curve in a unit square. */
interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

/** Points nearer to each other than this are one in a figure of 300 pixels. */
const NEAR = 0.003;

/** Drops points near to the one before; the first and the last stay. */
function thinnedCurve(points: readonly CurvePoint[]): readonly CurvePoint[] {
  const kept: CurvePoint[] = [];
  points.forEach((point, i) => {
    const last = kept.at(-1);
    const isEnd = i === 0 || i === points.length - 1;
    if (isEnd || !last || Math.abs(point.x - last.x) > NEAR || Math.abs(point.y - last.y) > NEAR) {
      kept.push(point);
    }
  });
  return thinned(kept);
}

/** Curves that show how well scores rank the rows of a class before the others, or their mean over classes. */
interface RankingCurve {
  readonly name: string;
  /** x: false positive rate; y: true positive rate. Joined by straight lines. */
  readonly roc: readonly CurvePoint[];
  readonly areaUnderRoc: number;
  /** x: recall; y: precision, for all smaller recalls down to the point before. */
  readonly precisionRecall: readonly CurvePoint[];
  readonly averagePrecision: number;
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

/** Averages the curves at each place of the axis, and adds the curve of smallest area. */
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

/** Starts at recall 0 with the precision of the first point. */
function precisionRecallOf(curve: ScoreCurve): CurvePoint[] {
  const points = precisionRecallPoints(curve).map(({ recall, precision }) => ({ x: recall, y: precision }));
  return [{ x: 0, y: points[0].y }, ...points];
}

/** Computes heights over the grid of points joined by straight lines; the upper end if a line is vertical. */
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

/** Computes heights over the grid of steps: that of the first point at or after each place. */
export function heightsOfSteps(points: readonly CurvePoint[]): Float64Array {
  let next = 0;
  return Float64Array.from(GRID, (x) => {
    while (next < points.length - 1 && points[next].x < x) next++;
    return points[next].y;
  });
}

/** Where the predictions of a model are on the curves of a class. */
interface OperatingPoint {
  readonly roc: CurvePoint;
  /** Absent if the class is never predicted. */
  readonly precisionRecall?: CurvePoint;
}

/** Finds the point of the predictions on the curves of a class, which has rows, as have others. */
export function operatingPoint(
  { labels, predictions }: Pick<Predictions, "labels" | "predictions">,
  c: number,
): OperatingPoint {
  const counts = { own: 0, others: 0, found: 0, alarms: 0 };
  labels.forEach((label, i) => {
    if (label < 0) return;
    const isPredicted = Number(predictions[i] === c);
    counts[label === c ? "own" : "others"]++;
    counts[label === c ? "found" : "alarms"] += isPredicted;
  });
  const { own, others, found, alarms } = counts;
  return {
    roc: { x: alarms / others, y: found / own },
    ...(found + alarms > 0 && { precisionRecall: { x: found / own, y: found / (found + alarms) } }),
  };
}

function pointMark(point: CurvePoint | undefined): Plot.Markish[] {
  if (!point) return [];
  const style = { r: 6.5, fill: colour("orange"), stroke: colour("paper"), strokeWidth: 1.5 };
  return [Plot.dot([point], { x: "x", y: "y", ...style })];
}

function pointInWords(point: CurvePoint | undefined, x: string, y: string): string {
  return point ? ` The model: ${x} ${formatPercent(point.x)}, ${y} ${formatPercent(point.y)}.` : "";
}

interface StyledCurve extends RankingCurve {
  readonly style: LineStyle;
}

function line(points: readonly CurvePoint[], style: LineStyle, curve: "linear" | "step-before") {
  return Plot.line(points, { x: "x", y: "y", curve, ...style });
}

function readings(curves: readonly RankingCurve[], measure: (curve: RankingCurve) => number): string {
  if (curves.length === 1) return `${formatNumber(measure(curves[0]))}.`;
  return `${curves.map((curve) => `${curve.name} ${formatNumber(measure(curve))}`).join(", ")}.`;
}

function rocFigure(curves: readonly StyledCurve[], point: CurvePoint | undefined): Markup {
  const areas = readings(curves, (curve) => curve.areaUnderRoc);
  const own = pointInWords(point, "false positive rate", "true positive rate");
  const square = {
    ariaLabel: `ROC curve. Area under it: ${areas}${own}`,
    xLabel: "False positive rate",
    yLabel: "True positive rate",
    marks: [diagonal(), ...curves.map(({ roc, style }) => line(roc, style, "linear")), ...pointMark(point)],
  };
  return smallFigure("ROC curve", square, `Area under the curve: ${areas}${own}`);
}

function precisionRecallFigure(curves: readonly StyledCurve[], point: CurvePoint | undefined): Markup {
  const precisions = readings(curves, (curve) => curve.averagePrecision);
  const own = pointInWords(point, "recall", "precision");
  const square = {
    ariaLabel: `Precision–recall curve. Average precision: ${precisions}${own}`,
    xLabel: "Recall",
    yLabel: "Precision",
    marks: [
      ...curves.map(({ precisionRecall, style }) => line(precisionRecall, style, "step-before")),
      ...pointMark(point),
    ],
  };
  return smallFigure("Precision and recall", square, `Average precision: ${precisions}${own}`);
}

function inWords({ classes }: Predictions, curves: readonly RankingCurve[]): string {
  const start = "Each point is one threshold on the score.";
  if (curves.length === 1)
    return `${start} The positive class is “${curves[0].name}”. The dot is the rule that the model predicts by.`;
  return classes.length === curves.length
    ? `${start} Each class against all others.`
    : `${start} Each class against all others: the mean over the classes, and the class with the smallest area.`;
}

/**
 * Draws ROC and precision–recall curves, with two classes also the point of the predictions; returns undefined without scores, or if all rows are
 * of one class.
 */
export function rankingFigure(predicted: Predictions, positive = 1): Markup | undefined {
  const curves = rankingCurves(predicted, positive).map((curve, i) => ({ ...curve, style: classStyle(i) }));
  if (curves.length === 0) return undefined;
  const point = predicted.classes.length === 2 ? operatingPoint(predicted, positive) : undefined;
  return html`<p>${inWords(predicted, curves)}</p>
${curves.length > 1 && legend(curves)}<div class="pair">
${rocFigure(curves, point?.roc)}${precisionRecallFigure(curves, point?.precisionRecall)}</div>
`;
}
