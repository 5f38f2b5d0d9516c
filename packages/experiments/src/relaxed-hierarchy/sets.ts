import type { Scale } from "../experiment.js";

/** How rows of a data set are compared. */
export type SetKernel = "rbf" | "chi-square" | "linear";

/** A data set of the experiment. */
export interface HierarchySet {
  readonly dataset: string;
  readonly kernel: SetKernel;
}

/**
 * Many classes of many kinds: letters, spoken letters, digits, leaves, aerial images, X-rays, alphabets, news. Histograms are
 * compared by χ², as in the paper; word counts by a scalar product, as is usual for texts.
 */
const published: readonly HierarchySet[] = [
  { dataset: "letter", kernel: "rbf" },
  { dataset: "isolet", kernel: "rbf" },
  { dataset: "usps", kernel: "rbf" },
  { dataset: "pendigits", kernel: "rbf" },
  { dataset: "leaves100", kernel: "rbf" },
  { dataset: "landuse21", kernel: "rbf" },
  { dataset: "imclef07a", kernel: "chi-square" },
  { dataset: "omniglot8", kernel: "rbf" },
  { dataset: "news20", kernel: "linear" },
];

/** The data sets of a scale; at quick, one that is shipped. */
export const hierarchySets: Readonly<Record<Scale, readonly HierarchySet[]>> = {
  quick: [{ dataset: "iris", kernel: "rbf" }],
  paper: published,
};
