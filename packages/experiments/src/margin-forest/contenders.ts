import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { cascadeForest, mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
import { forest, randomTrees } from "@vouch/core/internal/learners/forest/forest";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { mlp } from "@vouch/core/internal/learners/net/mlp";
import { conciseName } from "@vouch/core/internal/select/candidates";
import * as z from "zod";

/** mdDF exactly as in Algorithm 2 of the paper: each layer is grown with the weights of the loss. */
export const AS_PRINTED = "mdDF as printed";

/** mdDF with larger forests than in the paper. */
export const MORE_TREES = "mdDF, more trees";

/** mdDF on images that are scanned first. */
export const SCANNING = "mdDF, scanning";

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

/** A learner of the table, by its published name if it has one. */
export interface ForestContender {
  readonly name: string;
  /** Data sets to measure it on; all if absent. */
  readonly only?: readonly string[];
  /** Present for a variant of another learner, which gets only one seed. */
  readonly variant?: true;
  /** Present if it is skipped on large sets. */
  readonly small?: true;
  /** Present if it is deterministic, so that one seed suffices for official test rows. */
  readonly deterministic?: true;
  learner(sizes: ForestSizes): Learner;
}

/**
 * Windows of 10 × 10 pixels, 3 pixels apart. Among sides from 5 to 13, strides from 2 to 5 and sizes of scanning
 * forests that take minutes, these were best out of fold on the first 6,000 training images.
 */
const SCAN = { shape: [28, 28], windows: [10], stride: 3, scanTrees: 100, scanWindows: 200_000 };

/** All learners, in the order in which they are trained. */
const contenders: readonly ForestContender[] = [
  {
    name: SCANNING,
    only: ["mnist"],
    learner: ({ trees, folds }) => mddf({ trees, folds, ...SCAN }),
  },
  { name: "RF", learner: ({ singleTrees }) => forest({ trees: singleTrees, outOfBag: false }) },
  { name: "random-trees", small: true, learner: ({ singleTrees }) => randomTrees({ trees: singleTrees }) },
  { name: "gcForest", learner: ({ trees, folds }) => cascadeForest({ trees, folds }) },
  { name: "mdDF", learner: ({ trees, folds }) => mddf({ trees, folds }) },
  { name: AS_PRINTED, learner: ({ trees, folds }) => mddf({ trees, folds, reweight: "always" }) },
  { name: MORE_TREES, small: true, learner: ({ trees, folds }) => mddf({ trees: 3 * trees, folds }) },
  ...(["SF", "ST", "NP"] as const).map((variant) => ({
    name: `mdDF ${variant}`,
    variant: true as const,
    small: true as const,
    learner: ({ trees, folds }: ForestSizes) => mddf({ trees, folds, variant }),
  })),
  { name: "MLP", learner: () => mlp() },
  { name: "boosted-trees", small: true, deterministic: true, learner: () => boostedTrees() },
];

/** Data sets on which training takes many minutes. */
const LARGE = ["mnist", "sensit"];

/** Returns the learners for a data set. */
export function contendersOn(dataset: string): ForestContender[] {
  return contenders.filter(
    ({ only, small }) => (only ?? [dataset]).includes(dataset) && !(small && LARGE.includes(dataset)),
  );
}

/** Returns the number of seeds for a learner on a data set, whose split is official or random. */
export function seedsOf(
  { only, variant, deterministic }: ForestContender,
  dataset: string,
  split: "official" | "random",
  seeds: number,
): number {
  const isSame = deterministic && split === "official";
  const isSlow = LARGE.includes(dataset) && only === undefined;
  return variant || isSame || isSlow ? 1 : seeds;
}

/** Names each learner with the options that are not at their defaults. */
export function settingsOfContenders(sizes: ForestSizes): { name: string; settings: string }[] {
  return contenders.map(({ name, learner }) => ({ name, settings: conciseName(learner(sizes)) }));
}
