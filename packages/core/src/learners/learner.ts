import type * as z from "zod";
import type { Encoding } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import type { State } from "../runtime/codec/state.js";
import type { Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Model } from "./model.js";

/** Growth in steps, such as rounds of boosting: one fit gives the models of all smaller sizes. */
export interface StepwiseGrowth<M> {
  /** The option that limits the number of steps, such as `rounds`. */
  readonly option: string;
  /** Returns the model that the learner would have fitted with at most this many steps. */
  upTo(model: M, steps: number): M;
}

/** A learning algorithm with its options: `fit` makes a model from a sample. Learner and model are immutable. */
export interface Learner<M extends Model<F> = Model, F extends Features = Features> {
  /** The name in messages, on the command line and in model files. */
  readonly name: string;
  /** All options, defaults filled in, as JSON values. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The encoding of raw columns that the learner needs. */
  readonly encoding: Encoding;
  fit(sample: Sample<F>, run?: Partial<Run>): Promise<M>;
  /** Present if other threads cannot make it again from its name and options: part of it is a custom learner without a module. */
  readonly local?: true;
  /** Present if the learner pre-trains on rows without labels: it uses the `unlabelled` rows of a sample. */
  readonly pretrains?: true;
  /** Present if models keep training rows, as kernel machines do, so that fitting and predicting cost more with more rows. */
  readonly keepsRows?: true;
  /**
   * Present if none of its models has a certificate from its training rows, apart from comparisons: it needs no share of δ
   * when rows choose the learner.
   */
  readonly uncertified?: true;
  /** The tasks of a fit on threads, which can be loaded before. */
  readonly tasks?: readonly string[];
  /** Present if a model of few steps is the start of a model of many. */
  readonly growth?: StepwiseGrowth<M>;
}

const ENCODINGS: Readonly<Record<Encoding["kind"], true>> = { numeric: true, binned: true, joint: true };

/** Throws unless a value is a learner: programs in JavaScript may pass anything. */
export function checkLearner(learner: Learner): void {
  if (typeof learner?.fit !== "function") {
    throw new VouchError("option/invalid", `Expected a learner, but ${inWords(learner)} was given.`, {
      hint: 'Make one, such as forest({ trees: 100 }), or by name: await createLearner("forest").',
    });
  }
  const kind = learner.encoding?.kind;
  if (kind !== undefined && Object.hasOwn(ENCODINGS, kind)) return;
  throw new VouchError("option/invalid", `The learner ${learner.name} has the encoding ${inWords(kind)}.`, {
    hint: `The kind of an encoding is one of ${Object.keys(ENCODINGS).join(", ")}.`,
  });
}

function inWords(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : typeof value === "object" ? "an object" : String(value);
}

/** A kind of learner: its name, options and properties, and how to create learners and restore models. */
export interface LearnerKind<
  Schema extends z.ZodObject = z.ZodObject,
  M extends Model<F> = Model,
  F extends Features = Features,
> {
  readonly name: string;
  /** The name that people read in tables, such as "Random forest". */
  readonly title: string;
  /** One sentence of help. */
  readonly summary: string;
  /** Every option with its default, range and one-line description. */
  readonly options: Schema;
  /** Whether it supports more than two classes. */
  readonly multiclass: boolean;
  /** With more rows than this a fit takes minutes; work with many fits subsamples to it. */
  readonly comfortableRows?: number;
  /** Tasks that a fit runs on threads, so that threads can load their modules while the data is read. */
  readonly tasks?: readonly string[];
  /** Present if the learner uses a base learner, which the options `base` and `baseOptions` set. */
  readonly baseNamed?: (name: string) => LearnerKind;
  /** The module that defines a custom learner, for other threads. */
  readonly module?: string;
  create(options?: z.input<Schema>): Learner<M, F>;
  /** Restores a model from the result of its `toState`; throws `model/corrupt` for anything else. */
  restore(state: State): M;
  /** Returns whether a model is of this kind. */
  made(model: { readonly learner: string }): model is M;
}
