/**
 * Compute what the panels of a model show, as plain data that other threads and files can have: in Node, or in a worker of a page.
 *
 * @packageDocumentation
 */

// Facts of a training

export { type FactOptions, type TrainingFacts, trainingFacts } from "./training-facts.js";

// Predictions

export {
  type AbstentionFacts,
  abstentionFacts,
  type ClassCoverage,
  type RiskPoint,
} from "./evaluation/abstention-facts.js";
export { type ConfusedPair, describeConfusion, mostConfused } from "./evaluation/confused-pairs.js";
export { type PredictionFacts, predictionFacts } from "./evaluation/prediction-facts.js";
export {
  type OperatingPoint,
  type RankingCurve,
  type RankingFacts,
  rankingFacts,
  type SquarePoint,
} from "./evaluation/ranking-facts.js";
export { type ReliabilityFacts, reliabilityFacts } from "./evaluation/reliability-facts.js";
export { type ClassSets, type SetFacts, setFacts } from "./evaluation/set-facts.js";
export { type DecidedBy, positiveClass, thresholdFacts } from "./evaluation/threshold-facts.js";
export {
  type ErrorCosts,
  type PredictedCounts,
  type ThresholdFacts,
  type ThresholdMeasures,
  type ThresholdPoint,
  thresholdMeasures,
} from "./evaluation/threshold-measures.js";

// Columns and rows

export type { ColumnEffects } from "./columns/column-effects.js";
export { type ColumnFacts, columnFacts } from "./columns/column-facts.js";
export type { MeasuredImportance, UnmeasuredImportance } from "./columns/column-importance.js";
export type { ClassCount, DataFacts } from "./columns/data-facts.js";
export type { RowExample } from "./rows/row-examples.js";
export type { WrongRow, WrongRows } from "./rows/wrong-rows.js";

// Asking about one row

export { answerRow, type RowAnswer } from "./rows/row-answer.js";
export { type FormField, formFields, type TypedRow } from "./rows/row-form.js";

// Races

export {
  isOut,
  type Leader,
  type LeaderKind,
  type LeaderScore,
  leaderKinds,
  leaderScore,
  type ScoredLeader,
} from "./race/leader.js";
