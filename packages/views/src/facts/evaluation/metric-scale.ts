import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { formatMetric, metricFacts } from "@vouch/core/internal/metrics/metric-name";
import { formatNumber, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { shortened } from "../../text/text.js";

/** How to draw and format the values of a metric. */
export interface MetricScale {
  /** Name within a sentence. */
  readonly title: string;
  /** Whether larger is better. */
  readonly larger: boolean;
  readonly shown: (value: number) => string;
  readonly tick: (value: number) => string;
  /** Ends of an axis with these values: AUC starts at chance, other metrics at 0. */
  readonly domain: (values: readonly number[]) => [number, number];
}

/** Returns how to title and draw a metric. */
export function metricScale(metric: MetricName): MetricScale {
  const { title, larger } = metricFacts(metric);
  const isShare = metric === "error" || metric === "balanced-error";
  const chance = metric === "auc" ? 0.5 : 0;
  return {
    title,
    larger,
    shown: (value) => formatMetric(metric, value),
    tick: isShare ? formatRoundPercent : formatNumber,
    domain: (values) =>
      larger ? [Math.min(chance, ...values), 1] : [0, Math.max(isShare ? 0.01 : 1e-3, ...values)],
  };
}

/** Maximum length of a class name in a sentence. */
const MOST_LETTERS = 40;

/** Names the baseline of a metric: a constant answer, chance, or class shares as probabilities. */
export function baselineName(metric: MetricName, answer: string): string {
  const { judges } = metricFacts(metric);
  if (judges === "scores") return "chance";
  return judges === "probabilities"
    ? "the class shares as probabilities"
    : `always answering “${shortened(answer, MOST_LETTERS)}”`;
}
