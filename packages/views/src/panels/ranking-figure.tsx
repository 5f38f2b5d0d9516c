import * as Plot from "@observablehq/plot";
import { useCallback } from "preact/hooks";
import { formatNumber, formatPercent } from "vouch/train";
import { SmallChart } from "../chart.js";
import { colour } from "../colours.js";
import type { CurvePoint, OperatingPoint, RankingCurve, RankingFacts } from "../facts/ranking-facts.js";
import { Legend } from "../legend.js";
import { classStyle, diagonal, type LineStyle, squareDrawing } from "../marks.js";

interface RankingFigureProps {
  readonly facts: RankingFacts;
  /** The place to mark on the curves; by default that of the model's predictions. */
  readonly point?: OperatingPoint | undefined;
}

/** Draws ROC and precision–recall curves, with two classes also the place of the predictions. */
export function RankingFigure({ facts, point = facts.point }: RankingFigureProps) {
  const { curves, classes } = facts;
  const named = curves.map((curve, i) => ({ name: curve.name, style: classStyle(i) }));
  return (
    <>
      {curves.length > 1 && (
        <>
          <p>
            Each class against all others{classes > curves.length && ": the mean, and the hardest class"}.
          </p>
          <Legend series={named} />
        </>
      )}
      <div class="pair">
        <RocChart curves={curves} point={point?.roc} />
        <PrecisionRecallChart curves={curves} point={point?.precisionRecall} />
      </div>
    </>
  );
}

interface CurveChartProps {
  readonly curves: readonly RankingCurve[];
  readonly point: CurvePoint | undefined;
}

function RocChart({ curves, point }: CurveChartProps) {
  const areas = `Area under the curve: ${readings(curves, (curve) => curve.areaUnderRoc)}`;
  const draw = useCallback(
    () =>
      squareDrawing({
        ariaLabel: `ROC curve. ${areas}${placeInWords(point, "false positive rate", "true positive rate")}`,
        xLabel: "False positive rate",
        yLabel: "True positive rate",
        marks: [
          diagonal(),
          ...curves.map(({ roc }, i) => line(roc, classStyle(i), "linear")),
          ...pointMark(point),
        ],
      }),
    [curves, point, areas],
  );
  return <SmallChart heading="ROC curve" draw={draw} caption={areas} />;
}

function PrecisionRecallChart({ curves, point }: CurveChartProps) {
  const precisions = `Average precision: ${readings(curves, (curve) => curve.averagePrecision)}`;
  const draw = useCallback(
    () =>
      squareDrawing({
        ariaLabel: `Precision–recall curve. ${precisions}${placeInWords(point, "recall", "precision")}`,
        xLabel: "Recall",
        yLabel: "Precision",
        marks: [
          ...curves.map(({ precisionRecall }, i) => line(precisionRecall, classStyle(i), "step-before")),
          ...pointMark(point),
        ],
      }),
    [curves, point, precisions],
  );
  return <SmallChart heading="Precision and recall" draw={draw} caption={precisions} />;
}

function line(points: readonly CurvePoint[], style: LineStyle, curve: "linear" | "step-before") {
  return Plot.line(points, { x: "x", y: "y", curve, ...style });
}

function pointMark(point: CurvePoint | undefined): Plot.Markish[] {
  if (!point) return [];
  const style = { r: 6.5, fill: colour("orange"), stroke: colour("paper"), strokeWidth: 1.5 };
  return [Plot.dot([point], { x: "x", y: "y", ...style })];
}

function placeInWords(point: CurvePoint | undefined, x: string, y: string): string {
  return point ? ` The dot: ${x} ${formatPercent(point.x)}, ${y} ${formatPercent(point.y)}.` : "";
}

function readings(curves: readonly RankingCurve[], measure: (curve: RankingCurve) => number): string {
  const shown = (curve: RankingCurve) => formatNumber(Number(measure(curve).toPrecision(3)));
  if (curves.length === 1) return `${shown(curves[0])}.`;
  return `${curves.map((curve) => `${curve.name} ${shown(curve)}`).join(", ")}.`;
}
