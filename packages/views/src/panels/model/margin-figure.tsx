import * as Plot from "@observablehq/plot";
import {
  formatCount,
  formatPercent,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { Legend } from "../../charts/legend.js";
import { AXIS, FRAME, frameHeight, GRID, type LineStyle, lineStyle, thinned } from "../../charts/marks.js";
import { Term } from "../../text/term.js";

/** A point of a cumulative distribution: the fraction of rows with a margin of at most `margin`. */
interface CumulativePoint {
  readonly margin: number;
  readonly fraction: number;
}

/**
 * Computes the empirical distribution of the finite margins: F(x) = |{i : margin_i ≤ x}| / n, one point per distinct
 * margin, in order. If there are many points, they are thinned evenly; the heights stay exact.
 */
export function cumulativeMargins(margins: ArrayLike<number>): readonly CumulativePoint[] {
  const sorted = Float64Array.from(margins).filter(Number.isFinite).sort();
  const points: CumulativePoint[] = [];
  sorted.forEach((margin, i) => {
    if (margin !== sorted[i + 1]) points.push({ margin, fraction: (i + 1) / sorted.length });
  });
  return thinned(points);
}

/** A cumulative distribution with at least one point. */
interface CumulativeCurve {
  readonly style: LineStyle;
  readonly name: string;
  readonly points: readonly CumulativePoint[];
}

/** Extends a distribution to both edges of the figure: 0 on the left, 1 on the right. */
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
  width: ChartWidth,
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

interface MarginFigureProps {
  /** Percentiles 0, 1, … 100 of the training margins. */
  readonly train?: readonly number[] | undefined;
  /** The margin of each held-out row. */
  readonly test?: ArrayLike<number> | undefined;
  /** Whether predictions are the model's own, without a moved threshold. */
  readonly own?: boolean;
}

interface MarginCurve extends CumulativeCurve {
  /** Text such as "3.2% of the held-out rows" for margins of at most 0. */
  readonly reading: string;
}

const NONE: readonly number[] = [];

/** Draws the cumulative distribution of the margins; renders nothing if no margin is finite. */
export function MarginFigure({ train = NONE, test = NONE, own = true }: MarginFigureProps) {
  const curves = useMemo(
    () => [trainingCurve(train), heldOutCurve(test)].filter(({ points }) => points.length > 0),
    [train, test],
  );
  const readings = `Margin of 0 or less: ${curves.map(({ reading }) => reading).join(", ")}.`;
  const draw = useCallback(
    (width: ChartWidth) =>
      cumulativeDrawing(curves, `Cumulative distribution of the margins. ${readings}`, width),
    [curves, readings],
  );
  if (curves.length === 0) return null;
  const leftOut = test.length - Array.from(test).filter(Number.isFinite).length;
  const leftOutPart = leftOut > 0 ? ` ${formatCount(leftOut, "row")} without a finite margin not shown.` : "";
  return (
    <>
      <p>
        <Term of="margin">Margin</Term> 1 is unanimous, 0 undecided, below 0 wrong.
        {!own && " Before the decision rule of the model."}
      </p>
      <Chart draw={draw} legend={<Legend series={curves} />} caption={readings + leftOutPart} />
    </>
  );
}

function trainingCurve(quantiles: readonly number[]): MarginCurve {
  const last = quantiles.findLastIndex((margin) => margin <= 0);
  const percent = formatRoundPercent(Math.max(1, last) / 100);
  const share = last < 0 ? "none" : last === 0 ? `less than ${percent}` : `about ${percent}`;
  return {
    style: lineStyle("train"),
    name: "training rows",
    points: cumulativeMargins(quantiles),
    reading: `${share} of the training rows`,
  };
}

function heldOutCurve(margins: ArrayLike<number>): MarginCurve {
  const finite = Array.from(margins).filter(Number.isFinite);
  const share = finite.filter((margin) => margin <= 0).length / finite.length;
  return {
    style: lineStyle("test"),
    name: "held-out rows",
    points: cumulativeMargins(finite),
    reading: `${formatPercent(share)} of the held-out rows`,
  };
}
