import * as z from "zod";
import { checkedJson, corrupt, type State } from "../runtime/codec/state.js";
import { abstentionRuleSchema } from "../theory/conformal/abstention-rule.js";
import { type SetRule, setRuleSchema } from "../theory/conformal/set-rule.js";
import { calibratorState, restoreCalibrator } from "./calibrator-state.js";
import type { Decision } from "./decision.js";
import { decisionRuleSchema, ruleFault } from "./decision-rule.js";

const shape = z.strictObject({
  rule: decisionRuleSchema,
  /** Null if the scores are not calibrated. */
  calibrator: z.json(),
  abstention: abstentionRuleSchema.optional(),
  sets: setRuleSchema.optional(),
});

/** Encodes a decision for a model file; its tensors belong to the calibrator. */
export function decisionState({ calibrator, rule, abstention, sets }: Decision): State {
  const state = calibrator && calibratorState(calibrator);
  const json = {
    rule,
    calibrator: state?.json ?? null,
    ...(abstention && { abstention }),
    ...(sets && { sets }),
  };
  return { json, tensors: state?.tensors ?? {} };
}

/** Restores a decision for a number of classes from an untrusted file. */
export function restoreDecision({ json, tensors }: State, classes: number): Decision {
  const { calibrator, ...rules } = checkedJson("decision", json, shape);
  const fault = ruleFault(rules.rule, classes) ?? limitsFault(rules.sets, classes);
  if (fault !== undefined) throw corrupt(`The decision is damaged: ${fault}.`);
  if (calibrator !== null) {
    return { ...rules, calibrator: restoreCalibrator({ json: calibrator, tensors }, classes) };
  }
  if (Object.keys(tensors).length > 0) throw corrupt("The decision has tensors, but no calibrator.");
  return rules;
}

function limitsFault(sets: SetRule | undefined, classes: number): string | undefined {
  if (!sets?.perClass || sets.limits.length === classes) return undefined;
  return `the sets have limits for ${sets.limits.length} of ${classes} classes`;
}
