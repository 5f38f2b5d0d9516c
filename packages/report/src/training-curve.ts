import * as Plot from "@observablehq/plot";
import { formatNumber, formatPercent, formatRoundPercent } from "vouch";
import { colour } from "./colours.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import type { Markup } from "./markup.js";
import { legend, lineStyle, type SeriesRole } from "./series.js";
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

interface CurvePoint {
  readonly step: number;
  readonly value: number;
}

/** The points to draw. A bound above one says nothing, so its line starts where it falls below. */
export function curvePoints(values: ArrayLike<number>, quantity: Quantity = "error"): readonly CurvePoint[] {
  const { largest } = quantities[quantity];
  const points = Array.from(values, (value, i) => ({ step: i + 1, value }));
  return thinned(points.filter(({ value }) => value >= 0 && value <= largest));
}

interface DrawnSeries {
  readonly role: SeriesRole;
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

function lastReadings(series: readonly DrawnSeries[], quantity: Quantity): string {
  const { reading } = quantities[quantity];
  const readings = series.map(({ name, points }) => `${name}: ${reading(points[points.length - 1].value)}`);
  return `At the end. ${readings.join(". ")}.`;
}

function drawing(
  { step: stepName, quantity = "error" }: TrainingCurve,
  series: readonly DrawnSeries[],
  width: FigureWidth,
): Drawing {
  const { label, tick } = quantities[quantity];
  const points = series.flatMap((drawn) => drawn.points);
  const lastStep = Math.max(2, ...points.map(({ step }) => step));
  const largest = Math.max(0.01, ...points.map(({ value }) => value));
  const axis = { tickSize: 0, fill: colour("muted"), labelArrow: "none", labelAnchor: "center" } as const;
  return {
    ariaLabel: `Training curve. ${lastReadings(series, quantity)}`,
    height: width === "wide" ? 330 : 270,
    marginTop: 12,
    marginBottom: 44,
    marginLeft: 58,
    marginRight: 16,
    style: { fontSize: "12px" },
    x: { domain: [1, lastStep], label: stepName },
    y: { domain: [0, largest], label },
    marks: [
      Plot.gridY({ stroke: colour("line"), strokeOpacity: 1, ticks: 5 }),
      Plot.axisX({ ...axis, ticks: Math.min(width === "wide" ? 8 : 4, lastStep - 1), tickFormat: ",d" }),
      Plot.axisY({ ...axis, ticks: 5, tickFormat: tick }),
      ...series.map(({ role, points }) => Plot.line(points, { x: "step", y: "value", ...lineStyle(role) })),
    ],
  };
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
    caption: lastReadings(series, quantity),
  });
}
