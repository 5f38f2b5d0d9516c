import type { Calibrator } from "../metrics/calibrator.js";
import { chooseRule, keepsOwnAnswers } from "../metrics/choose-rule.js";
import type { Decision } from "../metrics/decision.js";
import { ARGMAX } from "../metrics/decision-rule.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/parallel/run.js";
import { fitCalibrator } from "./choose-calibrator.js";
import type { OutOfFold } from "./out-of-fold.js";

/** Calibrates probabilities and chooses a rule for an objective, on rows that the models did not see. */
export async function fitDecision(
  objective: Objective,
  rows: OutOfFold,
  classes: number,
  run: Run,
): Promise<Decision & { readonly calibrator: Calibrator }> {
  const { calibrator } = await fitCalibrator(rows, classes, run);
  // Computing the probabilities of a million rows takes a while.
  if (keepsOwnAnswers(objective)) return { calibrator, rule: ARGMAX };
  const { labels, predictions } = rows;
  const probabilities = calibrator.probabilities(rows.scores);
  return { calibrator, rule: chooseRule(objective, { labels, predictions, probabilities }) };
}
