export type { Committee, Round, RoundFacts, Stop } from "./adaboost.js";
export { adaboost, adaboostDefinition } from "./learner.js";
export { AdaBoostModel } from "./model.js";
export { AdaBoostTreesModel } from "./tree-model.js";
