export type { Committee, Round, Stop } from "./adaboost.js";
export { adaboost, adaboostDefinition } from "./learner.js";
export { AdaBoostModel } from "./model.js";
