import * as Plot from "@observablehq/plot";
import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { formatNumber, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import type { Verdict } from "@vouch/core/internal/train/verdict";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { baselineName, metricScale } from "../../facts/evaluation/metric-scale.js";
import { capitalised } from "../../text/text.js";
import { valueRows } from "./value-rows.js";

/** One line of the figure: the measured value, the baseline, or a certified bound. */
interface MetricMark {
  readonly kind: "measured" | "baseline" | "certified";
  readonly name: string;
  readonly value: number;
  readonly shown: string;
}

const ROWS: Readonly<Record<Verdict["measuredOn"], string>> = {
  "held-out rows": "Held-out rows",
  "new rows": "New rows",
  groups: "Held-out groups",
  folds: "Mean of the folds",
  rows: "These rows",
};

/** Lists the lines of the figure; none if the model was trained for the error or not measured. */
export function metricMarks(
  verdict: Verdict | undefined,
  certificates: readonly Certificate[],
): readonly MetricMark[] {
  if (!verdict?.objective) return [];
  const { metric, model, baseline } = verdict.objective;
  const { shown } = metricScale(metric);
  const marks: MetricMark[] = [
    { kind: "measured", name: ROWS[verdict.measuredOn], value: model, shown: shown(model) },
    {
      kind: "baseline",
      name: capitalised(baselineName(metric, verdict.baseline.class)),
      value: baseline,
      shown: shown(baseline),
    },
    ...certificates
      .filter((one) => one.measure === metric && one.class === undefined && givesGuarantee(one))
      .map((one) => ({
        kind: "certified" as const,
        name: `Certified, ${formatRoundPercent(one.confidence)} confidence`,
        value: one.value,
        shown: boundText(one, one.value),
      })),
  ];
  return marks.filter(({ value }) => Number.isFinite(value));
}

function drawing(metric: MetricName, marks: readonly MetricMark[], width: ChartWidth): Drawing {
  const { larger, tick: tickFormat, domain: domainOf } = metricScale(metric);
  const domain = domainOf(marks.map(({ value }) => value));
  const rows = marks.map((mark, row) => ({ ...mark, row, end: mark.value }));
  const of = (kind: MetricMark["kind"]) => rows.filter((mark) => mark.kind === kind);
  const [baseline] = of("baseline");
  // A lower bound allows all values to its right; its label must not cover the bar.
  const allowed = of("certified").map(({ row, value }) => ({
    row,
    from: larger ? value : domain[0],
    to: larger ? domain[1] : value,
  }));
  return valueRows(
    {
      ariaLabel: `${marks.map(({ name, shown }) => `${name}: ${shown}`).join(". ")}.`,
      rows: rows.map((row) => ({ ...row, end: larger && row.kind === "certified" ? domain[1] : row.end })),
      domain,
      tickFormat,
      reference: baseline?.value,
      marginLeft: 286,
      marginRight: 80,
      marks: (dy, tick) => [
        Plot.ruleY(allowed, { y: "row", x1: "from", x2: "to", dy, stroke: colour("band"), strokeWidth: 9 }),
        Plot.tickX(of("certified"), {
          x: "value",
          y: "row",
          ...tick,
          stroke: colour("ink"),
          strokeWidth: 2.5,
        }),
        Plot.dot(of("measured"), { x: "value", y: "row", dy, r: 5.5, fill: colour("blue") }),
        Plot.dot(of("baseline"), { x: "value", y: "row", dy, r: 5.5, fill: colour("muted") }),
      ],
    },
    width,
  );
}

const MEANINGS: Partial<Readonly<Record<MetricName, string>>> = {
  "balanced-error": "The mean of the errors of the classes.",
  auc: "The probability that a row of one class scores higher than a row of another.",
  "log-loss": "The mean of −ln of the probability of the true class.",
  brier: "The mean squared distance of the probabilities from the truth.",
  f1: "The harmonic mean of precision and recall.",
};

function metricMeaning(metric: MetricName, costs: string | undefined): string | undefined {
  return metric === "cost" && costs !== undefined ? `Mean cost of a row: ${costs}.` : MEANINGS[metric];
}

interface MetricLineProps {
  readonly verdict: Verdict | undefined;
  readonly certificates: readonly Certificate[];
  /** The costs in words. */
  readonly costs?: string | undefined;
}

/**
 * Draws the metric that the model was trained for, with the baseline and the certified bound; renders nothing if that
 * metric is the error.
 */
export function MetricLine({ verdict, certificates, costs }: MetricLineProps) {
  const marks = useMemo(() => metricMarks(verdict, certificates), [verdict, certificates]);
  const metric = verdict?.objective?.metric ?? "error";
  const draw = useCallback((width: ChartWidth) => drawing(metric, marks, width), [metric, marks]);
  if (marks.length === 0) return null;
  const meaning = metricMeaning(metric, costs);
  const caption = [
    metricScale(metric).larger ? "Larger is better." : "Smaller is better.",
    marks.some(({ kind }) => kind === "certified")
      ? "The bar spans what the certificate leaves possible on new data."
      : "No certificate bounds it.",
  ];
  return (
    <>
      {meaning !== undefined && <p>{meaning}</p>}
      <Chart draw={draw} caption={caption.join(" ")} />
    </>
  );
}

/** Maximum number of costs to name. */
const MOST_COSTS = 4;

/** Formats costs as "5 for “No” instead of “Yes”, 1 for “Yes” instead of “No”", highest first. */
export function describeCosts(
  costs: readonly (readonly number[])[] | undefined,
  classes: readonly string[],
): string | undefined {
  if (!costs || costs.length !== classes.length) return undefined;
  const all = costs
    .flatMap((row, truth) => row.map((cost, answer) => ({ cost, truth, answer })))
    .filter(({ cost }) => cost > 0)
    .sort((a, b) => b.cost - a.cost);
  const named = all
    .slice(0, MOST_COSTS)
    .map(({ cost, truth, answer }) =>
      truth === answer
        ? `${formatNumber(cost)} for a right “${visibleSpaces(classes[answer])}”`
        : `${formatNumber(cost)} for “${visibleSpaces(classes[answer])}” instead of “${visibleSpaces(classes[truth])}”`,
    );
  const more = all.length - named.length;
  return `${named.join(", ")}${more > 0 ? `, and ${formatNumber(more)} other costs` : ""}`;
}
