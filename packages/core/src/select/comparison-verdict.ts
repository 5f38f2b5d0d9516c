import { describeBaseline, formatMetric, metricFacts } from "../metrics/metric-name.js";
import type { MetricValues } from "../metrics/objective-metric.js";
import { formatCount, formatPercent, formatPValue } from "../runtime/text/number-format.js";
import type { Comparison, OutOfTime } from "./compare.js";

/** Differences with a smaller p-value are significant. */
const SIGNIFICANT = 0.05;

/** Maximum number of learners named in a sentence. */
const MOST_NAMED = 5;

/** A reason to doubt a ranking. */
export interface ComparisonWarning {
  readonly code: "out-of-time" | "not-confirmed";
  readonly message: string;
}

/** Whether the best learner is better than always answering the most common class. */
export interface ComparisonVerdict {
  /** `yes` if the difference is significant, `no` if the baseline is at least as good, otherwise `unclear`. */
  readonly better: "yes" | "no" | "unclear";
  /** Advantage of the learner's mean metric over the baseline. */
  readonly gain: number;
  /** p-value of the gain, corrected for the number of learners. */
  readonly p: number;
  /** Reasons to doubt the ranking: learners that ran out of time, held-out rows that do not confirm the gain. */
  readonly warnings: readonly ComparisonWarning[];
}

/** Judges the best learner against the baseline. */
export function judgeComparison(comparison: Comparison): ComparisonVerdict {
  const [{ gain, pBaseline: p }] = comparison.compared;
  const better = gain <= 0 ? "no" : p < SIGNIFICANT ? "yes" : "unclear";
  const unconfirmed = better === "yes" ? describeHeldOut(comparison) : [];
  return { better, gain, p, warnings: [...describeOutOfTime(comparison), ...unconfirmed] };
}

/**
 * Describes which learner is best by the metric, whether it is better than the baseline, and which others are not
 * significantly worse.
 */
export function describeComparison(comparison: Comparison): string[] {
  return [againstBaseline(comparison), ...againstBest(comparison)];
}

function againstBaseline(comparison: Comparison): string {
  const { compared, baseline, outOfTime } = comparison;
  const [best, ...others] = compared;
  // Nothing is known about learners that ran out of time.
  const among = outOfTime.length > 0 ? ` of ${formatCount(compared.length, "completed learner")}` : "";
  const { better, p } = judgeComparison(comparison);
  const answer = describeBaseline(baseline.metric.name, baseline.class);
  const { name: metric } = baseline.metric;
  const { title, larger } = metricFacts(metric);
  const shown = (one: { readonly metric: MetricValues }) => formatMetric(metric, one.metric.mean);
  const error = shown(best);
  const ofBaseline = shown(baseline);
  const leads = `${best.name} has the ${larger ? "largest" : "smallest"} ${title}${among}, ${error}`;
  if (better === "yes") {
    return `${leads}: better than ${answer} (${ofBaseline}, ${formatPValue(p)}).`;
  }
  const other = others.find(({ gain, pBaseline }) => gain > 0 && pBaseline < SIGNIFICANT);
  if (other) {
    const chance = `Its lead differs so much from fold to fold that it may be chance (${formatPValue(p)}).`;
    const steady = `${other.name}, with ${shown(other)}, is significantly better (${formatPValue(other.pBaseline)}).`;
    return `${leads} (${answer}: ${ofBaseline}). ${chance} ${steady}`;
  }
  return compared.length === 1
    ? `${best.name} is not shown to be better than ${answer} (${ofBaseline}): it has ${error} (${formatPValue(p)}).`
    : `No ${outOfTime.length > 0 ? "completed " : ""}learner is shown to be better than ${answer} (${ofBaseline}): the best, ${best.name}, has ${error} (${formatPValue(p)}).`;
}

function againstBest({ compared }: Comparison): string[] {
  const [best, ...others] = compared;
  if (others.length === 0) return [];
  const alike = others.filter(({ p = 0 }) => p >= SIGNIFICANT).map(({ name }) => name);
  if (alike.length === 0) return [`All others are significantly worse than ${best.name}.`];
  if (alike.length === others.length && alike.length > MOST_NAMED) {
    return [`None of the other ${others.length} learners is significantly worse than ${best.name}.`];
  }
  return alike.length <= MOST_NAMED
    ? [`Not significantly worse than ${best.name}: ${alike.join(", ")}.`]
    : [`${alike.length} of the ${others.length} others are not significantly worse than ${best.name}.`];
}

function describeOutOfTime({ outOfTime, folds }: Comparison): ComparisonWarning[] {
  if (outOfTime.length === 0) return [];
  const inWords = ({ name, folds: done, error }: OutOfTime) =>
    error === undefined
      ? name
      : `${name} (${formatPercent(error)} on ${done} of ${formatCount(folds, "fold")})`;
  const count = formatCount(outOfTime.length, "learner");
  const message = `${count} ran out of time and may be better: ${outOfTime.map(inWords).join(", ")}.`;
  return [{ code: "out-of-time", message }];
}

/** Says so if the exact paired test on the held-out rows, corrected for the number of learners, does not confirm the gain. */
function describeHeldOut({ compared, baseline, objective: { metric } }: Comparison): ComparisonWarning[] {
  const [{ name, heldOut, heldOutGain }] = compared;
  if (!heldOut || !heldOutGain) return [];
  const p = Math.min(1, compared.length * heldOutGain.p);
  if (heldOutGain.gain > 0 && p < SIGNIFICANT) return [];
  const message = `The ${formatCount(heldOut.rows, "held-out row")} do not confirm it: there the ${metricFacts(metric).title} is ${formatMetric(metric, heldOutGain.model)} for ${name} and ${formatMetric(metric, heldOutGain.baseline)} for ${describeBaseline(metric, baseline.class)} (${formatPValue(p)}).`;
  return [{ code: "not-confirmed", message }];
}
