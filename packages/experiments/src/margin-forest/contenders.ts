import { boostedTrees, cascadeForest, forest, type Learner, mddf, mlp, randomTrees } from "vouch";
import type { ForestSizes, SetAccuracies } from "./table-data.js";

/** A learner of the table: its column's name, which is that of the poster where it has one, and how it is made. */
export interface Contender {
  readonly name: string;
  /** Data sets that it is for; all if absent. */
  readonly only?: readonly string[];
  /** A variant of another one: one seed is enough for it, and none on large sets. */
  readonly variant?: true;
  /** Draws nothing at random: one seed is enough where the test rows are the official ones. */
  readonly deterministic?: true;
  learner(sizes: ForestSizes): Learner;
}

/**
 * Windows of 10 × 10 pixels, 3 pixels apart. Of sides from 5 to 13, strides from 2 to 5 and sizes of the scanning forests
 * these did best out of fold on the first 6,000 training images, among those that take minutes.
 */
const SCAN = { shape: [28, 28], windows: [10], stride: 3, scanTrees: 100, scanWindows: 200_000 };

/** All of them, in the order in which they are trained. */
const contenders: readonly Contender[] = [
  { name: "RF", learner: ({ singleTrees }) => forest({ trees: singleTrees, outOfBag: false }) },
  { name: "random-trees", learner: ({ singleTrees }) => randomTrees({ trees: singleTrees }) },
  { name: "gcForest", learner: ({ trees, folds }) => cascadeForest({ trees, folds }) },
  { name: "mdDF", learner: ({ trees, folds }) => mddf({ trees, folds }) },
  { name: "mdDF SF", variant: true, learner: ({ trees, folds }) => mddf({ trees, folds, variant: "SF" }) },
  { name: "mdDF ST", variant: true, learner: ({ trees, folds }) => mddf({ trees, folds, variant: "ST" }) },
  { name: "mdDF NP", variant: true, learner: ({ trees, folds }) => mddf({ trees, folds, variant: "NP" }) },
  { name: "MLP", learner: () => mlp() },
  { name: "boosted-trees", deterministic: true, learner: () => boostedTrees() },
  {
    name: "mdDF, scanning",
    only: ["mnist"],
    learner: ({ trees, folds }) => mddf({ trees, folds, ...SCAN }),
  },
];

/** Sets on which a training takes many minutes. */
const LARGE = ["mnist", "sensit"];

/** Those for a data set. */
export function contendersOn(dataset: string): Contender[] {
  return contenders.filter(
    ({ only, variant }) => (only ?? [dataset]).includes(dataset) && !(variant && LARGE.includes(dataset)),
  );
}

/** How many of so many seeds a contender gets on a data set, which is split officially or at random. */
export function seedsOf(
  { variant, deterministic }: Contender,
  dataset: string,
  split: SetAccuracies["split"],
  seeds: number,
): number {
  const isSame = deterministic && split === "official";
  return variant || isSame || LARGE.includes(dataset) ? 1 : seeds;
}
