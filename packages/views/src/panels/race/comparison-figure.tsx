import * as Plot from "@observablehq/plot";
import { formatUpperBound } from "@vouch/core/internal/runtime/text/number-format";
import type { Compared, Comparison } from "@vouch/core/internal/select/compare";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { baselineName, type MetricScale, metricScale } from "../../facts/evaluation/metric-scale.js";
import { valueRows } from "../evaluation/value-rows.js";

/** A learner's metric in the folds, and the certified bound if the metric is the error. */
interface Spread extends Pick<Compared["metric"], "values" | "mean" | "sd"> {
  readonly name: string;
  readonly bound?: number;
}

/** The part of a comparison that is drawn. */
type ComparedLearners = Pick<Comparison, "compared" | "baseline">;

/** Computes the spread of a learner, without a bound that does not hold or is uninformative. */
function learnerSpread({ name, metric, certificate }: Compared): Spread {
  const { values, mean, sd } = metric;
  const isBounded = metric.name === "error" && certificate !== undefined && givesGuarantee(certificate);
  return { name, values, mean, sd, ...(isBounded && { bound: certificate.value }) };
}

/** Lines more than this many times as long as the shortest one are cut off. */
const MOST_TIMES = 4;

function farthest({ mean, sd, values, bound = 0 }: Spread): number {
  return Math.max(mean + sd, ...values, bound);
}

/**
 * Returns the end of the axis. The axis shows the shortest line completely, and all other lines and the baseline unless
 * they are much longer.
 */
export function spreadAxisEnd(spreads: readonly Spread[], baseline: number): number {
  const lines = spreads.map(farthest);
  const room = MOST_TIMES * Math.min(...lines);
  const ends = [...lines, baseline];
  // The axis has a positive length even if no learner has an error.
  return Math.max(0.01, ...ends.filter((end) => end <= room));
}

/** Returns the ends of the axis; if larger is better, it shows everything. */
function spreadDomain(spreads: readonly Spread[], baseline: number, scale: MetricScale): [number, number] {
  if (!scale.larger) return [0, spreadAxisEnd(spreads, baseline)];
  return scale.domain([baseline, ...spreads.flatMap(({ mean, sd, values }) => [mean - sd, ...values])]);
}

/** Writes the certified bound at the end of a line, with an arrow if the line continues beyond the axis. */
function endText(spread: Spread, largest: number): string {
  const { bound } = spread;
  const arrow = farthest(spread) > largest ? "→ " : "";
  return bound === undefined ? arrow.trim() : `${arrow}≤ ${formatUpperBound(bound)}`;
}

function drawing(
  spreads: readonly Spread[],
  baseline: number,
  scale: MetricScale,
  width: ChartWidth,
): Drawing {
  const domain = spreadDomain(spreads, baseline, scale);
  const [smallest, largest] = domain;
  const rows = spreads.map((spread, row) => ({
    ...spread,
    row,
    low: Math.min(largest, Math.max(smallest, spread.mean - spread.sd)),
    high: Math.min(largest, spread.mean + spread.sd),
    end: Math.min(largest, farthest(spread)),
    name: `${spread.name}  ${scale.shown(spread.mean)}`,
    shown: endText(spread, largest),
  }));
  const within = rows.filter(({ mean }) => mean <= largest);
  const parts = within.flatMap(({ row, values }) =>
    values.filter((value) => value <= largest).map((value) => ({ row, value })),
  );
  const bounded = rows.filter(({ bound = Number.POSITIVE_INFINITY }) => bound <= largest);
  const words = spreads.map(
    ({ name, mean, bound }) =>
      `${name}: ${scale.shown(mean)}${bound === undefined ? "" : `, certified at most ${formatUpperBound(bound)}`}`,
  );
  return valueRows(
    {
      ariaLabel: `${words.join(". ")}. Baseline: ${scale.shown(baseline)}.`,
      rows,
      domain,
      tickFormat: scale.tick,
      reference: baseline,
      marginLeft: 240,
      marginRight: 80,
      marks: (dy, tick) => [
        Plot.ruleY(within, { y: "row", x1: "low", x2: "high", dy, stroke: colour("band"), strokeWidth: 9 }),
        Plot.tickX(bounded, { x: "bound", y: "row", ...tick, stroke: colour("ink"), strokeWidth: 2.5 }),
        Plot.dot(parts, { x: "value", y: "row", dy, r: 3.5, stroke: colour("blue") }),
        Plot.dot(within, { x: "mean", y: "row", dy, r: 5.5, fill: colour("blue") }),
      ],
    },
    width,
  );
}

/** Draws a line with the metric of each learner, best first, and the baseline across all lines. */
export function ComparisonFigure({
  comparison: { compared, baseline },
}: {
  readonly comparison: ComparedLearners;
}) {
  const spreads = useMemo(() => compared.map(learnerSpread), [compared]);
  const { name: metric, mean } = baseline.metric;
  const scale = metricScale(metric);
  const [, end] = spreadDomain(spreads, mean, scale);
  const answer = `${baselineName(metric, baseline.class)} (${scale.shown(mean)})`;
  const sentences = [
    `A dot is the mean ${scale.title} over the folds, a bar one standard deviation to either side, circles are single folds.${scale.larger ? " The larger, the better." : ""}`,
    mean <= end
      ? `The dotted line is the ${scale.title} of ${answer}.`
      : `The ${scale.title} of ${answer} is beyond the figure.`,
  ];
  if (spreads.some(({ bound }) => bound !== undefined)) {
    sentences.push(
      "A tick with a number is a certified upper bound from held-out rows; all of them hold together.",
    );
  }
  if (spreads.some((spread) => farthest(spread) > end)) {
    sentences.push("Lines with an arrow continue beyond the figure.");
  }
  const draw = useCallback(
    (width: ChartWidth) => drawing(spreads, mean, metricScale(metric), width),
    [spreads, mean, metric],
  );
  return <Chart draw={draw} caption={sentences.join(" ")} />;
}
