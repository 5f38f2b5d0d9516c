import { findMetric } from "@vouch/core/internal/metrics/metric-name";
import type { TrainRequestInput } from "@vouch/core/internal/train/request/request";
import type { TrainPlan } from "./protocol.js";

/** Returns the goal of a plan as options of `vouch train`. */
export function wantedOptions(
  { metric, costs, abstain, sets }: Pick<TrainPlan, "metric" | "costs" | "abstain" | "sets">,
  classes: readonly string[],
): Pick<TrainRequestInput, "metric" | "cost" | "abstain" | "sets"> {
  return {
    ...(metric === "cost" && { cost: costsByClass(costs, classes) }),
    ...(metric !== "error" && metric !== "cost" && { metric: findMetric(metric) }),
    abstain,
    sets,
  };
}

/** Lists the costs of all wrong answers by class; drops classes that the data no longer contain. */
function costsByClass(
  costs: TrainPlan["costs"] = {},
  classes: readonly string[],
): Record<string, Record<string, number>> {
  const rows = classes.map((actual): [string, Record<string, number>] => {
    const cost = Object.hasOwn(costs, actual) ? costs[actual] : 1;
    const others = classes.filter((name) => name !== actual);
    return [actual, Object.fromEntries(others.map((name) => [name, cost]))];
  });
  return Object.fromEntries(rows);
}
