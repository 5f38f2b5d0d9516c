export { type Activation, activations } from "./activation.js";
export { type NetworkWeights, randomWeights, withOutputLayer } from "./network-weights.js";
export {
  type Epoch,
  type NetworkStop,
  type TrainedNetwork,
  type TrainingPlan,
  trainNetwork,
} from "./train-network.js";
