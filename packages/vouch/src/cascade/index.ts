export type { CascadeLearner } from "./cascade-learner.js";
export { deepCascade, deepCascadeDefinition } from "./generic-learner.js";
export {
  deepCascadePerceptron,
  deepCascadePerceptronDefinition,
  deepCascadeSvm,
  deepCascadeSvmDefinition,
} from "./kernel-learners.js";
export { type CascadeLearnerName, CascadeModel, type CascadeOrigin, type LeafFacts } from "./model.js";
export {
  type BestCascade,
  type ComplexityMeasure,
  type SearchGoal,
  type SearchProgress,
  searchCascades,
} from "./search.js";
export { CascadeCount, type CascadeSpace } from "./space.js";
export { SubProblems } from "./sub-problems.js";
export type { NodeRequest, NodeTrainer, TrainedGate, TrainedNode } from "./trained-node.js";
