import { formatNumber, formatPercent } from "../runtime/text/number-format.js";
import { visibleSpaces } from "../runtime/text/suggestions.js";
import { suggestName } from "../runtime/text/synonyms.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Names of the metrics that can be optimised. */
export const METRIC_NAMES = ["error", "balanced-error", "auc", "log-loss", "brier", "f1", "cost"] as const;

/** Name of a metric. */
export type MetricName = (typeof METRIC_NAMES)[number];

/** Facts about a metric for sentences and searches. */
interface MetricFacts {
  /** Title within a sentence, such as "log loss". */
  readonly title: string;
  /** Whether larger values are better, as for AUC and F1. */
  readonly larger: boolean;
  /** Whether it judges predictions, probabilities, or the order of scores. */
  readonly judges: "predictions" | "probabilities" | "scores";
}

const FACTS: Readonly<Record<MetricName, MetricFacts>> = {
  error: { title: "error", larger: false, judges: "predictions" },
  "balanced-error": { title: "balanced error", larger: false, judges: "predictions" },
  auc: { title: "AUC", larger: true, judges: "scores" },
  "log-loss": { title: "log loss", larger: false, judges: "probabilities" },
  brier: { title: "Brier score", larger: false, judges: "probabilities" },
  f1: { title: "F1", larger: true, judges: "predictions" },
  cost: { title: "mean cost", larger: false, judges: "predictions" },
};

/** Returns the title of a metric, its direction, and what it judges. */
export function metricFacts(metric: MetricName): MetricFacts {
  return FACTS[metric];
}

/** Names the baseline of a metric: chance, the class shares, or a constant answer. */
export function describeBaseline(metric: MetricName, answer: string): string {
  const { judges } = FACTS[metric];
  if (judges === "scores") return "chance";
  return judges === "probabilities" ? "the class shares" : `always answering "${visibleSpaces(answer)}"`;
}

/** Returns the metric with this name. Throws on unknown names and suggests the nearest one. */
export function findMetric(name: string): MetricName {
  const found = METRIC_NAMES.find((metric) => metric === name);
  if (found) return found;
  const all = `Metrics are ${METRIC_NAMES.join(", ")}.`;
  const near = suggestName("metric", name, METRIC_NAMES);
  throw new VouchError("option/unknown", `Unknown metric "${name}".`, {
    hint: near === undefined ? all : `${near} ${all}`,
  });
}

/** Converts a loss into the usual value of the metric: 1 − loss for AUC and F1. */
export function metricValue(metric: MetricName, loss: number): number {
  return FACTS[metric].larger ? 1 - loss : loss;
}

/** Formats a value of a metric: percentages for shares of rows, otherwise numbers. */
export function formatMetric(metric: MetricName, value: number): string {
  const isShare = metric === "error" || metric === "balanced-error";
  return isShare ? formatPercent(value) : formatNumber(Number(value.toPrecision(4)));
}
