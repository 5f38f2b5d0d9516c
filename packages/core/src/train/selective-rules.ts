import { applyDecision, type Decision } from "../metrics/decision.js";
import { describeCopies } from "../theory/held-out/held-out.js";
import type { FittedDecision } from "./decide.js";
import type { MeasuredModel } from "./measure.js";
import { fitSelection, type SelectiveOptions } from "./selective-prediction.js";

/** A tested model, and its decision with the rules that the held-out rows gave it. */
export interface MeasuredTraining {
  readonly tested: MeasuredModel;
  readonly decision: Decision;
  readonly notices: readonly string[];
}

/** Adds rules for abstention and sets, if requested, and their evidence. */
export function addSelectiveRules(
  options: SelectiveOptions,
  tested: MeasuredModel,
  { decision, outOfFold }: FittedDecision,
  confidence: number,
): MeasuredTraining {
  const { heldOut } = tested;
  const asked = options.abstain !== undefined || options.sets !== undefined;
  if (!asked || !heldOut) return { tested, decision, notices: [] };
  if (!outOfFold) {
    const notice = "Without calibrated probabilities the model neither abstains nor gives sets.";
    return { tested, decision, notices: [notice] };
  }
  const { dependence, repeats, rows } = heldOut.evidence;
  const fault = dependence ?? (repeats && !repeats.natural ? `${describeCopies(rows, repeats)}.` : undefined);
  if (fault !== undefined) {
    const notice = `The model neither abstains nor gives sets, because the test rows prove nothing. ${fault}`;
    return { tested, decision, notices: [notice] };
  }
  const known = { labels: outOfFold.labels, ...applyDecision(decision, outOfFold) };
  const { evidence, notices, ...rules } = fitSelection(
    options,
    { outOfFold: known, heldOut: heldOut.evidenceRows },
    confidence,
  );
  return {
    tested: { ...tested, heldOut: { ...heldOut, evidence: { ...heldOut.evidence, ...evidence } } },
    decision: { ...decision, ...rules },
    notices,
  };
}
