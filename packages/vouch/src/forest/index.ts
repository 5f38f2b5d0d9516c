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
export { type OutOfBag, outOfBagScores } from "./out-of-bag.js";
