export { stumpVcDimension } from "../bounds/vc-dimension-stump.js";
export { stump, stumpDefinition } from "./learner.js";
export { StumpModel } from "./model.js";
export { type Split, thresholdBetween } from "./split.js";
export { type FoundStump, StumpFinder } from "./stump-finder.js";
