import { VouchError } from "vouch/errors";
import { metricNamed } from "vouch/select";
import type { ObjectiveOptions, TrainOptions } from "vouch/train";
import { costMatrix } from "./cost-matrix.js";

/** Flags that say what a good model is. */
export interface ObjectiveFlags {
  readonly metric?: string;
  readonly cost?: readonly string[];
  readonly positive?: string;
  readonly classWeights?: readonly string[];
}

/** Reads the metric to optimise, with costs for the classes of the data. */
export function objectiveOptions({ metric, cost, positive }: ObjectiveFlags): ObjectiveOptions {
  return {
    ...(metric !== undefined && { metric: metricNamed(metric) }),
    ...(cost && { costs: (classes: readonly string[]) => costMatrix(cost, classes) }),
    ...(positive !== undefined && { positive }),
  };
}

/** Reads class weights: `balanced`, or `CLASS=WEIGHT` for some classes. */
export function classWeights({ classWeights: given }: ObjectiveFlags): TrainOptions["classWeights"] {
  if (!given) return undefined;
  if (given.length === 1 && given[0] === "balanced") return "balanced";
  return Object.fromEntries(
    given.map((text): [string, number] => {
      const equals = text.lastIndexOf("=");
      const weight = Number(text.slice(equals + 1));
      if (equals > 0 && text.slice(equals + 1).trim() !== "" && weight > 0 && Number.isFinite(weight)) {
        return [text.slice(0, equals), weight];
      }
      throw new VouchError("option/invalid", `--class-weights is "${text}".`, {
        hint: "Write balanced, or CLASS=WEIGHT with a positive weight, such as Yes=5.",
      });
    }),
  );
}
