import type * as z from "zod";
import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { completeRun, type Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { defineLearner } from "../define-learner.js";
import { checkAmounts, type Kernel, takesAmounts } from "../kernel/kernel.js";
import type { Learner, LearnerKind } from "../learner.js";
import type { DefinedLearner } from "../learner-definition.js";
import { isLibraryLearner, isPortableLearner } from "../registry.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import {
  type CascadeModel,
  cascadeCertificates,
  cascadeComplexity,
  cascadeConverged,
  cascadeFault,
  cascadeOutputs,
  cascadeParts,
} from "./cascade-model.js";
import { ascending, type ComplexityTerm, type cascadeOptions, checkDepths } from "./cascade-options.js";
import { describeCascade } from "./describe-cascade.js";
import { cascadeMargins } from "./evaluate-cascade.js";
import { type CascadeChoice, type CascadeFamily, cascadesOn, fitCascade, validateOn } from "./fit-cascade.js";
import { registerValidator, validatorOnMachines } from "./validate-split.js";

/** Up to this many rows a search of all cascades takes seconds; the time grows with their square or faster. */
const COMFORTABLE_ROWS = 1000;

/** Cascades are not searched for on fewer rows. */
const FEWEST_ROWS = 5;

/** The resolved options of a cascade learner. */
export interface DeepCascadePlan extends CascadeChoice {
  /** The options as users see them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly standardise: boolean;
  /** The kind of all kernels. */
  readonly kernel: Kernel["kind"];
  /** Prepares the cascades to choose from, for a sample. */
  familyOf(sample: Sample, run: Run): Promise<CascadeFamily>;
  /** The learner of some leaves, if there are such. */
  readonly base?: Learner;
}

/** Checks and resolves the options that all cascades have. */
export function cascadePlan(
  learner: string,
  options: z.output<z.ZodObject<typeof cascadeOptions>> & { readonly complexity: ComplexityTerm },
  own: Pick<DeepCascadePlan, "kernel" | "familyOf" | "base">,
): DeepCascadePlan {
  const { maxDepth, complexity, validation, folds, standardise, topology, maxLeaves } = options;
  checkDepths(learner, options);
  const gammas = ascending(options.gammas);
  const plan = { options, gammas, complexity, validation, folds, standardise, ...own };
  if (topology === "chain") return plan;
  const from = topology === "search" ? "chain" : "leaf";
  return { ...plan, tree: { maxGates: maxDepth - 1, maxLeaves, from } };
}

/** The part of a learner's definition that differs between cascades. */
interface CascadeDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly options: Schema;
  readonly plan: (options: z.output<Schema>) => DeepCascadePlan;
  readonly baseNamed?: (name: string) => LearnerKind;
}

/** A defined cascade, as `fitEachGamma` finds it by its name. */
interface KnownCascade {
  plan(options: unknown): DeepCascadePlan;
  readonly assemble: DefinedLearner<z.ZodObject, typeof cascadeParts, Matrix>["assemble"];
}

const cascades = new Map<string, KnownCascade>();

/**
 * Defines a learner that chooses among the cascades of a family, which is made for the sample. From `fit` to the model:
 *
 * 1. `familyOf` prepares the family: `kernelFamily` (Algorithm 2) computes kernels and chooses C (`chooseCosts`); `mixedFamily`
 *    (Algorithm 1) also lists monomials for thresholds and gates.
 * 2. `fitCascade` validates each γ on splits: here, or on the machines of a cluster (`validate-split.ts`).
 * 3. `cascadesOn` takes the training points. `SubProblems` keeps each node that was trained on a set of rows.
 * 4. `searchCascades` finds the cascade with the smallest bound (9) by branch and bound; `growTree` grows trees of cascades.
 * 5. The search asks a `NodeTrainer` for nodes: `ParallelNodes` trains them on threads, in advance if threads are free.
 * 6. `build` trains the levels of the best cascade again, as classifiers of raw features with their gates.
 * 7. `evaluateCascade` sends rows through the gates to the leaf that scores them.
 */
