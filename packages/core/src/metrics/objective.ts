import { classHint } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { classCounts } from "../table/target.js";
import type { CostMatrix } from "../theory/held-out/measures.js";
import { findMetric, type MetricName } from "./metric-name.js";
import type { Objective } from "./objective-metric.js";

/** The metric to optimise, as requested by a user. */
export interface ObjectiveOptions {
  /** By default the error, or the mean cost if there are costs. */
  readonly metric?: MetricName;
  /**
   * Costs by true class and predicted class, `{ Yes: { No: 5 } }`. By default, errors cost 1 and correct answers 0. Or
   * a function that returns the matrix for the classes in order.
   */
  readonly costs?:
    | Readonly<Record<string, Readonly<Record<string, number>>>>
    | ((classes: readonly string[]) => CostMatrix);
  /** The class that F1, thresholds and curves are about; by default the rarer one of two classes. */
  readonly positive?: string;
}

/** Resolves the metric for the classes of some rows. */
export function objectiveFor(
  { metric, costs, positive }: ObjectiveOptions,
  { classes, labels }: { readonly classes: readonly string[]; readonly labels: Int32Array },
): Objective {
  const name = metric === undefined ? (costs ? "cost" : "error") : findMetric(metric);
  if (costs && name !== "cost") {
    throw new VouchError("option/invalid", `Costs are given, but the metric is ${name}.`, {
      hint: "Leave out one of the two.",
    });
  }
  if (name === "cost" && !costs) {
    throw new VouchError("option/invalid", "The metric is cost, but no costs are given.", {
      hint: "Say what an error costs, such as --cost Yes:No=5.",
    });
  }
  const index = positiveClass(positive, classes, labels);
  return {
    metric: name,
    ...(costs && { costs: checkedCosts(matrixOf(costs, classes), classes) }),
    ...(index !== undefined && { positive: index }),
  };
}

function positiveClass(
  name: string | undefined,
  classes: readonly string[],
  labels: Int32Array,
): number | undefined {
  if (name !== undefined) checkClass(name, classes);
  if (classes.length !== 2) {
    if (name === undefined) return undefined;
    throw new VouchError(
      "option/invalid",
      `A positive class needs two classes, but there are ${classes.length}.`,
    );
  }
  if (name !== undefined) return classes.indexOf(name);
  const [, second] = classCounts(labels, classes.length);
  return 2 * second <= labels.length ? 1 : 0;
}

function checkClass(name: string, classes: readonly string[]): void {
  if (classes.includes(name)) return;
  throw new VouchError("option/invalid", `"${name}" is not a class.`, {
    hint: classHint(name, classes),
  });
}

function matrixOf(costs: NonNullable<ObjectiveOptions["costs"]>, classes: readonly string[]): CostMatrix {
  if (typeof costs === "function") return costs(classes);
  for (const [actual, row] of Object.entries(costs)) {
    checkClass(actual, classes);
    for (const predicted of Object.keys(row)) checkClass(predicted, classes);
  }
  const costOf = (actual: string, predicted: string) =>
    Object.hasOwn(costs, actual) && Object.hasOwn(costs[actual], predicted)
      ? costs[actual][predicted]
      : Number(actual !== predicted);
  return classes.map((actual) => classes.map((predicted) => costOf(actual, predicted)));
}

/** Larger costs would overflow in sums over rows. */
const LARGEST_COST = 1e100;

function checkedCosts(costs: CostMatrix, classes: readonly string[]): CostMatrix {
  const fits = costs.length === classes.length && costs.every((row) => row.length === classes.length);
  if (!fits) {
    throw new VouchError("option/invalid", `The cost matrix does not fit ${classes.length} classes.`);
  }
  const cells = costs.flat();
  const wrong = cells.find((cost) => !(cost >= 0 && cost <= LARGEST_COST));
  if (wrong !== undefined) {
    throw new VouchError("option/invalid", `A cost must be a number from 0 to 1e100, not ${wrong}.`);
  }
  if (cells.every((cost) => cost === 0)) {
    throw new VouchError("option/invalid", "All costs are 0. At least one must be positive.");
  }
  return costs;
}
