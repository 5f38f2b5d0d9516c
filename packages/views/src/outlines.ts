/**
 * Outlines of trees and hierarchies, for programs that print them.
 *
 * @packageDocumentation
 */

export {
  hierarchyOutline,
  nodeSummary,
  type OutlineItem,
  type OutlineLine,
  shortNames,
} from "./facts/hierarchy-outline.js";
export { countSplits, largestShares, shownSplits } from "./facts/tree-outline.js";
