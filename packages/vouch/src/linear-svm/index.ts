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
export { LinearRows, type LinearRowsDescriptor } from "./linear-rows.js";
