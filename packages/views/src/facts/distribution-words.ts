import { formatNumber, type SplitDistribution } from "vouch/train";

/** Says where the rows of each class are along the feature of a split: "petal length: setosa 1 to 1.9, virginica 4.5 to 6.9" */
export function distributionInWords({ feature, cells, classes }: SplitDistribution): string {
  const places = classes.flatMap(({ class: name, counts }) => {
    const first = counts.findIndex((count) => count > 0);
    if (first < 0) return [];
    if ("names" in cells) return [`${name} most often ${cells.names[counts.indexOf(Math.max(...counts))]}`];
    const last = counts.findLastIndex((count) => count > 0);
    return [`${name} ${formatNumber(cells.edges[first])} to ${formatNumber(cells.edges[last + 1])}`];
  });
  return `${feature}: ${places.join(", ")}`;
}

/** Returns the value at which a split of a number divides its rows; undefined for categories. */
export function splitValue({ cells, first }: SplitDistribution): number | undefined {
  return "edges" in cells ? cells.edges[first] : undefined;
}
