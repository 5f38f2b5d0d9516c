import * as z from "zod";
import { BinnedColumns } from "../encode/binned-columns.js";
import type { Encoding } from "../encode/encoder.js";
import { type Features, Sample, type Selectable } from "../encode/sample.js";
import type { Matrix } from "../runtime/matrix.js";
import { counted, countedFromOne } from "../runtime/number-ranges.js";
import {
  checked,
  type Fields,
  json,
  object,
  optional,
  type Part,
  type PartsOf,
  readParts,
  writeParts,
} from "../runtime/parts.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { SparseRows } from "../runtime/sparse-rows.js";
import { checkedJson, corrupt, type Json, type State } from "../runtime/state.js";
import { float64 } from "../runtime/tensor-parts.js";
import type { VouchError } from "../runtime/vouch-error.js";
import type { Certificate } from "../theory/certificate.js";
import { MARGIN_QUANTILES } from "../theory/margins/margin-statistics.js";
import type { AdditiveScore } from "./additive.js";
import type { Description, TreeSection } from "./description.js";
import type { Learner, LearnerKind } from "./learner.js";
import type {
  Assessment,
  Classification,
  Complexity,
  LayerReconstruction,
  Model,
  TrainingFacts,
} from "./model.js";
import { parseOptions } from "./options.js";
import { registerLearner } from "./registry.js";
import { checkedScores, checkTwoClasses, type Evaluations, marginsOf, predictionsOf } from "./scores.js";
import { trainingFacts } from "./training-facts.js";
import {
  checkBinned,
  checkColumns,
  checkFinite,
  type TrainingSample,
  trainingSample,
} from "./training-sample.js";

/** Kinds of features, and their types. */
interface FeatureTypes {
  readonly matrix: Matrix;
  readonly "matrix or sparse": Matrix | SparseRows;
  readonly binned: BinnedColumns;
  readonly "matrix or binned": Matrix | BinnedColumns;
  readonly any: Features;
}

/** The parts that every model has. */
interface Core {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly training?: TrainingFacts | undefined;
}

/** A model as the functions of its definition see it: its parts, classes, feature names and training facts. */
export type Fitted<P extends Fields> = Core & PartsOf<P>;

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
  /** One line of help. */
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
  ): Promise<PartsOf<P> & { readonly training?: TrainingFacts }>;
  /** Evaluates the model on rows, for learners whose scores and margins share that work. */
  readonly outputs?: (model: Fitted<P>, features: FeatureTypes[K]) => Outputs;
  /**
   * Evaluates the model on the threads of a run, with the same result. Without it, blocks of rows are evaluated on threads that
   * make the model again, which takes longer for large models.
   */
  readonly outputsOnThreads?: (model: Fitted<P>, features: FeatureTypes[K], run: Run) => Promise<Outputs>;
  scores(model: Fitted<P>, outputs: Outputs): Matrix;
  /** Predicts; by default the class with the largest score. */
  readonly predict?: (model: Fitted<P>, outputs: Outputs) => Int32Array;
  /** Computes normalised margins in [−1, 1]; by default the score of the true class minus the largest other score. */
  readonly margins?: (model: Fitted<P>, outputs: Outputs, labels: Int32Array) => Float64Array;
  /** Says what does not fit together in parts from a file; undefined if everything does. */
  readonly fault?: (model: Fitted<P>) => string | undefined;
  /** Keeps errors and margins on the training rows with the model, for its certificates. */
  readonly keepsTrainingFacts?: true;
  complexity(model: Fitted<P>): Complexity;
  readonly certificates?: (
    model: Fitted<P>,
    options: { readonly confidence: number },
  ) => readonly Certificate[];
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
  /** Tells whether every solver behind the model reached its tolerance; undefined if that does not apply or is unknown. */
  readonly converged?: (model: Fitted<P>) => boolean | undefined;
  readonly notices?: (model: Fitted<P>) => readonly string[];
  /** For models that are grown in steps: the limiting option, and the parts after the first steps. */
  readonly growth?: {
    readonly option: keyof z.output<Schema> & string;
    /** Tells whether models with these options are the start of larger ones; always, if absent. */
    readonly applies?: (options: Resolved) => boolean;
    /** Returns the model itself if it has no more steps than these. */
    upTo(model: Fitted<P>, steps: number): PartsOf<P>;
  };
  readonly stagedPredictions?: (model: Fitted<P>, features: FeatureTypes[K]) => Iterable<Int32Array>;
  readonly evaluations?: (model: Fitted<P>, features: FeatureTypes[K]) => Evaluations;
  readonly reconstruction?: (model: Fitted<P>) => readonly LayerReconstruction[] | undefined;
  /** Tells whether a learner with these options pre-trains on rows without labels. */
  readonly pretrains?: (options: Resolved) => boolean;
  /** Whether models keep training rows, as kernel machines do, so that fitting and predicting cost more with more rows. */
  readonly keepsRows?: true | ((options: Resolved) => boolean);
  /** Tells whether a learner with these options contains one that other threads cannot make again. */
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

