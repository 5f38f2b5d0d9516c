export { type Colour, type Colouring, type ColouringProblem, optimalColouring } from "./colouring.js";
export { relaxedHierarchy, relaxedHierarchyDefinition } from "./learner.js";
export { type HierarchyParts, type NodeFacts, RelaxedHierarchyModel } from "./model.js";
