import type { Decision } from "@vouch/core/internal/metrics/decision";
import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import type { Objective } from "@vouch/core/internal/metrics/objective-metric";
import { type AbstentionFacts, abstentionFacts } from "./abstention-facts.js";
import { type RankingFacts, rankingFacts } from "./ranking-facts.js";
import { type ReliabilityFacts, reliabilityFacts } from "./reliability-facts.js";
import { type SetFacts, setFacts } from "./set-facts.js";
import { positiveClass, thresholdFacts } from "./threshold-facts.js";
import type { ThresholdFacts } from "./threshold-measures.js";

/** Facts about predictions for labelled rows: a few kilobytes of plain data for other threads and files. */
export interface PredictionFacts {
  /** ROC and precision–recall curves; absent if `thresholds` contains them. */
  readonly ranking?: RankingFacts;
  /** Outcome of other thresholds; present for two classes with probabilities. */
  readonly thresholds?: ThresholdFacts;
  /** Whether probabilities agree with frequencies. */
  readonly calibration?: ReliabilityFacts;
  /** Present for a model that abstains. */
  readonly answers?: AbstentionFacts;
  /** Present for a model with prediction sets. */
  readonly sets?: SetFacts;
}

/** Computes the facts of the panels about predictions. */
export function predictionFacts(
  predicted: Predictions,
  { rule, abstention, sets }: Pick<Decision, "rule" | "abstention" | "sets">,
  objective: Objective | undefined,
): PredictionFacts {
  const by = { rule, objective };
  const positive = positiveClass(by, predicted.classes);
  const thresholds = thresholdFacts(by, predicted);
  // The threshold panel draws the same curves.
  const ranking = thresholds ? undefined : rankingFacts(predicted, positive);
  const calibration = reliabilityFacts(predicted, positive);
  const answers = abstention && abstentionFacts(abstention, predicted);
  const counted = sets && setFacts(sets, predicted);
  return {
    ranking,
    thresholds,
    calibration,
    answers,
    sets: counted,
  };
}
