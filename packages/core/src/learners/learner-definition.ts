import type * as z from "zod";
import type { BinnedColumns } from "../encode/binned-columns.js";
import type { Encoding } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import type { Fields, PartsOf } from "../runtime/codec/parts.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import type { SparseRows } from "../runtime/maths/sparse-rows.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { Run } from "../runtime/parallel/run.js";
import type { Certificate } from "../theory/certificate.js";
import type { AdditiveScore } from "./additive.js";
import type { Description, TreeSection } from "./description.js";
import type { Learner, LearnerKind } from "./learner.js";
import type { Complexity, LayerReconstruction, Model, TrainingSummary } from "./model.js";
import type { Evaluations } from "./scores.js";
import type { TrainingSample } from "./training-sample.js";

/** Kinds of features, and their types. */
export interface FeatureTypes {
  readonly matrix: Matrix;
  readonly "matrix or sparse": Matrix | SparseRows;
  readonly binned: BinnedColumns;
  readonly "matrix or binned": Matrix | BinnedColumns;
  readonly any: Features;
}

/** The parts that every model has. */
export interface ModelCore {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly training?: TrainingSummary | undefined;
}

/** A model as the functions of its definition see it: its parts, classes, feature names and training errors. */
export type Fitted<P extends Fields> = ModelCore & PartsOf<P>;

/** A model that `defineLearner` made: the methods of all models, and its parts as properties. */
export type FittedModel<P extends Fields, F extends Features> = Model<F> & Fitted<P>;

/**
 * The definition of a learner. `Resolved` is the type of the options that `fit` receives, by default the checked options;
 * `Outputs` is the type of one evaluation of the model, by default the features themselves.
 */
export interface LearnerDefinition<
  Schema extends z.ZodObject,
  P extends Fields,
  K extends keyof FeatureTypes,
  Resolved = z.output<Schema>,
  Outputs = FeatureTypes[K],