export function defineCascade<Schema extends z.ZodObject>({
  plan,
  ...definition
}: CascadeDefinition<Schema>): DefinedLearner<Schema, typeof cascadeParts, Matrix> {
  const { name, options } = definition;
  const learner = defineLearner({
    ...definition,
    features: "matrix",
    encoding: ({ standardise, kernel }) => ({
      kind: "numeric",
      standardise: standardise && !takesAmounts(kernel),
    }),
    scoring: "decision",
    comfortableRows: COMFORTABLE_ROWS,
    keepsRows: true,
    parts: cascadeParts,
    local: ({ base }) => base !== undefined && !isPortableLearner(base),
    resolve: plan,
    shownOptions: (resolved) => resolved.options,
    fit: ({ sample }, resolved, run) =>
      withFamily(name, sample, resolved, run, (family) => {
        const isSent = run.executor.cluster && !(resolved.base && !isLibraryLearner(resolved.base));
        const elsewhere = isSent
          ? validatorOnMachines(name, resolved.options, resolved.gammas, sample, run)
          : undefined;
        return fitCascade(family, sample, resolved, run, elsewhere);
      }),
    fault: cascadeFault,
    outputs: cascadeOutputs,
    /** Returns the scores of the leaf that a row reaches; for two classes f and −f. */
    scores: (_, { scores }) => scores,
    /** Computes y·h_k(x) of that leaf, with h_k scaled to [−1, 1] by the largest value that is possible for the row. */
    margins: (_, outputs, labels) => cascadeMargins(outputs, labels),
    complexity: cascadeComplexity,
    certificates: cascadeCertificates,
    describe: describeCascade,
    converged: cascadeConverged,
    notices: ({ origin }) => origin.notices,
  });
  registerValidator(name, async (given, sample, split, run) => {
    const resolved = plan(options.parse(given));
    return withFamily(name, sample, resolved, run, (family) =>
      validateOn(family, sample, resolved, split, run, "validation"),
    );
  });
  cascades.set(name, { plan: (given) => plan(options.parse(given)), assemble: learner.assemble });
  return learner;
}

/** Fits the best cascade on all rows for each γ of a learner's `gammas`, in one search and without validation. */
export async function fitEachGamma(
  { name, options }: Learner<CascadeModel, Matrix>,
  given: Sample<Matrix>,
  partialRun?: Partial<Run>,
): Promise<CascadeModel[]> {
  const known = cascades.get(name);
  if (!known) {
    throw new VouchError("learner/unsupported", `${name} does not learn deep cascades.`, {
      hint: `Use one of ${[...cascades.keys()].join(", ")}.`,
    });
  }
  const run = completeRun(partialRun);
  checkFinite(given.features, given.featureNames);
  const { sample } = trainingSample(name, given);
  const { classes, featureNames } = sample;
  const plan = known.plan(options);
  const all = Int32Array.from(sample.labels, (_, row) => row);
  const found = await withFamily(name, sample, plan, run, (family) =>
    cascadesOn(family, sample, all, plan, run),
  );
  return found.map((parts) => known.assemble({ classes, featureNames, ...parts }));
}

async function withFamily<Result>(
  learner: string,
  sample: Sample,
  { kernel, familyOf }: DeepCascadePlan,
  run: Run,
  use: (family: CascadeFamily) => Promise<Result>,
): Promise<Result> {
  const { features, featureNames, rows } = sample;
  checkAmounts(kernel, features, featureNames);
  if (rows < FEWEST_ROWS) {
    throw new VouchError(
      "data/too-few-rows",
      `${learner} needs at least ${FEWEST_ROWS} rows, but there are ${rows}.`,
      { hint: "Use a simpler learner, such as stump, or more rows." },
    );
  }
  const family = await familyOf(sample, run);
  try {
    return await use(family);
  } finally {
    family.release();
  }
}
