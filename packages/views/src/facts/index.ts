/**
 * Compute what the panels of a model show, as plain data for other threads and files. Runs in Node and in web workers.
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
