export { stump, stumpDefinition } from "./learner.js";
export { StumpModel } from "./model.js";
export { type Split, thresholdBetween } from "./sorted-features.js";
export { type FoundStump, StumpFinder } from "./stump-finder.js";
export { stumpVcDimension } from "./vc-dimension.js";
