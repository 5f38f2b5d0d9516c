import * as Plot from "@observablehq/plot";
import { formatPercent, formatRoundPercent, type Predictions } from "vouch";
import { type CalibrationBin, calibrationBins, calibrationError } from "vouch/select";
import { binomialInterval } from "./binomial-interval.js";
import { colour } from "./colours.js";
import { AXIS, FRAME, FULL_HEIGHT, GRID } from "./frame.js";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";
import { diagonal, smallFigure } from "./unit-square.js";

/** A bin with rows: what the model said of them, how often it came true, and what else may be the truth. */
export interface ReliabilityPoint {
  readonly said: number;
  readonly cameTrue: number;
  readonly lower: number;
  readonly upper: number;
  readonly rows: number;
}

/** The bins that have rows. */
export function reliabilityPoints(bins: readonly CalibrationBin[]): ReliabilityPoint[] {
  return bins.flatMap(({ rows, hits, meanProbability }) => {
    if (meanProbability === undefined) return [];
    const [lower, upper] = binomialInterval(hits, rows);
    return [{ said: meanProbability, cameTrue: hits / rows, lower, upper, rows }];
  });
}

function reliability(bins: readonly CalibrationBin[], what: string): Markup {
  const points = reliabilityPoints(bins);
  // A difference of sums leaves a rest such as 10⁻¹⁴ where it should be nothing.
  const error = formatPercent(Number(calibrationError(bins).toFixed(6)));
  const square = {
    ariaLabel: `Reliability diagram. Off by ${error} on average. ${points.map(({ said, cameTrue }) => `Said ${formatPercent(said)}, came true ${formatPercent(cameTrue)}`).join(". ")}.`,
    xLabel: `Said probability of ${what}`,
    yLabel: "How often it came true",
    marks: [
      diagonal(),
      Plot.ruleX(points, { x: "said", y1: "lower", y2: "upper", stroke: colour("blue"), strokeWidth: 1.5 }),
      Plot.line(points, { x: "said", y: "cameTrue", stroke: colour("blue"), strokeOpacity: 0.45 }),
      Plot.dot(points, { x: "said", y: "cameTrue", r: 4.5, fill: colour("blue") }),
    ],
  };
  return smallFigure(
    "Said, and come true",
    square,
    `On the dotted line every probability is right. Off by ${error} on average over the rows.`,
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
  return smallFigure("How many rows it was said of", drawing, "The more rows in a bin, the surer its dot.");
}

/** Whether the probabilities of a model come true; nothing where its scores are not probabilities. */
export function calibrationFigure(predicted: Predictions): Markup | undefined {
  const bins = calibrationBins(predicted);
  if (!bins || predicted.labels.length === 0) return undefined;
  const what = predicted.classes.length === 2 ? shortened(predicted.classes[1], 16) : "the predicted class";
  return html`<p>Of the rows to which the model gives 80&nbsp;%, does it happen in 80&nbsp;%? Each dot is a tenth of the scale; the line through it has all shares that fit what was seen, with 95&nbsp;% confidence.</p>
<div class="pair">
${reliability(bins, what)}${counts(bins, what)}</div>
`;
}
