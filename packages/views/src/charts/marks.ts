import * as Plot from "@observablehq/plot";
import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { ChartWidth, Drawing } from "./chart.js";
import { colour } from "./colours.js";
import { FRAME, FULL_HEIGHT } from "./line-styles.js";

export { classStyle, FRAME, FULL_HEIGHT, type LineStyle, layerStyle, lineStyle } from "./line-styles.js";
export { thinned } from "./thinned.js";

export function frameHeight(width: ChartWidth): number {
  return width === "wide" ? FULL_HEIGHT : 270;
}

export const AXIS = {
  tickSize: 0,
  fill: colour("muted"),
  labelArrow: "none",
  labelAnchor: "center",
} as const;

export const GRID = { stroke: colour("line"), strokeOpacity: 1, ticks: 5 } as const;

/** A drawing whose axes both go from 0 to 100%. */
export interface UnitSquare {
  readonly ariaLabel: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly marks: readonly Plot.Markish[];
}

/** Draws in a unit square that fits half a page or a phone. */
export function squareDrawing({ ariaLabel, xLabel, yLabel, marks }: UnitSquare): Drawing {
  const axis = { ...AXIS, ticks: 5, tickFormat: formatRoundPercent };
  return {
    ariaLabel,
    ...FRAME,
    height: FULL_HEIGHT,
    x: { domain: [0, 1] },
    y: { domain: [0, 1] },
    marks: [
      Plot.gridX(GRID),
      Plot.gridY(GRID),
      Plot.axisX({ ...axis, label: xLabel }),
      Plot.axisY({ ...axis, label: yLabel }),
      ...marks,
    ],
  };
}

/** Draws the line on which both axes agree. */
export function diagonal(): Plot.Markish {
  const ends = [
    [0, 0],
    [1, 1],
  ];
  return Plot.line(ends, { stroke: colour("muted"), strokeWidth: 1, strokeDasharray: "2 3" });
}
