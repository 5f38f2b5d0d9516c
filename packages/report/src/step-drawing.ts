import * as Plot from "@observablehq/plot";
import type { Drawing, FigureWidth } from "./figure.js";
import { AXIS, FRAME, frameHeight, GRID } from "./frame.js";
import type { LineStyle } from "./series.js";
import type { StepPoint } from "./step-point.js";

/** One line of a drawing. */
export interface StepLine {
  readonly style: LineStyle;
  readonly points: readonly StepPoint[];
}

/** What is written at the axes, and where values begin and end. */
export interface StepAxes {
  /** What is counted: `Round`, `Epoch`, `Layer`. */
  readonly step: string;
  readonly label: string;
  readonly domain: readonly [number, number];
  tick(value: number): string;
}

/** Lines over the steps of a training. */
export function stepDrawing(
  lines: readonly StepLine[],
  { step: stepName, label, domain, tick }: StepAxes,
  ariaLabel: string,
  width: FigureWidth,
): Drawing {
  const lastStep = Math.max(2, ...lines.flatMap(({ points }) => points.map(({ step }) => step)));
  return {
    ariaLabel,
    ...FRAME,
    height: frameHeight(width),
    x: { domain: [1, lastStep], label: stepName },
    y: { domain: [...domain], nice: 5, label },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({ ...AXIS, ticks: Math.min(width === "wide" ? 8 : 4, lastStep - 1), tickFormat: ",d" }),
      Plot.axisY({ ...AXIS, ticks: 5, tickFormat: tick }),
      ...lines.map(({ style, points }) => Plot.line(points, { x: "step", y: "value", ...style })),
    ],
  };
}
