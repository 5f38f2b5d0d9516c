import * as Plot from "@observablehq/plot";
import type { CurveSection, CurveSeries } from "@vouch/core/internal/learners/description";
import {
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { Legend } from "../../charts/legend.js";
import {
  AXIS,
  FRAME,
  frameHeight,
  GRID,
  type LineStyle,
  layerStyle,
  lineStyle,
  thinned,
} from "../../charts/marks.js";
import { capitalised } from "../../text/text.js";

/** A value after a training step, counted from one. */
interface StepPoint {
  readonly step: number;
  readonly value: number;
}

interface Line {
  readonly name: string;
  readonly style: LineStyle;
  readonly points: readonly StepPoint[];
  /** First and last value, unscaled. */
  readonly ends: readonly [number, number];
}

/** How the values of a curve are drawn. Each layer has its own scale, so its values are relative to its first one. */
interface Scale {
  readonly label: string;
  readonly tick: (value: number) => string;
  readonly reading: (value: number) => string;
  readonly largest: number;
  readonly relative?: (value: number, first: number) => number;
}

const scales: Readonly<Record<CurveSection["quantity"], Scale>> = {
  error: { label: "Error", tick: formatRoundPercent, reading: formatPercent, largest: 1 },
  loss: { label: "Loss", tick: formatNumber, reading: formatNumber, largest: Number.MAX_VALUE },
  "reconstruction error": {
    label: "Error relative to the first epoch",
    tick: formatRoundPercent,
    reading: formatNumber,
    largest: Number.MAX_VALUE,
    relative: (value, first) => (first === 0 ? 0 : value / first),
  },
  "free energy": {
    label: "Change since the first epoch",
    tick: formatNumber,
    reading: formatNumber,
    largest: Number.MAX_VALUE,
    relative: (value, first) => value - first,
  },
};

const explanations: Partial<Readonly<Record<CurveSection["quantity"], string>>> = {
  "reconstruction error":
    "Before fine-tuning, each layer was pre-trained without labels to reconstruct its input.",
  "free energy":
    "The free energy is −log of the probability that a layer gives its input, up to a constant that changes with the weights. It need not fall.",
};

/** Draws the values of a curve over the training steps; null if there are none. */
export function CurveFigure({ section }: { readonly section: CurveSection }) {
  const lines = useMemo(() => curveLines(section), [section]);
  const caption = lines.length === 0 ? "" : curveCaption(section, lines);
  const draw = useCallback(
    (width: ChartWidth) => drawing(section, lines, caption, width),
    [section, lines, caption],
  );
  if (lines.length === 0) return null;
  const explanation = explanations[section.quantity];
  return (
    <>
      {explanation !== undefined && <p>{explanation}</p>}
      <Chart draw={draw} legend={<Legend series={lines} />} caption={caption} />
    </>
  );
}

function curveLines({ series, quantity }: CurveSection): Line[] {
  const layers = series.filter(({ role }) => role === "layer").length;
  return series.flatMap((one, i) => {
    const points = stepPoints(one.values, scales[quantity]);
    if (points.length === 0) return [];
    return [
      {
        name: one.name,
        style: seriesStyle(one, i, layers),
        points: thinned(relativePoints(points, scales[quantity])),
        ends: [points[0].value, points[points.length - 1].value],
      },
    ];
  });
}

function seriesStyle({ role }: CurveSeries, index: number, layers: number): LineStyle {
  return role === "layer" ? layerStyle(index, layers) : lineStyle(role);
}

/** Lists the points of a line. A bound above one is uninformative, so its line starts where it falls below one. */
function stepPoints(values: readonly number[], { largest, relative }: Scale): StepPoint[] {
  const points = values.map((value, i) => ({ step: i + 1, value }));
  return relative
    ? points.filter(({ value }) => Number.isFinite(value))
    : points.filter(({ value }) => value >= 0 && value <= largest);
}

function relativePoints(points: readonly StepPoint[], { relative }: Scale): readonly StepPoint[] {
  if (!relative) return points;
  return points.map(({ step, value }) => ({ step, value: relative(value, points[0].value) }));
}

/** Writes "After round 300: training rows 2.8%, held-out rows 14.7%." */
function curveCaption({ title, step, quantity }: CurveSection, lines: readonly Line[]): string {
  const { reading, relative } = scales[quantity];
  if (relative) {
    const readings = lines.map(({ name, ends }) => `${name} from ${ends.map(reading).join(" to ")}`);
    return `${capitalised(title)}, first ${step} to last: ${readings.join(", ")}.`;
  }
  const last = Math.max(...lines.map(({ points }) => points[points.length - 1].step));
  const readings = lines.map(({ name, ends }) => `${name} ${reading(ends[1])}`);
  return `After ${step} ${formatNumber(last)}: ${readings.join(", ")}.`;
}

function drawing(
  { step, quantity, title }: CurveSection,
  lines: readonly Line[],
  caption: string,
  width: ChartWidth,
): Drawing {
  const { label, tick } = scales[quantity];
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const [bottom, top] = [Math.min(0, ...values), Math.max(0, ...values)];
  const lastStep = Math.max(2, ...lines.flatMap(({ points }) => points.map((point) => point.step)));
  return {
    ariaLabel: `${capitalised(title)}. ${caption}`,
    ...FRAME,
    height: frameHeight(width),
    x: { domain: [1, lastStep], label: capitalised(step) },
    y: { domain: [bottom, top > bottom ? top : 0.01], nice: 5, label },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({ ...AXIS, ticks: Math.min(width === "wide" ? 8 : 4, lastStep - 1), tickFormat: ",d" }),
      Plot.axisY({ ...AXIS, ticks: 5, tickFormat: tick }),
      ...lines.map(({ style, points }) => Plot.line(points, { x: "step", y: "value", ...style })),
    ],
  };
}
