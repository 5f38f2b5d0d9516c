import type { Learner } from "../learning/learner.js";
import type { Growth, TreeSet } from "../tree/index.js";
import type { EncodedModel } from "./encoded-model.js";

/** A forest of a layer, to be grown. */
export interface ForestMember {
  readonly kind: "forest";
  /** Of random trees (the best of some random cuts) or of completely random ones. */
  readonly name: "forest" | "random-trees";
  readonly trees: number;
  readonly bootstrap: boolean;
  /** How its trees grow on so many columns. */
  readonly growth: (columns: number) => Growth;
}

/** Any other learner that gives probabilities. */
export interface LearnerMember {
  readonly kind: "learner";
  readonly learner: Learner;
}

/** What a layer is made of. Each member is trained once for each fold. */
export type Member = ForestMember | LearnerMember;

/** A trained member. */
export type FittedMember =
  | {
      readonly kind: "forest";
      readonly name: ForestMember["name"];
      /** The trees of all folds, equally many of each: their mean is the mean over the folds. */
      readonly trees: TreeSet;
    }
  | {
      readonly kind: "learner";
      readonly name: string;
      /** What was trained without each of the folds. */
      readonly folds: readonly EncodedModel[];
    };
