/**
 * Compute what the panels of a model show, as plain data: in Node, or in a worker of a page.
 *
 * @packageDocumentation
 */

// Facts of a training

export { type FactOptions, type TrainingFacts, trainingFacts } from "./training-facts.js";

// Columns and rows

export { type ColumnFacts, columnFacts } from "./column-facts.js";
export type { ColumnEffects } from "./column-effects.js";
export type { MeasuredImportance, UnmeasuredImportance } from "./column-importance.js";
export type { ClassCount, DataFacts } from "./data-facts.js";
export { type PredictionFacts, predictionFacts } from "./prediction-facts.js";
export type { RowExample } from "./row-examples.js";
export type { WrongRow, WrongRows } from "./wrong-rows.js";

// Asking about one row

export { type RowAnswer, answerRow } from "./row-answer.js";
export type { FormField, TypedRow } from "./row-form.js";

// Outlines of trees and hierarchies

export {
  hierarchyOutline,
  nodeFacts,
  type OutlineItem,
  type OutlineLine,
  shortNames,
} from "./hierarchy-outline.js";
export { countSplits, largestShares, shownSplits } from "./tree-outline.js";
