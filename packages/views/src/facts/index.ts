/**
 * Compute what the panels of a model show, as plain data that other threads and files can have: in Node, or in a worker of a page.
 *
 * @packageDocumentation
 */

// Facts of a training

export { type FactOptions, type TrainingFacts, trainingFacts } from "./training-facts.js";

// Predictions

export { type AbstentionFacts, abstentionFacts, type ClassCoverage } from "./evaluation/abstention-facts.js";
export { predictionFacts } from "./evaluation/prediction-facts.js";

// Columns and rows

export { type ColumnFacts, columnFacts } from "./columns/column-facts.js";

// Asking about one row

export { answerRow, type RowAnswer } from "./rows/row-answer.js";
export { type FormField, formFields, type TypedRow } from "./rows/row-form.js";

// Races

export { type Leader, leaderKinds, leaderScore } from "./race/leader.js";
