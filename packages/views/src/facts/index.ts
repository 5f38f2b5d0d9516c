/**
 * Compute what the panels show, as plain data that other threads and files can have.
 *
 * @packageDocumentation
 */

export { type AnswerFacts, answerFacts, type ClassAnswers, type RiskPoint } from "./answer-facts.js";
export { type ConfusedPair, confusionInWords, mostConfused } from "./confused-pairs.js";
export { type PredictionFacts, predictionFacts } from "./prediction-facts.js";
export {
  type CurvePoint,
  type OperatingPoint,
  type RankingCurve,
  type RankingFacts,
  rankingFacts,
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
