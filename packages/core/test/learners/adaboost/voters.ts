import { expect } from "vitest";
import type { AdaBoostModel } from "#core/learners/adaboost/adaboost.js";
import { trainingErrorBounds } from "#core/theory/boosting/boosting.js";

/** The stumps of a committee of stumps. */
export function stumpsOf({ voters }: AdaBoostModel) {
  return voters.kind === "stumps" ? voters.stumps : expect.fail("The voters are trees.");
}

/** The trees of a committee of trees. */
export function treesOf({ voters }: AdaBoostModel) {
  return voters.kind === "trees" ? voters.trees : expect.fail("The voters are stumps.");
}

/** The bounds of Theorem 3.1 on the training error after each round. */
export function boundsOf({ rounds, trainingClasses }: AdaBoostModel): Float64Array {
  return trainingErrorBounds(
    rounds.map(({ error }) => error),
    trainingClasses,
  );
}
