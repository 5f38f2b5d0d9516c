import { formatNumber, formatPercent, formatRoundPercent } from "vouch";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import type { Markup } from "./markup.js";
import { legend, lineStyle, type SeriesRole } from "./series.js";
import { stepDrawing } from "./step-drawing.js";
import type { StepPoint } from "./step-point.js";
import { thinned } from "./thinned.js";

/** One line of the training curve. */
export interface TrainingSeries {
  readonly role: SeriesRole;
  /** What the key calls it: `Training error`, `Bound of Theorem 3.1`, … */
  readonly name: string;
  /** One fraction, or loss, per step, the first step first. */
  readonly values: ArrayLike<number>;
}

/** How errors and bounds, or losses, went while the model was trained. */
export interface TrainingCurve {
  /** What is drawn: shares of errors, or losses; errors if absent. */
  readonly quantity?: Quantity;
  /** What is counted along the axis: `Round`, `Epoch`, `Layer`. */
  readonly step: string;
  readonly series: readonly TrainingSeries[];
}

/** What a curve can be of. */
export type Quantity = "error" | "loss";

/** How each quantity is drawn and read. */
const quantities = {
  error: { label: "Error", tick: formatRoundPercent, reading: formatPercent, largest: 1 },
  loss: { label: "Loss", tick: formatNumber, reading: formatNumber, largest: Number.MAX_VALUE },
} as const;

/** The points to draw. A bound above one says nothing, so its line starts where it falls below. */
export function curvePoints(values: ArrayLike<number>, quantity: Quantity = "error"): readonly StepPoint[] {
  const { largest } = quantities[quantity];
  const points = Array.from(values, (value, i) => ({ step: i + 1, value }));
  return thinned(points.filter(({ value }) => value >= 0 && value <= largest));
}

interface DrawnSeries {
  readonly role: SeriesRole;
  readonly name: string;
  readonly points: readonly StepPoint[];
}

/** "At the end, round 300: training rows 2.8 %, held-out rows 14.7 %." */
function lastReadings({ step, quantity = "error" }: TrainingCurve, series: readonly DrawnSeries[]): string {
  const { reading } = quantities[quantity];
  const last = Math.max(...series.map(({ points }) => points[points.length - 1].step));
  const readings = series.map(
    ({ name, points }) =>
      `${name.charAt(0).toLowerCase()}${name.slice(1)} ${reading(points[points.length - 1].value)}`,
  );
  return `At the end, ${step.toLowerCase()} ${formatNumber(last)}: ${readings.join(", ")}.`;
}

function drawing(curve: TrainingCurve, series: readonly DrawnSeries[], width: FigureWidth): Drawing {
  const { step, quantity = "error" } = curve;
  const { label, tick } = quantities[quantity];
  const lines = series.map(({ role, points }) => ({ style: lineStyle(role), points }));
  const largest = Math.max(0.01, ...lines.flatMap(({ points }) => points.map(({ value }) => value)));
  const words = `Training curve. ${lastReadings(curve, series)}`;
  return stepDrawing(lines, { step, label, tick, domain: [0, largest] }, words, width);
}

/** Error and bound, or loss, per step of training; nothing when there is no value to draw. */
export function trainingCurve(curve: TrainingCurve): Markup | undefined {
  const { quantity = "error" } = curve;
  const series = curve.series
    .map(({ role, name, values }) => ({ role, name, points: curvePoints(values, quantity) }))
    .filter(({ points }) => points.length > 0);
  if (series.length === 0) return undefined;
  return figure((width) => drawing(curve, series, width), {
    legend: legend(series.map(({ role, name }) => ({ style: lineStyle(role), name }))),
    caption: lastReadings(curve, series),
  });
}
