export {
  type Perceptron,
  type PerceptronOptions,
  type PerceptronProblem,
  trainPerceptron,
  trainPerceptronSync,
} from "./batch-perceptron.js";
export { perceptron, perceptronDefinition } from "./learner.js";
export { PerceptronModel } from "./model.js";
