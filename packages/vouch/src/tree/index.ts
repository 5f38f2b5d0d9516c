export { FULL_GROWTH, type Growth } from "./growth.js";
export { FEATURE_SHIFT } from "./node.js";
export { ResidentTrees, type ResidentTreesDescriptor } from "./resident-trees.js";
export { TreeColumns, type TreeColumnsDescriptor } from "./tree-columns.js";
export { type GrownTree, type GrowRequest, TreeGrower } from "./tree-grower.js";
export { type TreeArrays, TreeSet } from "./tree-set.js";
export { readTrees, treeTensorNames, treeTensors } from "./tree-state.js";
export { TreeTarget, type TreeTargetDescriptor } from "./tree-target.js";
export { TreeWalker, type Walk } from "./tree-walker.js";
