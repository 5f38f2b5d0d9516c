import type { z } from "zod";
import type { Features } from "../encode/sample.js";
import type { State } from "../runtime/state.js";
import type { Learner, LearnerKind } from "./learner.js";
import type { Model } from "./model.js";
import { type loadedLearner, registerLearner } from "./registry.js";

/** TRANSITION: a learner that is not on the frame yet. */
export interface LearnerDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  M extends Model<F> = Model,
  F extends Features = Features,
> {
  readonly name: string;
  readonly summary: string;
  readonly options: Schema;
  readonly multiclass: boolean;
  readonly baseNamed?: (name: string) => LearnerKind;
  readonly comfortableRows?: number;
  create(options?: z.input<Schema>): Learner<M, F>;
  restore(state: State): M;
}

export type LearnerLookup = typeof loadedLearner;

export function legacyKind<Schema extends z.ZodObject, M extends Model<F>, F extends Features>(
  definition: LearnerDefinition<Schema, M, F>,
): LearnerKind<Schema, M, F> {
  const kind = {
    ...definition,
    made: (model: { readonly learner: string }): model is M => model.learner === definition.name,
  };
  registerLearner(kind);
  return kind;
}
