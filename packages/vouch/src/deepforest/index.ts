export type { LayerFacts } from "./describe.js";
export type { Layer } from "./layer.js";
export {
  cascadeForest,
  cascadeForestDefinition,
  type DeepForestLearner,
  gcForest,
  gcForestDefinition,
  mddf,
  mddfDefinition,
} from "./learners.js";
export { DeepForestModel, type DeepForestName } from "./model.js";
