import { describeRule } from "@vouch/core/internal/metrics/decision-rule";
import { metricFacts } from "@vouch/core/internal/metrics/metric-name";
import type { Objective } from "@vouch/core/internal/metrics/objective-metric";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import type { DecidedBy } from "../../facts/evaluation/threshold-facts.js";

interface DecisionSectionProps {
  readonly by: DecidedBy;
  readonly classes: readonly string[];
  /** The costs in words. */
  readonly costs?: string | undefined;
}

/** Describes how classes are predicted, and what the rule optimises. */
export function DecisionSection({ by, classes, costs }: DecisionSectionProps) {
  return (
    <p>
      {ruleSentences(by, classes)}
      {costs !== undefined && ` Costs: ${costs}.`}
    </p>
  );
}

function ruleSentences({ rule, objective }: DecidedBy, classes: readonly string[]): string {
  const words = describeRule(rule, classes);
  if (rule.kind === "model") return "Its predictions are the model’s own answers: no threshold was moved.";
  const otherwise =
    rule.kind === "threshold" && classes.length === 2
      ? `, otherwise "${visibleSpaces(classes[1 - rule.class])}"`
      : "";
  const chosen = objective ? ` Chosen on out-of-fold training rows for the ${aim(objective)}.` : "";
  return `It predicts ${words}${otherwise}.${chosen}`;
}

function aim({ metric }: Objective): string {
  const { title, larger } = metricFacts(metric);
  return `${larger ? "largest" : "smallest"} ${title}`;
}
