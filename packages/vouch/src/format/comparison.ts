import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { formatMetric, metricFacts } from "@vouch/core/internal/metrics/metric-name";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPValue,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import type { Compared, Comparison } from "@vouch/core/internal/select/compare";
import { describeComparison, judgeComparison } from "@vouch/core/internal/select/comparison-verdict";
import { printable, wrap } from "../process/terminal.js";
import { alignedTable } from "./aligned-table.js";

/** Names the best learner, whether it is better than the baseline, and what puts that in doubt. */
export function comparisonVerdictLines(comparison: Comparison, columns: number): string {
  const { warnings } = judgeComparison(comparison);
  const paragraphs = [
    describeComparison(comparison),
    [...warnings.map(({ message }) => message), ...moreTime(comparison), ...moreFolds(comparison)],
  ];
  return paragraphs
    .filter((sentences) => sentences.length > 0)
    .map((sentences) => wrap(printable(sentences.join(" ")), columns))
    .join("\n");
}

/** Suggests a longer --budget if learners ran out of time. */
function moreTime({ outOfTime, secondsForAll }: Comparison): string[] {
  if (outOfTime.length === 0) return [];
  return secondsForAll === undefined
    ? ["Give a longer --budget."]
    : [`Give --budget ${asFlag(secondsForAll)}.`];
}

const MANY_FOLDS = 10;

/** Suggests more folds if it is unclear whether the best learner is better than the baseline. */
function moreFolds(comparison: Comparison): string[] {
  const { better } = judgeComparison(comparison);
  if (better !== "unclear" || comparison.folds >= MANY_FOLDS) return [];
  return [
    `With ${formatCount(comparison.folds, "fold")}, only large and steady differences are significant; --folds ${MANY_FOLDS} shows smaller ones.`,
  ];
}

/** Formats a duration for the flag: 45s, 2m, 3h. */
function asFlag(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

/** Lists the learners, best first, and the baseline. Bounds are on the error, so they appear next to errors only. */
export function comparisonTable({ compared, baseline }: Comparison, columns: number): string {
  const { name: metric } = baseline.metric;
  const isShare = metric === "error" || metric === "balanced-error";
  const { title } = metricFacts(metric);
  const headings = [
    { title: "learner", whole: true },
    { title: isShare ? `${title} %` : title, right: true },
    { title: "p best", right: true },
    { title: "p base", right: true },
    { title: "fit", right: true },
    { title: "per row", right: true },
    { title: "size", right: true },
    ...(metric === "error" ? [{ title: "certified", right: true }] : []),
  ];
  const lines = compared.map((one) => [
    one.name,
    spread(one),
    one.p === undefined ? "best" : pValue(one.p),
    pValue(one.pBaseline),
    formatDuration(one.seconds.fit),
    formatDuration(one.seconds.row),
    formatBytes(one.bytes),
    ...(metric === "error" ? [one.certificate ? `≤ ${formatUpperBound(one.certificate.value)}` : "–"] : []),
  ]);
  const last = ["baseline", spread(baseline)];
  const rest = Array.from({ length: headings.length - last.length }, () => "");
  return alignedTable(headings, [...lines, [...last, ...rest]], columns);
}

/** Formats mean and standard deviation, shares in per cent: 12.9 ± 0.84. */
function spread({ metric: { name, mean, sd } }: Pick<Compared, "metric">): string {
  return [mean, rounded(name, sd)].map((value) => formatMetric(name, value).replace("%", "")).join(" ± ");
}

/** Rounds a deviation to two digits, except for percentages, which are rounded anyway. */
function rounded(name: MetricName, sd: number): number {
  return name === "error" || name === "balanced-error" ? sd : Number(sd.toPrecision(2));
}

/** Formats a p-value for a column that says so. */
function pValue(p: number): string {
  return formatPValue(p)
    .replace(/^p =? ?/, "")
    .replace("< ", "<");
}
