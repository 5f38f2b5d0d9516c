export { majority, majorityDefinition } from "./learner.js";
export { MajorityModel } from "./model.js";
