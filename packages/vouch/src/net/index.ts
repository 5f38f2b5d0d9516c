export { type Activation, activations } from "./activation.js";
export { dbn, dbnDefinition } from "./dbn.js";
export { mlp, mlpDefinition } from "./learner.js";
export { NetworkModel, type NetworkModelParts, type PretrainedLayer } from "./model.js";
export { type NetworkWeights, randomWeights, withOutputLayer } from "./network-weights.js";
export { type AutoencoderPlan, pretrainAutoencoders } from "./pretrain-autoencoders.js";
export type { TiedLayer } from "./pretrain-layer.js";
export { pretrainRbms, type RbmPlan } from "./pretrain-rbms.js";
export type { LayerHistory, PretrainedStack } from "./pretrain-stack.js";
export { sae, saeDefinition } from "./sae.js";
export {
  type Epoch,
  type NetworkStop,
  type TrainedNetwork,
  type TrainingPlan,
  trainNetwork,
} from "./train-network.js";
