import { boostedTrees, cascadeForest, forest, type Learner, mddf, mlp, randomTrees } from "vouch";
import * as z from "zod";

/** Sizes of the forests. */
export const sizesSchema = z.strictObject({
  /** Trees of a single forest. */
  singleTrees: z.int().min(1),
  /** Trees of each of the four forests of a layer. */
  trees: z.int().min(1),
  folds: z.int().min(2),
});

/** Sizes of the forests. */
export type ForestSizes = z.infer<typeof sizesSchema>;

/** A learner of the table, by its name on the poster if it has one. */
export interface ForestContender {
  readonly name: string;
  /** Data sets to measure it on; all if absent. */
  readonly only?: readonly string[];
  /** Present for a variant of another learner: it has one seed only, and is left out on large sets. */
  readonly variant?: true;
  /** Present if it draws nothing at random: one seed is enough for official test rows. */
  readonly deterministic?: true;
  learner(sizes: ForestSizes): Learner;
}

/**
 * Windows of 10 × 10 pixels, 3 pixels apart. Among sides from 5 to 13, strides from 2 to 5 and sizes of the scanning forests
 * that take minutes, these did best out of fold on the first 6,000 training images.
 */
const SCAN = { shape: [28, 28], windows: [10], stride: 3, scanTrees: 100, scanWindows: 200_000 };

/** All learners, in the order in which they are trained. */
const contenders: readonly ForestContender[] = [
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

/** Data sets on which training takes many minutes. */
const LARGE = ["mnist", "sensit"];

/** Returns the learners for a data set. */
export function contendersOn(dataset: string): ForestContender[] {
  return contenders.filter(
    ({ only, variant }) => (only ?? [dataset]).includes(dataset) && !(variant && LARGE.includes(dataset)),
  );
}

/** Returns how many of the seeds a learner is trained with on a data set, whose split is official or random. */
export function seedsOf(
  { variant, deterministic }: ForestContender,
  dataset: string,
  split: "official" | "random",
  seeds: number,
): number {
  const isSame = deterministic && split === "official";
  return variant || isSame || LARGE.includes(dataset) ? 1 : seeds;
}
