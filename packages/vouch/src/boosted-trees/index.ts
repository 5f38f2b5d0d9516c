export { boostedTrees, boostedTreesDefinition } from "./learner.js";
export { BoostedTreesModel } from "./model.js";
