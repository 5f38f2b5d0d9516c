import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import { type Reliability, reliability } from "@vouch/core/internal/metrics/reliability";

/** Predicted probabilities and observed frequencies of an event. */
export interface ReliabilityFacts extends Reliability {
  /** The class whose probability it is; absent for the predicted class of each row. */
  readonly event?: string;
}

/** Compares probabilities with frequencies; undefined without probabilities or rows. */
export function reliabilityFacts(predicted: Predictions, positive = 1): ReliabilityFacts | undefined {
  const found = reliability(predicted, { positive });
  const { classes } = predicted;
  return found && { ...found, ...(classes.length === 2 && { event: classes[positive] }) };
}
