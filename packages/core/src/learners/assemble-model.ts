import type * as z from "zod";
import { BinnedColumns } from "../encode/binned-columns.js";
import type { Features, Selectable } from "../encode/sample.js";
import type { Fields } from "../runtime/codec/parts.js";
import { SparseRows } from "../runtime/maths/sparse-rows.js";
import { nowOrOnThreads, type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { completeRun } from "../runtime/parallel/run.js";
import {
  assertDefault,
  type FeatureTypes,
  type Fitted,
  type FittedModel,
  type LearnerDefinition,
} from "./learner-definition.js";
import type { Assessment, Classification, Model } from "./model.js";
import { modelState } from "./model-state.js";
import { checkedScores, marginsOf, predictionsOf } from "./scores.js";
import { checkBinned, checkColumns, checkFinite } from "./training-sample.js";

/** Makes a model of its parts: the functions of the definition, with checks of the features. */
export function assembleModel<
  Schema extends z.ZodObject,
  P extends Fields,
  K extends keyof FeatureTypes,
  Resolved,
  Outputs,
>(
  definition: LearnerDefinition<Schema, P, K, Resolved, Outputs>,
  fitted: Fitted<P>,
): FittedModel<P, FeatureTypes[K]> {
  const { name, scoring = "probability", notices } = definition;
  const converged = definition.converged?.(fitted);
  const { checked, evaluate, evaluateInSteps, scores, predictions, margins, classified, assessed } =
    evaluationsOf(definition, fitted);
  return {
    ...fitted,
    learner: name,
    scoring: typeof scoring === "function" ? scoring(fitted) : scoring,
    scores: (features) => scores(evaluate(features)),
    predict: (features) => predictions(evaluate(features)),
    margins: ({ features, labels }) => margins(evaluate(features), labels),
    classify: (features) => classified(evaluate(features)),
    assess: ({ features, labels }) => assessed(evaluate(features), labels),
    ...(evaluateInSteps && {
      *evaluate(features, labels) {
        const outputs = yield* evaluateInSteps(checked(features));
        return labels ? assessed(outputs, labels) : classified(outputs);
      },
    }),
    complexity: () => definition.complexity(fitted),
    describe: () => definition.describe(fitted),
    toState: () => modelState(definition.parts, fitted),
    ...(converged !== undefined && { converged }),
    ...(notices && { notices: notices(fitted) }),
    ...furtherMethods(definition, fitted, checked),
  };
}

/** Makes the functions that turn features into outputs, and outputs into scores, predictions and margins. */
function evaluationsOf<
  Schema extends z.ZodObject,
  P extends Fields,
  K extends keyof FeatureTypes,
  Resolved,
  Outputs,
>(definition: LearnerDefinition<Schema, P, K, Resolved, Outputs>, fitted: Fitted<P>) {
  type F = FeatureTypes[K];
  const checked = (features: F): F => {
    checkColumns(features, fitted.featureNames);
    return featuresFor<F>(definition.features, definition.name, features, fitted.featureNames);
  };
  const { outputs, outputsOnThreads } = definition;
  const inSteps =
    definition.evaluate ??
    (outputs &&
      outputsOnThreads &&
      ((model: Fitted<P>, features: F) =>
        nowOrOnThreads(
          () => outputs(model, features),
          (run) => outputsOnThreads(model, features, completeRun(run)),
        )));
  const evaluateInSteps = inSteps && ((features: F) => inSteps(fitted, features));
  const scores = (given: Outputs) => checkedScores(definition.scores(fitted, given));
  const classified = (given: Outputs): Classification => {
    const own = scores(given);
    return { scores: own, predictions: definition.predict?.(fitted, given) ?? predictionsOf(own) };
  };
  return {
    checked,
    evaluate: (features: F) => outputsOf(definition, fitted, checked(features)),
    evaluateInSteps,
    scores,
    predictions: (given: Outputs) => definition.predict?.(fitted, given) ?? predictionsOf(scores(given)),
    margins: (given: Outputs, labels: Int32Array) =>
      definition.margins?.(fitted, given, labels) ?? marginsOf(scores(given), labels),
    classified,
    assessed(given: Outputs, labels: Int32Array): Assessment {
      const own = classified(given);
      return {
        ...own,
        margins: definition.margins?.(fitted, given, labels) ?? marginsOf(own.scores, labels),
      };
    },
  };
}

/** Makes the methods that only some definitions have. */
function furtherMethods<
  Schema extends z.ZodObject,
  P extends Fields,
  K extends keyof FeatureTypes,
  Resolved,
  Outputs,
>(
  definition: LearnerDefinition<Schema, P, K, Resolved, Outputs>,
  fitted: Fitted<P>,
  checked: (features: FeatureTypes[K]) => FeatureTypes[K],
): Pick<Model<FeatureTypes[K]>, FurtherMethod> {
  const {
    additive,
    certificates,
    classCertificates,
    describeTrees,
    stagedPredictions,
    evaluations,
    reconstruction,
  } = definition;
  return {
    ...(additive && { additive: (classIndex) => additive(fitted, classIndex) }),
    ...(certificates && { certificates: (options) => certificates(fitted, options) }),
    ...(classCertificates && { classCertificates: (options) => classCertificates(fitted, options) }),
    ...(describeTrees && { describeTrees: (sample) => describeTrees(fitted, sample) }),
    ...(stagedPredictions && {
      stagedPredictions: (features) => stagedPredictions(fitted, checked(features)),
    }),
    ...(evaluations && { evaluations: (features) => evaluations(fitted, checked(features)) }),
    ...(reconstruction && { reconstruction: reconstruction(fitted) }),
  };
}

type FurtherMethod =
  | "additive"
  | "certificates"
  | "classCertificates"
  | "describeTrees"
  | "stagedPredictions"
  | "evaluations"
  | "reconstruction";

function outputsOf<M, F, Outputs>(
  {
    outputs,
    evaluate,
  }: {
    readonly outputs?: (model: M, features: F) => Outputs;
    readonly evaluate?: (model: M, features: F) => Pausable<Outputs>;
  },
  model: M,
  features: F,
): Outputs {
  if (evaluate) return runNow(evaluate(model, features));
  if (outputs) return outputs(model, features);
  assertDefault<Outputs>(features);
  return features;
}

/** Returns features as the learner takes them: sparse rows as a matrix unless it takes them, too. */
export function featuresFor<F extends Features>(
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
