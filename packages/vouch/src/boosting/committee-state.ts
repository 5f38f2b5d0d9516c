import { z } from "zod";
import { MARGIN_QUANTILES } from "../bounds/margin-statistics.js";
import { type TrainingFacts, trainingFactsSchema } from "../learning/training-facts.js";
import type { Json, Tensor } from "../state/state.js";
import type { StateReader } from "../state/state-reader.js";
import { type Committee, type RoundFacts, stops } from "./adaboost.js";
import { MOST_ROUNDS } from "./options.js";

/** What certificates need of the training. */
export interface CommitteeFacts extends TrainingFacts {
  /** Quantiles of the margins of the training rows at 0 %, 1 %, … 100 %. */
  readonly margins: Float64Array;
}

/** What all committees consist of, whatever votes in them. */
export interface CommitteeParts<R extends RoundFacts> extends Pick<Committee, "stop" | "trainingClasses"> {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly rounds: readonly R[];
  readonly training?: CommitteeFacts | undefined;
}

/** Fitted votes are far below; larger ones in a file could overflow when they are added up. */
const LARGEST_VOTE = 1e9;

/** What files hold of every committee beside its tensors. */
export const committeeStructure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  rounds: z.int().min(1).max(MOST_ROUNDS),
  stop: z.enum(stops),
  trainingClasses: z.int().min(2),
  training: trainingFactsSchema.optional(),
});

/** The part of a state that all committees have. */
export function committeeState({
  classes,
  featureNames,
  rounds,
  stop,
  trainingClasses,
  training,
}: CommitteeParts<RoundFacts>) {
  const numbers = (of: (round: RoundFacts) => number): Tensor => ({
    shape: [rounds.length],
    data: Float64Array.from(rounds, of),
  });
  const json: { readonly [name: string]: Json } = {
    classes,
    featureNames,
    rounds: rounds.length,
    stop,
    trainingClasses,
    ...(training && { training: { rows: training.rows, errors: training.errors } }),
  };
  const tensors: Record<string, Tensor> = {
    alpha: numbers(({ alpha }) => alpha),
    error: numbers(({ error }) => error),
    trainingError: numbers(({ trainingError }) => trainingError),
    ...(training && { margins: { shape: [MARGIN_QUANTILES], data: training.margins } }),
  };
  return { json, tensors };
}

/** The same part of a committee behind a state, which has no tensors but these and some `others`. */
export function readCommittee(
  reader: StateReader,
  json: z.output<typeof committeeStructure>,
  ...others: string[]
): CommitteeParts<RoundFacts> {
  const { classes, rounds, trainingClasses, training: facts } = json;
  if (trainingClasses > classes.length) throw reader.corrupt(`it was trained on ${trainingClasses} classes`);
  const alpha = reader.numbers("alpha", [rounds], Number.MIN_VALUE, LARGEST_VOTE);
  const error = reader.numbers("error", [rounds], 0, 1);
  const trainingError = reader.numbers("trainingError", [rounds], 0, 1);
  const margins = facts && reader.numbers("margins", [MARGIN_QUANTILES], -1, 1);
  reader.only("alpha", "error", "trainingError", ...(margins ? ["margins"] : []), ...others);
  return {
    ...json,
    rounds: Array.from(alpha, (_, t) => ({
      alpha: alpha[t],
      error: error[t],
      trainingError: trainingError[t],
    })),
    training: facts && margins && { ...facts, margins },
  };
}
