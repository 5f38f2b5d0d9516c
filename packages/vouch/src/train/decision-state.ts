import * as z from "zod";
import { Calibrator } from "../evaluate/calibrator.js";
import type { Decision } from "../evaluate/decision.js";
import { decisionRuleSchema, ruleFault } from "../evaluate/decision-rule.js";
import { checkedJson, corrupt, type State } from "../runtime/state.js";

const shape = z.strictObject({
  rule: decisionRuleSchema,
  /** Null if the scores are not calibrated. */
  calibrator: z.json(),
});

/** Writes a decision for a model file; its tensors are those of the calibrator. */
export function decisionState({ calibrator, rule }: Decision): State {
  const state = calibrator?.toState();
  return { json: { rule, calibrator: state?.json ?? null }, tensors: state?.tensors ?? {} };
}

/** Reads a decision for a number of classes from an untrusted file. */
export function restoreDecision({ json, tensors }: State, classes: number): Decision {
  const { rule, calibrator } = checkedJson("decision", json, shape);
  const fault = ruleFault(rule, classes);
  if (fault !== undefined) throw corrupt(`The decision is damaged: ${fault}.`);
  if (calibrator !== null) {
    return { rule, calibrator: Calibrator.restore({ json: calibrator, tensors }, classes) };
  }
  if (Object.keys(tensors).length > 0) throw corrupt("The decision has tensors, but no calibrator.");
  return { rule };
}
