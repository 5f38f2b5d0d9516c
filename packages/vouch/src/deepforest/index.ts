export type { LayerFacts } from "./describe.js";
export type { Layer } from "./layer.js";
export { type DeepForestLearner, type DeepForestLearners, deepForestLearners } from "./learners.js";
export { DeepForestModel, type DeepForestName } from "./model.js";
export type { CascadeForestOptions, GcForestOptions, MddfOptions } from "./options.js";
