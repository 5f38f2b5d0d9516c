export {
  type LinearLoss,
  type LinearProblem,
  type LinearSolution,
  type LinearSolverOptions,
  type LinearSolverSetting,
  linearSolverBytes,
  losses,
  solveLinearSvm,
  solveLinearSvmSync,
} from "./dual-coordinate-descent.js";
export { Hyperplanes } from "./hyperplanes.js";
export { linearSvm, linearSvmDefinition } from "./learner.js";
export { LinearRows, type LinearRowsDescriptor } from "./linear-rows.js";
export { LinearSvmModel, type LinearSvmModelParts } from "./model.js";
