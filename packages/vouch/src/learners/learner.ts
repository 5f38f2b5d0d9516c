import type { z } from "zod";
import type { Encoding } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import type { Run } from "../runtime/run.js";
import type { State } from "../runtime/state.js";
import type { Model } from "./model.js";

/** How a learner grows its models step by step, so that one fit gives the models of all smaller sizes. */
export interface Stages<M> {
  /** The option that says how many steps to take at most, such as `rounds`; a whole number. */
  readonly option: string;
  /** The model that the learner would have fitted with at most so many steps. */
  upTo(model: M, steps: number): M;
}

/** A way to learn, with its options: `fit` makes a model of a sample. Immutable, and so is the model. */
export interface Learner<M extends Model<F> = Model, F extends Features = Features> {
  /**
   * What messages and model files call it. A learner of your own has a name that none of `learners` has: threads and
   * files take a known name for the learner that is known by it.
   */
  readonly name: string;
  /** All options, defaults filled in: values that JSON knows. */
  readonly options: Readonly<Record<string, unknown>>;
  /** How raw columns are turned into the features this learner wants. */
  readonly encoding: Encoding;
  fit(sample: Sample<F>, run?: Partial<Run>): Promise<M>;
  /**
   * Present where the learner first looks at rows without their labels: it uses the `unlabelled` rows of a sample, and
   * its models tell their `reconstruction`.
   */
  readonly pretrains?: true;
  /** Present where a model of few steps is the beginning of a model of many. */
  readonly growth?: Stages<M>;
}

/**
 * A kind of learner: its name, what it is, its options, and how one is made. It is everything that the rest of the system
 * knows of it: the command line, help, docs, model files and forms are made from it.
 */
export interface LearnerDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  M extends Model<F> = Model,
  F extends Features = Features,
> {
  readonly name: string;
  /** One line: what it is. */
  readonly summary: string;
  /** Every option with its default, range and one-line description. */
  readonly options: Schema;
  /** Whether it handles more than two classes. */
  readonly multiclass: boolean;
  /**
   * Present in a learner that is made of another one, its base, which the options `base` and `baseOptions` say: the kind of
   * learner of that name, if it can be the base.
   */
  readonly baseNamed?: (name: string) => LearnerDefinition;
  /** With more rows than this a fit takes minutes: who makes many fits draws so many. Absent where rows are no matter. */
  readonly comfortableRows?: number;
  create(options?: z.input<Schema>): Learner<M, F>;
  /** The model behind a state that `toState` gave; throws `model/corrupt` for anything else. */
  restore(state: State): M;
}

/** Finds a kind of learner by its name; a name that nobody has is an error. */
export type LearnerLookup = (name: string) => LearnerDefinition;
