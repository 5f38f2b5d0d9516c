export { featuresPerSplit } from "./features-per-split.js";
export { forestScores, forestScoresAtOnce } from "./forest-scores.js";
export {
  type ForestPlan,
  type ForestTarget,
  type GrownForest,
  growForests,
  growForestsWithFacts,
} from "./grow-forest.js";
export { forest, forestDefinition, randomTrees, randomTreesDefinition } from "./learner.js";
export { ForestModel } from "./model.js";
export { forestOptions, randomTreesOptions } from "./options.js";
export { type OutOfBag, outOfBagScores } from "./out-of-bag.js";
