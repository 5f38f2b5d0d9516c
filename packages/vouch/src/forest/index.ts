export { featuresPerSplit } from "./features-per-split.js";
export { forestScores, forestScoresAtOnce, sumsAtOnce } from "./forest-scores.js";
export {
  executorFor,
  type ForestPlan,
  type ForestTarget,
  type GrownForest,
  growForests,
  growForestsWithFacts,
} from "./grow-forest.js";
export { forest, forestDefinition, randomTrees, randomTreesDefinition } from "./learner.js";
export { ForestModel } from "./model.js";
export { forestOptions, randomTreesOptions } from "./options.js";
export type { OutOfBag } from "./out-of-bag.js";
export type { MeasuredLoss, OutOfBagLosses } from "./out-of-bag-losses.js";
export { rowWeights } from "./row-weights.js";
