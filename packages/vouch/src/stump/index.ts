export { stump, stumpDefinition } from "./learner.js";
export { StumpModel } from "./model.js";
export { type Split, thresholdBetween } from "./split.js";
export { type FoundStump, StumpFinder } from "./stump-finder.js";
export { stumpVcDimension } from "./vc-dimension.js";
