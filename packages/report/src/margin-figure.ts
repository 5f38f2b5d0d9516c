import * as Plot from "@observablehq/plot";
import { formatCount, formatPercent, formatRoundPercent } from "vouch";
import { colour } from "./colours.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import { html, type Markup } from "./markup.js";
import { type LineStyle, legend, lineStyle } from "./series.js";
import { thinned } from "./thinned.js";

/** Normalised margins, one per row: positive where the model is right. */
export interface Margins {
  readonly train?: ArrayLike<number>;
  readonly test?: ArrayLike<number>;
}

/** A point of a cumulative distribution: the fraction of rows with a margin of at most `margin`. */
export interface CumulativePoint {
  readonly margin: number;
  readonly fraction: number;
}

/**
 * The empirical distribution of the finite margins: F(x) = |{i : margin_i ≤ x}| / n, one point per distinct
 * margin, in order. Of very many points an evenly spaced part is kept, each with its exact height.
 */
export function cumulativeMargins(margins: ArrayLike<number>): readonly CumulativePoint[] {
  const sorted = Float64Array.from(margins).filter(Number.isFinite).sort();
  const points: CumulativePoint[] = [];
  sorted.forEach((margin, i) => {
    if (margin !== sorted[i + 1]) points.push({ margin, fraction: (i + 1) / sorted.length });
  });
  return thinned(points);
}

/** A cumulative distribution to draw; it has at least one point. */
export interface CumulativeCurve {
  readonly style: LineStyle;
  readonly name: string;
  readonly points: readonly CumulativePoint[];
}

interface MarginCurve extends CumulativeCurve {
  /** Rows whose margin is not a finite number. */
  readonly leftOut: number;
  /** Fraction of rows with a margin of at most 0: not on the right side with certainty. */
  readonly notPositive: number;
}

function marginCurve(role: "train" | "test", name: string, margins: ArrayLike<number> = []): MarginCurve {
  const finite = Array.from(margins).filter(Number.isFinite);
  return {
    style: lineStyle(role),
    name,
    points: cumulativeMargins(finite),
    leftOut: margins.length - finite.length,
    notPositive: finite.filter((margin) => margin <= 0).length / finite.length,
  };
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
  const axis = { tickSize: 0, fill: colour("muted"), labelArrow: "none", labelAnchor: "center" } as const;
  return {
    ariaLabel,
    height: width === "wide" ? 330 : 270,
    marginTop: 12,
    marginBottom: 44,
    marginLeft: 58,
    marginRight: 16,
    style: { fontSize: "12px" },
    x: { domain },
    y: { domain: [0, 1] },
    marks: [
      Plot.gridY({ stroke: colour("line"), strokeOpacity: 1, ticks: 5 }),
      Plot.axisX({ ...axis, ticks: width === "wide" ? 8 : 4, label: "Margin" }),
      Plot.axisY({
        ...axis,
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

function readings(curves: readonly MarginCurve[]): string {
  const shares = curves.map(
    ({ name, notPositive }) => `${formatPercent(notPositive)} of the ${name.toLowerCase()}`,
  );
  return `With a margin of 0 or less: ${shares.join(" and ")}.`;
}

/** The cumulative distribution of the margins; nothing when there is no finite margin. */
export function marginFigure(margins: Margins): Markup | undefined {
  const curves = [
    marginCurve("train", "Training rows", margins.train),
    marginCurve("test", "Held-out rows", margins.test),
  ].filter(({ points }) => points.length > 0);
  if (curves.length === 0) return undefined;
  const label = `Cumulative distribution of the margins. ${readings(curves)}`;
  const leftOut = curves.reduce((sum, curve) => sum + curve.leftOut, 0);
  const leftOutPart = leftOut > 0 ? ` ${formatCount(leftOut, "row")} without a finite margin left out.` : "";
  return html`<p>The margin says how clearly a row is on the right side: 1 is unanimous, 0 is undecided, below 0 is wrong. The further right a curve rises, the better.</p>
${figure((width) => cumulativeDrawing(curves, label, width), { legend: legend(curves), caption: readings(curves) + leftOutPart })}`;
}
