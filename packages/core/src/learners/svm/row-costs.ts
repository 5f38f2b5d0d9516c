import * as z from "zod";
import type { Features, Sample } from "../../encode/sample.js";

/** Options for the cost of margin violations. */
export const costOptions = {
  C: z
    .number()
    .positive()
    .default(1)
    .describe("Cost of margin violations. Larger values fit the training rows more closely."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe('"balanced" scales C so that all classes have the same total weight.'),
};

type CostOptions = z.output<z.ZodObject<typeof costOptions>>;

/** Lists the classes that have rows, ascending. */
export function classesWithRows({ labels, classes }: Sample<Features>): number[] {
  const present = new Uint8Array(classes.length);
  for (const label of labels) present[label] = 1;
  return classes.map((_, k) => k).filter((k) => present[k] === 1);
}

/** Computes C of each row: the option, times the weight of the row, times that of its class. */
export function rowCosts(
  { rows, labels, weights, classes }: Sample<Features>,
  { C, classWeights }: CostOptions,
  trained: readonly number[],
): Float64Array {
  const costs = weights ? weights.map((weight) => C * weight) : new Float64Array(rows).fill(C);
  if (classWeights === "none") return costs;
  const totals = new Float64Array(classes.length);
  for (let i = 0; i < rows; i++) totals[labels[i]] += costs[i];
  const all = totals.reduce((sum, total) => sum + total, 0);
  return costs.map((cost, i) => (cost * all) / (trained.length * totals[labels[i]]));
}