/** A kind of learner whose models have these parts; call it with options to get a learner. */
export interface DefinedLearner<Schema extends z.ZodObject, P extends Fields, F extends Features>
  extends LearnerKind<Schema, FittedModel<P, F>, F> {
  (options?: z.input<Schema>): Learner<FittedModel<P, F>, F>;
  /** Makes a model from its parts, as `fit` does. */
  assemble(parts: Fitted<P>): FittedModel<P, F>;
}

const training: Part<TrainingFacts | undefined> = optional(
  checked(
    object({
      rows: countedFromOne,
      errors: counted,
      margins: float64([MARGIN_QUANTILES], { min: -1, max: 1 }),
    }),
    ({ rows, errors }) => (errors > rows ? `${errors} errors on ${rows} rows` : undefined),
  ),
);

/** The parts that the frame keeps for every model. */
const coreParts = {
  classes: json(z.array(z.string()).min(2).readonly()),
  featureNames: json(z.array(z.string()).readonly()),
  training,
};

/**
 * Defines a learner. The definition provides its options with checks, help and docs; `fit` with the checks that all learners
 * need; predictions, margins and training facts of its models; model files that are checked when they are read; and its name
 * on the command line. To add a learner to the library, write its file and add a line to `learners/index.ts`.
 */
export function defineLearner<
  Schema extends z.ZodObject,
  P extends Fields,
  K extends keyof FeatureTypes,
  Resolved = z.output<Schema>,
  Outputs = FeatureTypes[K],
