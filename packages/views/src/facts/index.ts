/**
 * Compute what the panels of a model show, as plain data that other threads and files can have: in Node, or in a worker of a page.
 *
 * @packageDocumentation
 */

// Facts of a training

export { type FactOptions, type TrainingFacts, trainingFacts } from "./training-facts.js";

// Predictions

export { type AnswerFacts, answerFacts, type ClassAnswers, type RiskPoint } from "./answer-facts.js";
export { type ConfusedPair, confusionInWords, mostConfused } from "./confused-pairs.js";
export { type PredictionFacts, predictionFacts } from "./prediction-facts.js";
export {
  type OperatingPoint,
  type RankingCurve,
  type RankingFacts,
  rankingFacts,
  type SquarePoint,
} from "./ranking-facts.js";
export { type ReliabilityFacts, reliabilityFacts } from "./reliability-facts.js";
export { type ClassSets, type SetFacts, setFacts } from "./set-facts.js";
export { type DecidedBy, positiveClass, thresholdFacts } from "./threshold-facts.js";
export {
  type ErrorCosts,
  type PredictedCounts,
  type ThresholdFacts,
  type ThresholdMeasures,
  type ThresholdPoint,
  thresholdMeasures,
} from "./threshold-measures.js";

// Columns and rows

export type { ColumnEffects } from "./column-effects.js";
export { type ColumnFacts, columnFacts } from "./column-facts.js";
export type { MeasuredImportance, UnmeasuredImportance } from "./column-importance.js";
export type { ClassCount, DataFacts } from "./data-facts.js";
export type { RowExample } from "./row-examples.js";
export type { WrongRow, WrongRows } from "./wrong-rows.js";

// Asking about one row

export { answerRow, type RowAnswer } from "./row-answer.js";
export { type FormField, formFields, type TypedRow } from "./row-form.js";

// Races

export {
  isOut,
  type Leader,
  type LeaderKind,
  type LeaderScore,
  leaderKinds,
  leaderScore,
  type ScoredLeader,
} from "./leader.js";
