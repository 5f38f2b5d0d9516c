import { metricNamed } from "vouch/select";
import type { TrainOptions } from "vouch/train";
import type { TrainPlan } from "./protocol.js";

type Wanted = Pick<TrainPlan, "metric" | "costs" | "abstain" | "sets">;

/** Returns what a plan says about a good model, as options of the library. */
export function wantedOptions(
  { metric, costs, abstain, sets }: Wanted,
  classes: readonly string[],
): Pick<TrainOptions, "metric" | "costs" | "abstain" | "sets"> {
  return {
    metric: metricNamed(metric),
    ...(metric === "cost" && { costs: costsByClass(costs, classes) }),
    ...(abstain !== undefined && { abstain }),
    ...(sets !== undefined && { sets }),
  };
}

/** Returns the same as flags of `vouch train`. */
export function wantedFlags({ metric, costs, abstain, sets }: Wanted, classes: readonly string[]) {
  const cost = Object.entries(costsByClass(costs, classes)).flatMap(([actual, row]) =>
    Object.entries(row).map(([predicted, each]) => `${actual}:${predicted}=${each}`),
  );
  return {
    ...(metric === "cost" && { cost }),
    ...(metric !== "error" && metric !== "cost" && { metric }),
    ...(abstain !== undefined && { abstain }),
    ...(sets !== undefined && { sets }),
  };
}

/** Lists what it costs to answer any other class; classes that the data does not have any more are left out. */
function costsByClass(
  costs: TrainPlan["costs"] = {},
  classes: readonly string[],
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const rows = classes.map((actual): [string, Record<string, number>] => {
    const cost = Object.hasOwn(costs, actual) ? costs[actual] : 1;
    const others = classes.filter((name) => name !== actual);
    return [actual, Object.fromEntries(others.map((name) => [name, cost]))];
  });
  return Object.fromEntries(rows);
}