>(
  definition: LearnerDefinition<Schema, P, K, Resolved, Outputs>,
): DefinedLearner<Schema, P, FeatureTypes[K]> {
  type F = FeatureTypes[K];
  const { name } = definition;

  function create(given?: z.input<Schema>): Learner<FittedModel<P, F>, F> {
    const parsed = parseOptions(name, definition.options, given);
    const options = resolved(definition, parsed);
    const { growth, keepsRows: rowsKept } = definition;
    const keepsRows = typeof rowsKept === "function" ? rowsKept(options) : rowsKept;
    const tasks = [...new Set([...(definition.tasks ?? []), ...(definition.memberTasks?.(options) ?? [])])];
    return {
      name,
      options: definition.shownOptions?.(options) ?? parsed,
      encoding:
        typeof definition.encoding === "function" ? definition.encoding(options) : definition.encoding,
      fit: (sample, run) => fit(sample, options, completeRun(run)),
      ...(definition.local?.(options) && { local: true }),
      ...(definition.pretrains?.(options) && { pretrains: true }),
      ...(keepsRows && { keepsRows: true }),
      ...(tasks.length > 0 && { tasks }),
      ...(growth &&
        (growth.applies?.(options) ?? true) && {
          growth: {
            option: growth.option,
            upTo(model, steps) {
              const parts = growth.upTo(model, steps);
              return parts === model ? model : assemble({ ...core(model), ...parts, training: undefined });
            },
          },
        }),
    };
  }

  async function fit(given: Sample<F>, options: Resolved, run: Run): Promise<FittedModel<P, F>> {
    const features = featuresFor<F>(definition.features, name, given.features, given.featureNames);
    if (definition.classes === "two") checkTwoClasses(name, given.classes);
    const rows = trainingSample(
      name,
      features === given.features ? given : new Sample<F>({ ...given, features }),
    );
    await checkpoint(run);
    const parts = await definition.fit(rows, options, run);
    const model = assemble({ ...core(rows.sample), ...parts });
    if (!definition.keepsTrainingFacts) return model;
    return assemble({
      ...core(rows.sample),
      ...parts,
      training: await trainingFacts(model, rows.sample, run),
    });
  }

  function assemble(fitted: Fitted<P>): FittedModel<P, F> {
    const { scoring = "probability", certificates, classCertificates } = definition;
    const { additive, describeTrees, stagedPredictions, evaluations, reconstruction, notices } = definition;
    const converged = definition.converged?.(fitted);
    const checkedFeatures = (features: F): F => {
      checkColumns(features, fitted.featureNames);
      return featuresFor<F>(definition.features, name, features, fitted.featureNames);
    };
    const evaluate = (features: F) => outputsOf(definition, fitted, checkedFeatures(features));
    const scoresFrom = (given: Outputs) => checkedScores(definition.scores(fitted, given));
    const classified = (given: Outputs): Classification => {
      const scores = scoresFrom(given);
      return { scores, predictions: definition.predict?.(fitted, given) ?? predictionsOf(scores) };
    };
    const marginsFrom = (given: Outputs, labels: Int32Array) =>
      definition.margins?.(fitted, given, labels) ?? marginsOf(scoresFrom(given), labels);
    const assessed = (given: Outputs, labels: Int32Array): Assessment => {
      const { scores, predictions } = classified(given);
      const margins = definition.margins?.(fitted, given, labels) ?? marginsOf(scores, labels);
      return { scores, predictions, margins };
    };
    const { outputsOnThreads } = definition;
    return {
      ...fitted,
      learner: name,
      scoring: typeof scoring === "function" ? scoring(fitted) : scoring,
      scores: (features) => scoresFrom(evaluate(features)),
      predict(features) {
        const given = evaluate(features);
        return definition.predict?.(fitted, given) ?? predictionsOf(scoresFrom(given));
      },
      margins: ({ features, labels }) => marginsFrom(evaluate(features), labels),
      classify: (features) => classified(evaluate(features)),
      assess: ({ features, labels }) => assessed(evaluate(features), labels),
      ...(outputsOnThreads && {
        async classifyOnThreads(features, run) {
          return classified(await outputsOnThreads(fitted, checkedFeatures(features), run));
        },
        async assessOnThreads({ features, labels }, run) {
          return assessed(await outputsOnThreads(fitted, checkedFeatures(features), run), labels);
        },
      }),
      complexity: () => definition.complexity(fitted),
      describe: () => definition.describe(fitted),
      ...(describeTrees && { describeTrees: (sample) => describeTrees(fitted, sample) }),
      toState: () => stateOf(definition.parts, fitted),
      ...(additive && { additive: (classIndex) => additive(fitted, classIndex) }),
      ...(converged !== undefined && { converged }),
      ...(notices && { notices: notices(fitted) }),
      ...(certificates && { certificates: (options) => certificates(fitted, options) }),
      ...(classCertificates && { classCertificates: (options) => classCertificates(fitted, options) }),
      ...(stagedPredictions && {
        stagedPredictions: (features) => stagedPredictions(fitted, checkedFeatures(features)),
      }),
      ...(evaluations && { evaluations: (features) => evaluations(fitted, checkedFeatures(features)) }),
      ...(reconstruction && { reconstruction: reconstruction(fitted) }),
    };
  }

  function restore(state: State): FittedModel<P, F> {
    const fitted = fittedFrom(name, definition.parts, state);
    if (definition.classes === "two" && fitted.classes.length !== 2)
      throw damaged(name, `it has ${fitted.classes.length} classes and not 2`);
    const fault = definition.fault?.(fitted);
    if (fault !== undefined) throw damaged(name, fault);
    return assemble(fitted);
  }

  const { summary, comfortableRows, tasks, baseNamed, module } = definition;
  const kind = Object.assign(create, {
    summary,
    options: definition.options,
    multiclass: definition.classes !== "two",
    ...(comfortableRows !== undefined && { comfortableRows }),
    ...(tasks && { tasks }),
    ...(baseNamed && { baseNamed }),
    ...(module !== undefined && { module }),
    create,
    restore,
    assemble,
    made: (model: { readonly learner: string }): model is FittedModel<P, F> => model.learner === name,
  });
  Object.defineProperty(kind, "name", { value: name });
  registerLearner(kind);
  return kind;
}

