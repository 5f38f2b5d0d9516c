import * as Plot from "@observablehq/plot";
import { type CalibrationBin, type CalibrationMethod, type Reliability, reliability } from "vouch/select";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatPValue,
  formatRoundPercent,
  type Predictions,
  type TrainedCard,
} from "vouch/train";
import { colour } from "./colours.js";
import { AXIS, diagonal, FRAME, FULL_HEIGHT, GRID, smallFigure } from "./figure.js";
import { html, type Markup, shortened } from "./markup.js";

function reliabilityFigure({ bands, error, chanceError }: Reliability, what: string): Markup {
  const points = bands.map((bin) => ({ ...bin, observed: bin.hits / bin.rows }));
  const square = {
    ariaLabel: `Reliability diagram. Expected calibration error ${percent(error)}. ${points.map(({ meanProbability, observed, lower, upper }) => `Predicted ${formatPercent(meanProbability)}, observed ${formatPercent(observed)}, band ${formatPercent(lower)} to ${formatPercent(upper)}`).join(". ")}.`,
    xLabel: `Predicted probability of ${what}`,
    yLabel: "Observed frequency",
    marks: [
      Plot.rect(bands, {
        x1: "from",
        x2: "to",
        y1: "lower",
        y2: "upper",
        inset: 0.5,
        fill: colour("band"),
      }),
      diagonal(),
      Plot.line(points, { x: "meanProbability", y: "observed", stroke: colour("blue"), strokeOpacity: 0.45 }),
      Plot.dot(points, { x: "meanProbability", y: "observed", r: 4.5, fill: colour("blue") }),
    ],
  };
  return smallFigure(
    "Predicted and observed",
    square,
    `On the dotted line every probability is right. Expected calibration error: ${percent(error)}; calibrated probabilities would have ${percent(chanceError)} by chance.`,
  );
}

/** Formats a share; a difference of sums may leave 10⁻¹⁴ instead of zero. */
function percent(share: number): string {
  return formatPercent(Number(share.toFixed(6)));
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
    "The more rows in a bin, the narrower its band.",
  );
}

/** Says whether the observed frequencies contradict the probabilities. */
function finding({ bands, confidence, p }: Reliability): string {
  const misses = bands.filter(
    ({ meanProbability, lower, upper }) => meanProbability < lower || meanProbability > upper,
  );
  const test = `test of calibration: ${formatPValue(p)}`;
  if (p >= 1 - confidence) return `The observed frequencies do not contradict the probabilities (${test}).`;
  const which =
    misses.length <= 3 ? ` (${misses.map(({ from, to }) => rangeText(from, to)).join(", ")})` : "";
  const missed = `${formatNumber(misses.length)} of ${formatCount(bands.length, "band")}`;
  return `The probabilities are off: ${missed} ${misses.length === 1 ? "does" : "do"} not contain the mean probability of the bin${which}; ${test}.`;
}

function rangeText(from: number, to: number): string {
  return `${Math.round(100 * from)}–${formatRoundPercent(to)}`;
}

/** How the probabilities of a model were calibrated. */
export interface CalibrationFacts {
  /** Index of the class of two whose probability is shown; the second by default. */
  readonly positive?: number | undefined;
  /** Absent if they were not calibrated. */
  readonly calibration?: TrainedCard["calibration"];
  /** Log loss on the same rows before and after calibration; absent if the model itself gives no probabilities. */
  readonly logLoss?: { readonly before: number; readonly after: number } | undefined;
}

const METHODS: Readonly<Record<CalibrationMethod, string>> = {
  none: "",
  temperature: "temperature scaling",
  platt: "Platt scaling",
  beta: "beta calibration",
  isotonic: "isotonic regression",
};

/** Says how the probabilities were calibrated, and what that changed. */
function methodInWords({ calibration, logLoss }: CalibrationFacts): string {
  if (!calibration) return "The probabilities are the model’s own; they were not calibrated.";
  const { method, rows, from } = calibration;
  const which = formatCount(rows, from === "bags" ? "out-of-bag training row" : "out-of-fold training row");
  if (method === "none")
    return `The probabilities are the model’s own: on ${which}, no calibration was better.`;
  const change = logLoss
    ? ` The log loss is ${threeDigits(logLoss.after)} with calibration and ${threeDigits(logLoss.before)} without.`
    : "";
  return `Calibrated by ${METHODS[method]} on ${which}.${change}`;
}

function threeDigits(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}

/** Draws predicted probabilities against observed frequencies; returns undefined without probabilities or rows. */
export function calibrationFigure(predicted: Predictions, facts: CalibrationFacts = {}): Markup | undefined {
  const { positive = 1 } = facts;
  const found = reliability(predicted, { positive });
  if (!found) return undefined;
  const { classes } = predicted;
  const what = classes.length === 2 ? shortened(classes[positive], 16) : "the predicted class";
  return html`<p>${finding(found)} ${methodInWords(facts)}</p>
<p>Each dot is a bin: the mean predicted probability of its rows, and the observed frequency. The bands are exact; with ${formatRoundPercent(found.confidence)} confidence, all ${formatNumber(found.bands.length)} of them contain the true frequency.</p>
<div class="pair">
${reliabilityFigure(found, what)}${counts(found.bins, what)}</div>
`;
}