> {
  readonly name: string;
  /** The name that people read in tables, such as "Random forest"; `name` by default. */
  readonly title?: string;
  /** One sentence of help. */
  readonly summary: string;
  /** Every option with its default, range and one-line description. */
  readonly options: Schema;
  /** The features that `fit` and `scores` take; they are checked before either is called. */
  readonly features: K;
  /** The encoding of raw columns as these features; it may depend on options. */
  readonly encoding: Encoding | ((options: Resolved) => Encoding);
  /** Whether it supports exactly two classes, or any number; the default is "two or more". */
  readonly classes?: "two" | "two or more";
  /** Whether scores are probabilities, the default, or decision values; it may depend on the model. */
  readonly scoring?: "probability" | "decision" | ((model: Fitted<P>) => "probability" | "decision");
  /** The parts of a model, each with its codec, which saves it, restores it and rejects damaged files. */
  readonly parts: P;
  /** Checks options against each other and derives the options of `fit`; throws a `VouchError`. */
  readonly resolve?: (options: z.output<Schema>) => Resolved;
  /** Returns the options as JSON, if `resolve` has changed them. */
  readonly shownOptions?: (resolved: Resolved) => Readonly<Record<string, unknown>>;
  /** Fits a model. A learner that knows errors and margins on its training rows returns them, too: they are not scored again. */
  fit(
    training: TrainingSample<FeatureTypes[K]>,
    options: Resolved,
    run: Run,
  ): Promise<PartsOf<P> & { readonly training?: TrainingSummary }>;
  /** Evaluates the model on rows, for learners whose scores and margins share that work. */
  readonly outputs?: (model: Fitted<P>, features: FeatureTypes[K]) => Outputs;
  /**
   * Takes the place of `outputs` for learners that divide rows among threads themselves, by `forRanges`. Without it, blocks of
   * rows are evaluated on threads that make the model again, which takes longer for large models.
   */
  readonly evaluate?: (model: Fitted<P>, features: FeatureTypes[K]) => Pausable<Outputs>;
  /** Old form of `evaluate`. */
  readonly outputsOnThreads?: (model: Fitted<P>, features: FeatureTypes[K], run: Run) => Promise<Outputs>;
  scores(model: Fitted<P>, outputs: Outputs): Matrix;
  /** Predicts; by default the class with the largest score. */
  readonly predict?: (model: Fitted<P>, outputs: Outputs) => Int32Array;
  /** Computes normalised margins in [−1, 1]; by default the score of the true class minus the largest other score. */
  readonly margins?: (model: Fitted<P>, outputs: Outputs, labels: Int32Array) => Float64Array;
  /** Describes what does not fit together in parts from a file; undefined if everything does. */
  readonly fault?: (model: Fitted<P>) => string | undefined;
  /** Keeps errors and margins on the training rows with the model, for its certificates. */
  readonly keepsTrainingErrors?: true;
  complexity(model: Fitted<P>): Complexity;
  readonly certificates?: (
    model: Fitted<P>,
    options: { readonly confidence: number },
  ) => readonly Certificate[];
  /**
   * Returns whether a model with these options may have a certificate that is not for comparison, whatever the rows are; by
   * default it may if there are `certificates`.
   */
  readonly certifies?: (options: Resolved) => boolean;
  readonly classCertificates?: (
    model: Fitted<P>,
    options: { readonly confidence: number },
  ) => readonly Certificate[];
  describe(model: Fitted<P>): Description;
  /** Describes a few trees by the rows that reach their nodes. */
  readonly describeTrees?: (
    model: Fitted<P>,
    sample: Sample<FeatureTypes[K]>,
  ) => Promise<readonly TreeSection[]>;
  /** Returns the score of a class as a sum over trees or features, for exact reasons; undefined if it is not such a sum. */
  readonly additive?: (model: Fitted<P>, classIndex: number) => AdditiveScore<FeatureTypes[K]> | undefined;
  /** Returns whether every solver behind the model reached its tolerance; undefined if that does not apply or is unknown. */
  readonly converged?: (model: Fitted<P>) => boolean | undefined;
  readonly notices?: (model: Fitted<P>) => readonly string[];
  /** For models that are grown in steps: the limiting option, and the parts after the first steps. */
  readonly growth?: {
    readonly option: keyof z.output<Schema> & string;
    /** Returns whether models with these options are the start of larger ones; always, if absent. */
    readonly applies?: (options: Resolved) => boolean;
    /** Returns the model itself if it has no more steps than these. */
    upTo(model: Fitted<P>, steps: number): PartsOf<P>;
  };
  readonly stagedPredictions?: (model: Fitted<P>, features: FeatureTypes[K]) => Iterable<Int32Array>;
  readonly evaluations?: (model: Fitted<P>, features: FeatureTypes[K]) => Evaluations;
  readonly reconstruction?: (model: Fitted<P>) => readonly LayerReconstruction[] | undefined;
  /** Returns whether a learner with these options pre-trains on rows without labels. */
  readonly pretrains?: (options: Resolved) => boolean;
  /** Whether models keep training rows, as kernel machines do, so that fitting and predicting cost more with more rows. */
  readonly keepsRows?: true | ((options: Resolved) => boolean);
  /** Returns whether a learner with these options contains one that other threads cannot make again. */
  readonly local?: (options: Resolved) => boolean;
  /** With more rows than this a fit takes minutes; work with many fits subsamples to it. */
  readonly comfortableRows?: number;
  /** Ids of the tasks that `fit` runs on threads, so that threads can load their modules early. */
  readonly tasks?: readonly string[];
  /** Lists the tasks of the learners that it fits with these options. */
  readonly memberTasks?: (options: Resolved) => readonly string[];
  /** The kinds of learners that its option `base` may name. */
  readonly baseNamed?: (name: string) => LearnerKind;
  /** `import.meta.url` of a custom learner's module, so that other threads can load it. */
  readonly module?: string;
}

/**
 * A kind of learner whose models have these parts; call it with options to get a learner. `Options` is a parameter so that
 * declaration files write every option out: the build adds its help text there, for editors.
 */
export interface DefinedLearner<
  Schema extends z.ZodObject,
  P extends Fields,
  F extends Features,
  Options = z.input<Schema>,
> extends LearnerKind<Schema, FittedModel<P, F>, F> {
  (options?: Options): Learner<FittedModel<P, F>, F>;
  /** Makes a model from its parts, as `fit` does. */
  assemble(parts: Fitted<P>): FittedModel<P, F>;
}

/** Tells the compiler that without `resolve` (or `outputs`) the value keeps its type. */
export function assertDefault<T>(_value: unknown): asserts _value is T {}
