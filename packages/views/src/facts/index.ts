/**
 * Compute what the panels of a model show, as plain data: in Node, or in a worker of a page.
 *
 * @packageDocumentation
 */

export * from "./hierarchy-outline.js";
export { type Leader, type LeaderScore, leaderScore } from "./leader.js";
export * from "./tree-outline.js";
