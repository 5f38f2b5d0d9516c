export { type Activation, activations } from "./activation.js";
export { mlp, mlpDefinition } from "./learner.js";
export { NetworkModel, type NetworkModelParts, type PretrainedLayer } from "./model.js";
export { type NetworkWeights, randomWeights, withOutputLayer } from "./network-weights.js";
export {
  type Epoch,
  type NetworkStop,
  type TrainedNetwork,
  type TrainingPlan,
  trainNetwork,
} from "./train-network.js";
