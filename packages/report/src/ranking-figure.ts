import * as Plot from "@observablehq/plot";
import { formatNumber, type Predictions } from "vouch";
import { html, type Markup } from "./markup.js";
import { type RankingCurve, rankingCurves } from "./ranking-curves.js";
import { classStyle, type LineStyle, legend } from "./series.js";
import type { CurvePoint } from "./thinned-curve.js";
import { diagonal, smallFigure } from "./unit-square.js";

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

function rocFigure(curves: readonly StyledCurve[]): Markup {
  const areas = readings(curves, (curve) => curve.areaUnderRoc);
  const square = {
    ariaLabel: `ROC curve. Area below it: ${areas}`,
    xLabel: "False positive rate: other rows taken for it",
    yLabel: "True positive rate: rows of it found",
    marks: [diagonal(), ...curves.map(({ roc, style }) => line(roc, style, "linear"))],
  };
  return smallFigure("ROC curve", square, `Area below: ${areas}`);
}

function precisionRecallFigure(curves: readonly StyledCurve[]): Markup {
  const precisions = readings(curves, (curve) => curve.averagePrecision);
  const square = {
    ariaLabel: `Precision–recall curve. Average precision: ${precisions}`,
    xLabel: "Recall: rows of the class that are found",
    yLabel: "Precision: found rows that are of it",
    marks: curves.map(({ precisionRecall, style }) => line(precisionRecall, style, "step-before")),
  };
  return smallFigure("Precision and recall", square, `Average precision: ${precisions}`);
}

function inWords({ classes }: Predictions, curves: readonly RankingCurve[]): string {
  const start = "What happens as the score that is needed for a “yes” goes from high to low.";
  if (curves.length === 1) return `${start} “Yes” is the class ${curves[0].name}.`;
  return classes.length === curves.length
    ? `${start} Each class against all others.`
    : `${start} Each class against all others: the mean over the classes, and the one with the smallest area.`;
}

/** ROC and precision–recall curves; nothing without scores, or where all rows are of one class. */
export function rankingFigure(predicted: Predictions): Markup | undefined {
  const curves = rankingCurves(predicted).map((curve, i) => ({ ...curve, style: classStyle(i) }));
  if (curves.length === 0) return undefined;
  return html`<p>${inWords(predicted, curves)}</p>
${curves.length > 1 && legend(curves)}<div class="pair">
${rocFigure(curves)}${precisionRecallFigure(curves)}</div>
`;
}
