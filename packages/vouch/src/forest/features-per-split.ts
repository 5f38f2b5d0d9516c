import type { ForestOptions } from "./options.js";

/** How many of so many features compete for each question; at least one, at most all. */
export function featuresPerSplit(rule: ForestOptions["featuresPerSplit"], columns: number): number {
  return Math.max(1, Math.min(columns, Math.floor(wanted(rule, columns))));
}

function wanted(rule: ForestOptions["featuresPerSplit"], columns: number): number {
  switch (rule) {
    case "all":
      return columns;
    case "sqrt":
      return Math.sqrt(columns);
    case "log2":
      return Math.log2(columns);
    default:
      return rule < 1 ? rule * columns : rule;
  }
}
