import * as z from "zod";
import { indexOfLargest } from "../learners/scores.js";
import { nonNegativeInteger, nonNegativeNumber, proportion } from "../runtime/codec/schema-numbers.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import { formatNumber } from "../runtime/text/number-format.js";
import { classHint, visibleSpaces } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";

/** How classes are predicted from probabilities. */
export const decisionRuleSchema = z.discriminatedUnion("kind", [
  /** The model's own answer. */
  z.strictObject({ kind: z.literal("model") }),
  /** One class if its probability is at least `at`, otherwise the most probable other class. */
  z.strictObject({ kind: z.literal("threshold"), class: nonNegativeInteger, at: proportion }),
  /** The class with the largest product of weight and probability. */
  z.strictObject({ kind: z.literal("weights"), weights: z.array(nonNegativeNumber).min(2).readonly() }),
  /** The class with the least expected cost; rows of the matrix are true classes. */
  z.strictObject({
    kind: z.literal("costs"),
    costs: z.array(z.array(nonNegativeNumber).readonly()).min(2).readonly(),
  }),
]);

/** How classes are predicted from probabilities; see `thresholdRule`. */
export type DecisionRule = z.output<typeof decisionRuleSchema>;

/** The model's own answers. */
export const ARGMAX: DecisionRule = { kind: "model" };

/** Explains why a rule does not fit the number of classes; undefined if it does. */
export function ruleFault(rule: DecisionRule, classes: number): string | undefined {
  switch (rule.kind) {
    case "model":
      return undefined;
    case "threshold":
      return rule.class < classes ? undefined : `the threshold is for class ${rule.class} of ${classes}`;
    case "weights":
      return rule.weights.length === classes ? undefined : `${rule.weights.length} weights of classes`;
    case "costs": {
      const fits = rule.costs.length === classes && rule.costs.every((row) => row.length === classes);
      return fits ? undefined : "the cost matrix does not fit the classes";
    }
  }
}

/** Predicts a class for every row; ties go to the smaller index. */
export function predictionsBy(
  rule: DecisionRule,
  probabilities: Matrix,
  ownAnswers: () => Int32Array,
): Int32Array {
  const { rows, columns, values } = probabilities;
  const predictions = new Int32Array(rows);
  switch (rule.kind) {
    case "model":
      return ownAnswers();
    case "threshold":
      for (let i = 0; i < rows; i++) {
        const isReached = values[i * columns + rule.class] >= rule.at;
        predictions[i] = isReached ? rule.class : largestOther(values, i * columns, columns, rule.class);
      }
      return predictions;
    case "weights": {
      const weighted = new Float64Array(columns);
      for (let i = 0; i < rows; i++) {
        for (let k = 0; k < columns; k++) weighted[k] = rule.weights[k] * values[i * columns + k];
        predictions[i] = indexOfLargest(weighted);
      }
      return predictions;
    }
    case "costs": {
      const gains = new Float64Array(columns);
      for (let i = 0; i < rows; i++) {
        for (let k = 0; k < columns; k++) {
          let cost = 0;
          for (let t = 0; t < columns; t++) cost += values[i * columns + t] * rule.costs[t][k];
          gains[k] = -cost;
        }
        predictions[i] = indexOfLargest(gains);
      }
      return predictions;
    }
  }
}

/** Describes how classes are predicted. */
export function describeRule(rule: DecisionRule, classes: readonly string[]): string {
  switch (rule.kind) {
    case "model":
      return "the model's own answers";
    case "threshold":
      return `"${visibleSpaces(classes[rule.class])}" if its probability is at least ${formatNumber(Number(rule.at.toPrecision(3)))}`;
    case "weights":
      return "the class with the largest weighted probability";
    case "costs":
      return "the class with the least expected cost";
  }
}

function largestOther(values: ArrayLike<number>, start: number, count: number, excluded: number): number {
  let best = excluded === 0 ? 1 : 0;
  for (let k = best + 1; k < count; k++) {
    if (k !== excluded && values[start + k] > values[start + best]) best = k;
  }
  return best;
}

/** Creates the rule that predicts a class if its probability is at least `at`. */
export function thresholdRule(classes: readonly string[], name: string, at: number): DecisionRule {
  const index = classes.indexOf(name);
  if (index < 0) {
    throw new VouchError("option/invalid", `"${name}" is not a class of the model.`, {
      hint: classHint(name, classes),
    });
  }
  if (!(at >= 0 && at <= 1)) {
    throw new VouchError("option/invalid", `The threshold of "${name}" must be between 0 and 1, not ${at}.`, {
      hint: "A threshold is a probability.",
    });
  }
  return { kind: "threshold", class: index, at };
}