/** Returns the part of a model that all learners share. */
function core({ classes, featureNames, training }: Core): Core {
  return { classes, featureNames, ...(training && { training }) };
}

/** Tensors of the core have this prefix; all others belong to the learner's own parts. */
const CORE_TENSORS = "training.";

function stateOf<P extends Fields>(parts: P, fitted: Fitted<P>): State {
  const own = writeParts(coreParts, core(fitted), {});
  const others = writeParts(parts, fitted, sizesOf(fitted));
  return { json: { core: own.json, parts: others.json }, tensors: { ...own.tensors, ...others.tensors } };
}

function fittedFrom<P extends Fields>(name: string, parts: P, state: State): Fitted<P> {
  const label = `${name} model`;
  const { core: coreJson, parts: partsJson } = readTwo(label, state.json);
  const split = (isCore: boolean) =>
    Object.fromEntries(
      Object.entries(state.tensors).filter(([key]) => key.startsWith(CORE_TENSORS) === isCore),
    );
  const own = readParts(label, coreParts, { json: coreJson, tensors: split(true) }, {});
  const others = readParts(label, parts, { json: partsJson, tensors: split(false) }, sizesOf(own));
  return { ...own, ...others };
}

const twoParts = z.strictObject({ core: z.json(), parts: z.json() });

function readTwo(label: string, value: Json): z.output<typeof twoParts> {
  return checkedJson(label, value, twoParts);
}

function sizesOf({ classes, featureNames }: Core): Record<string, number> {
  return { classes: classes.length, features: featureNames.length };
}

function damaged(name: string, fault: string): VouchError {
  return corrupt(`The ${name} model is damaged: ${fault}.`);
}

/** Returns features as the learner takes them: sparse rows as a matrix unless it takes them, too. */
function featuresFor<F extends Features>(
  kind: keyof FeatureTypes,
  learner: string,
  given: Features,
  names: readonly string[],
): F & Selectable<F> {
  const takesSparse = kind === "any" || kind === "matrix or sparse";
  const features: Features = takesSparse || !(given instanceof SparseRows) ? given : given.toMatrix();
  checkKind<F>(kind, learner, features, names);
  return features;
}

/** Checks that features are of the kind that the learner takes, and finite. */
function checkKind<F extends Features>(
  kind: keyof FeatureTypes,
  learner: string,
  features: Features,
  names: readonly string[],
): asserts features is F & Selectable<F> {
  if (kind === "any" || (kind === "matrix or sparse" && features instanceof SparseRows)) return;
  if (kind === "matrix or binned" && features instanceof BinnedColumns) return;
  if (kind === "binned") checkBinned(learner, features);
  else checkFinite(features, names);
}

function resolved<Schema extends z.ZodObject, Resolved>(
  { resolve }: { readonly resolve?: (options: z.output<Schema>) => Resolved },
  options: z.output<Schema>,
): Resolved {
  if (resolve) return resolve(options);
  assertDefault<Resolved>(options);
  return options;
}

function outputsOf<M, F, Outputs>(
  { outputs }: { readonly outputs?: (model: M, features: F) => Outputs },
  model: M,
  features: F,
): Outputs {
  if (outputs) return outputs(model, features);
  assertDefault<Outputs>(features);
  return features;
}

/** Asserts the default type of a function that a definition leaves out: that of the value itself. */
function assertDefault<T>(_value: unknown): asserts _value is T {}
