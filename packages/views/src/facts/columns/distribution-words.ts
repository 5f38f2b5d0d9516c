import type { SplitCells, SplitDistribution } from "@vouch/core/internal/learners/description";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";

/**
 * Describes where the rows of each class lie along the feature of a split: "petal length: setosa 1 to 1.9, virginica
 * 4.5 to 6.9"
 */
export function describeDistribution({ feature, cells, classes }: SplitDistribution): string {
  const places = classes.flatMap(({ class: name, counts }) => {
    const first = counts.findIndex((count) => count > 0);
    if (first < 0) return [];
    if ("names" in cells) return [`${name} most often ${cells.names[counts.indexOf(Math.max(...counts))]}`];
    const last = counts.findLastIndex((count) => count > 0);
    const { low, high } = edgeTexts(cells, first, last);
    return [`${name} ${low} to ${high}`];
  });
  return `${feature}: ${places.join(", ")}`;
}

/** Formats the edges of a run of intervals; the outer ones say whether there are rows beyond them. */
export function edgeTexts(
  { edges, beyond }: Extract<SplitCells, { readonly edges: readonly number[] }>,
  first: number,
  last: number,
): { readonly low: string; readonly high: string } {
  const isBelow = first === 0 && (beyond === "below" || beyond === "both");
  const isAbove = last === edges.length - 2 && (beyond === "above" || beyond === "both");
  const [low, high] = [edges[first], edges[last + 1]].map((edge) =>
    formatNumber(Number(edge.toPrecision(3))),
  );
  return { low: isBelow ? `≤ ${low}` : low, high: isAbove ? `≥ ${high}` : high };
}

/** Returns the threshold of a numeric split; undefined for categories. */
export function splitValue({ cells, first }: SplitDistribution): number | undefined {
  return "edges" in cells ? cells.edges[first] : undefined;
}
