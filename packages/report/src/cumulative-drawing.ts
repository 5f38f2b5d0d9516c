import * as Plot from "@observablehq/plot";
import { formatRoundPercent } from "vouch";
import { colour } from "./colours.js";
import type { CumulativePoint } from "./cumulative-margins.js";
import type { Drawing, FigureWidth } from "./figure.js";
import { AXIS, FRAME, frameHeight, GRID } from "./frame.js";
import type { LineStyle } from "./series.js";

/** A cumulative distribution to draw; it has at least one point. */
export interface CumulativeCurve {
  readonly style: LineStyle;
  readonly name: string;
  readonly points: readonly CumulativePoint[];
}

/** From the height 0 at the left edge of the figure to the height 1 at the right one. */
function acrossTheFigure(
  points: readonly CumulativePoint[],
  [left, right]: readonly [number, number],
): CumulativePoint[] {
  return [{ margin: left, fraction: 0 }, ...points, { margin: right, fraction: 1 }];
}

/** Draws cumulative distributions of margins, all from −1 to 1. */
export function cumulativeDrawing(
  curves: readonly CumulativeCurve[],
  ariaLabel: string,
  width: FigureWidth,
): Drawing {
  const ends = curves.flatMap(({ points }) => [points[0].margin, points[points.length - 1].margin]);
  const domain: [number, number] = [Math.min(-1, ...ends), Math.max(1, ...ends)];
  return {
    ariaLabel,
    ...FRAME,
    height: frameHeight(width),
    x: { domain },
    y: { domain: [0, 1] },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({ ...AXIS, ticks: width === "wide" ? 8 : 4, label: "Margin" }),
      Plot.axisY({
        ...AXIS,
        ticks: 5,
        tickFormat: formatRoundPercent,
        label: "Rows with this margin or less",
      }),
      Plot.ruleX([0], { stroke: colour("ink") }),
      ...curves.map(({ style, points }) =>
        Plot.line(acrossTheFigure(points, domain), {
          x: "margin",
          y: "fraction",
          curve: "step-after",
          ...style,
        }),
      ),
    ],
  };
}
