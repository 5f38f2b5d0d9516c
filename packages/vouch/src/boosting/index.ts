export type { Committee, Round, RoundFacts, Stop } from "./adaboost.js";
export type { CommitteeModel } from "./committee-model.js";
export { adaboost, adaboostDefinition } from "./learner.js";
export { AdaBoostModel } from "./model.js";
export { AdaBoostTreesModel } from "./tree-model.js";
