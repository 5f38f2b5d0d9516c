/**
 * Evaluate and select models in your own way: splits of the rows, metrics and curves of predictions, trials, criteria and paired
 * tests.
 *
 * @packageDocumentation
 */
// Splits of the rows

export { groupFolds, groupHoldout, leaveOneGroupOut } from "../table/group-splits.js";
export { foldsOf, type RowsToSplit } from "../table/row-splits.js";
export {
  type Folds,
  kFold,
  leaveOneOut,
  randomHoldout,
  rotation,
  type Split,
  stratifiedHoldout,
  type ThreeWaySplit,
} from "../table/splits.js";
export { timeFolds, timeHoldout } from "../table/time-splits.js";

// Metrics of predictions

export {
  type CalibrationBin,
  type CalibrationOptions,
  calibrationBins,
  calibrationError,
  chanceCalibrationError,
  type Reliability,
  type ReliabilityBin,
  reliability,
} from "../evaluate/calibration.js";
export { type CalibrationMethod, Calibrator, calibrationMethods } from "../evaluate/calibrator.js";
export { ruleInWords } from "../evaluate/decision-rule.js";
export { type FittedCalibrator, fitCalibrator, type OutOfFoldScores } from "../evaluate/fit-calibrator.js";
export { auc, balancedAccuracy, confusionMatrix, logLoss, macroF1 } from "../evaluate/metrics.js";
export {
  areaUnderRoc,
  averagePrecision,
  type PrecisionRecallPoint,
  precisionRecallPoints,
  type RocPoint,
  rocPoints,
  type ScoreCurve,
  scoreCurve,
} from "../evaluate/score-curve.js";
export { countErrors } from "../learners/training-errors.js";

// Trials, criteria and evidence

export {
  baselineInWords,
  type ClassifiedRows,
  formatMetric,
  METRIC_NAMES,
  metricFacts,
  metricNamed,
  metricValue,
  rowLosses,
} from "../evaluate/metric.js";
export { objectiveFor } from "../evaluate/objective.js";
export { type OutOfFold, outOfFoldScores } from "../evaluate/out-of-fold.js";
export { runTrials } from "../evaluate/run-trials.js";
export {
  type Division,
  type FittedFacts,
  type Trial,
  type TrialOptions,
  TrialRows,
  tryLearners,
} from "../evaluate/trial.js";
export { withClassWeights } from "../table/class-weights.js";
export type {
  Criterion,
  Evidence,
  EvidenceKind,
  Judgement,
  Score,
  SelectionSettings,
  TrialErrors,
} from "./criterion.js";
export type { NamedLearner, RankedScore } from "./select.js";

// Parts of a comparison

export type { OutOfTime } from "./compare.js";
export type { ComparisonBaseline } from "./compare-baseline.js";
export type { ComparisonVerdict } from "./comparison-verdict.js";

// Statistics of repeated measurements

export { mean, standardDeviation } from "../runtime/statistics.js";
export { studentTail } from "../theory/distributions.js";
export { holm } from "../theory/multiple-testing.js";
export { correctedTTest } from "./corrected-t-test.js";

// Races and names of candidates

export { conciseName } from "./candidates.js";
export { byReplaying, type Candidates, type EnsembleOutcome } from "./choose-learner.js";
export type { Contender, Fate, RoundResult } from "./contender.js";
export { raceLearners } from "./race.js";
export type { CombinedContender } from "./race-ensemble.js";
export type { FinalWork } from "./race-entry.js";
export type { RaceResult } from "./race-outcome.js";
export { type RaceRecord, readRaceRecord } from "./race-record.js";

// Also here

export type { Confusion, Predictions } from "../evaluate/metrics.js";
export type { RaceOptions } from "./race.js";
