import * as Plot from "@observablehq/plot";
import { type CalibrationBin, calibrationBins, calibrationError } from "vouch/select";
import { formatPercent, formatRoundPercent, type Predictions } from "vouch/train";
import { binomialInterval } from "./binomial-interval.js";
import { colour } from "./colours.js";
import { AXIS, diagonal, FRAME, FULL_HEIGHT, GRID, smallFigure } from "./figure.js";
import { html, type Markup, shortened } from "./markup.js";

/** A bin with rows: mean predicted probability, observed frequency and its confidence interval. */
interface ReliabilityPoint {
  readonly predicted: number;
  readonly observed: number;
  readonly lower: number;
  readonly upper: number;
  readonly rows: number;
}

/** Turns the bins that have rows into points. */
export function reliabilityPoints(bins: readonly CalibrationBin[]): ReliabilityPoint[] {
  return bins.flatMap(({ rows, hits, meanProbability }) => {
    if (meanProbability === undefined) return [];
    const [lower, upper] = binomialInterval(hits, rows);
    return [{ predicted: meanProbability, observed: hits / rows, lower, upper, rows }];
  });
}

function reliability(bins: readonly CalibrationBin[], what: string): Markup {
  const points = reliabilityPoints(bins);
  // A difference of sums may leave 10⁻¹⁴ instead of zero.
  const error = formatPercent(Number(calibrationError(bins).toFixed(6)));
  const square = {
    ariaLabel: `Reliability diagram. Mean calibration error ${error}. ${points.map(({ predicted, observed }) => `Predicted ${formatPercent(predicted)}, observed ${formatPercent(observed)}`).join(". ")}.`,
    xLabel: `Predicted probability of ${what}`,
    yLabel: "Observed frequency",
    marks: [
      diagonal(),
      Plot.ruleX(points, {
        x: "predicted",
        y1: "lower",
        y2: "upper",
        stroke: colour("blue"),
        strokeWidth: 1.5,
      }),
      Plot.line(points, { x: "predicted", y: "observed", stroke: colour("blue"), strokeOpacity: 0.45 }),
      Plot.dot(points, { x: "predicted", y: "observed", r: 4.5, fill: colour("blue") }),
    ],
  };
  return smallFigure(
    "Predicted and observed",
    square,
    `On the dotted line every probability is right. Expected calibration error: ${error}.`,
  );
}

function counts(bins: readonly CalibrationBin[], what: string): Markup {
  const most = Math.max(1, ...bins.map(({ rows }) => rows));
  const drawing = {
    ariaLabel: `Rows by probability. ${bins.map(({ from, to, rows }) => `${formatRoundPercent(from)} to ${formatRoundPercent(to)}: ${rows}`).join(". ")}.`,
    ...FRAME,
    height: FULL_HEIGHT,
    x: { domain: [0, 1] },
    y: { domain: [0, most], nice: 5 },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({ ...AXIS, ticks: 5, tickFormat: formatRoundPercent, label: `Probability of ${what}` }),
      Plot.axisY({ ...AXIS, ticks: Math.min(5, most), tickFormat: ",d", label: "Rows" }),
      Plot.rectY(bins, { x1: "from", x2: "to", y: "rows", inset: 1, fill: colour("band") }),
    ],
  };
  return smallFigure(
    "Rows by predicted probability",
    drawing,
    "The more rows in a bin, the more certain its dot.",
  );
}

/** Draws predicted probabilities against observed frequencies; returns undefined if scores are not probabilities. */
export function calibrationFigure(predicted: Predictions): Markup | undefined {
  const bins = calibrationBins(predicted);
  if (!bins || predicted.labels.length === 0) return undefined;
  const what = predicted.classes.length === 2 ? shortened(predicted.classes[1], 16) : "the predicted class";
  return html`<p>Each dot is a tenth of the scale: the mean predicted probability of its rows, and the observed frequency. The line through a dot is its 95&nbsp;% confidence interval.</p>
<div class="pair">
${reliability(bins, what)}${counts(bins, what)}</div>
`;
}
