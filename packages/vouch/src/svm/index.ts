export { type Convergence, hasConverged } from "./convergence.js";
export { svm, svmDefinition } from "./learner.js";
export { type LibsvmModel, libsvmLine, readLibsvmModel, writeLibsvmModel } from "./libsvm-format.js";
export { SvmModel, type SvmModelParts } from "./model.js";
export { OneVsOne, type OneVsOneParts } from "./one-vs-one.js";
export { fitSigmoid, type Sigmoid, sigmoidProbability } from "./platt.js";
export {
  type KernelRows,
  type SvmProblem,
  type SvmSolution,
  type SvmSolverOptions,
  solverBytes,
  solveSvm,
  solveSvmSync,
} from "./solver.js";
