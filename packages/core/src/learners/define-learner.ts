import type * as z from "zod";
import { Sample } from "../encode/sample.js";
import type { Fields } from "../runtime/codec/parts.js";
import type { State } from "../runtime/codec/state.js";
import { checkpoint, completeRun, type Run } from "../runtime/parallel/run.js";
import { assembleModel, featuresFor } from "./assemble-model.js";
import type { Learner } from "./learner.js";
import {
  assertDefault,
  type DefinedLearner,
  type FeatureTypes,
  type Fitted,
  type FittedModel,
  type LearnerDefinition,
} from "./learner-definition.js";
import { coreOf, damagedModel, fittedFrom } from "./model-state.js";
import { parseOptions } from "./options.js";
import { registerLearner } from "./registry.js";
import { checkTwoClasses } from "./scores.js";
import { trainingSample } from "./training-sample.js";
import { summariseTraining } from "./training-summary.js";

/**
 * Defines a learner. The definition provides its options with checks, help and docs; `fit` with the checks that all learners
 * need; predictions, margins and training errors of its models; model files that are checked when they are read; and its name
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
    const certifies = definition.certificates && (definition.certifies?.(options) ?? true);
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
      ...(!certifies && { uncertified: true }),
      ...(tasks.length > 0 && { tasks }),
      ...(growth &&
        (growth.applies?.(options) ?? true) && {
          growth: {
            option: growth.option,
            upTo(model, steps) {
              const parts = growth.upTo(model, steps);
              return parts === model ? model : assemble({ ...coreOf(model), ...parts, training: undefined });
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
    const model = assemble({ ...coreOf(rows.sample), ...parts });
    if (!definition.keepsTrainingErrors) return model;
    return assemble({
      ...coreOf(rows.sample),
      ...parts,
      training: await summariseTraining(model, rows.sample, run),
    });
  }

  const assemble = (fitted: Fitted<P>) => assembleModel(definition, fitted);

  function restore(state: State): FittedModel<P, F> {
    const fitted = fittedFrom(name, definition.parts, state);
    if (definition.classes === "two" && fitted.classes.length !== 2)
      throw damagedModel(name, `it has ${fitted.classes.length} classes and not 2`);
    const fault = definition.fault?.(fitted);
    if (fault !== undefined) throw damagedModel(name, fault);
    return assemble(fitted);
  }

  const { title = name, summary, comfortableRows, tasks, baseNamed, module } = definition;
  const kind = Object.assign(create, {
    title,
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

function resolved<Schema extends z.ZodObject, Resolved>(
  { resolve }: { readonly resolve?: (options: z.output<Schema>) => Resolved },
  options: z.output<Schema>,
): Resolved {
  if (resolve) return resolve(options);
  assertDefault<Resolved>(options);
  return options;
}
