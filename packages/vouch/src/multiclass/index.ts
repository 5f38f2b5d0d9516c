export type { MulticlassOptions, SchemeName } from "./base-learner.js";
export {
  type MulticlassLearner,
  type MulticlassLearners,
  multiclassLearners,
} from "./learner.js";
export { SeparateMachines, SvmMachines } from "./machines.js";
export { MulticlassModel, type MulticlassModelParts } from "./model.js";
