import type { Sample } from "@vouch/core/internal/encode/sample";
import { fitEachGamma } from "@vouch/core/internal/learners/cascade/cascade-learner";
import { deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import type { Model } from "@vouch/core/internal/learners/model";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { rotation, type ThreeWaySplit } from "@vouch/core/internal/table/splits";
import type { Labelled } from "@vouch/core/internal/table/target";
import * as z from "zod";
import { labelledRows, type PlainRows } from "../datasets.js";
import { discordantRows } from "../paired-tests.js";
import { fitPolynomialSvm, MOST_STEPS, type PolynomialSvm, polynomialSvms } from "../polynomial-svm.js";
import { type FeatureScaling, featureScalings, scaledSamples } from "../scaled-samples.js";

/** The complexity terms that cascades are searched with. */
export const complexities = ["vc", "vc-local", "rademacher"] as const;

/** The cascades to choose from. */
export interface CascadeGrid {
  readonly maxDepth: number;
  /** Depths for which the best cascade of exactly that depth is searched, too. */
  readonly fixedDepths: readonly number[];
  readonly fractions: readonly number[];
  readonly gammas: readonly number[];
}

/** One fold of a rotation: fold j tests, fold j + 1 validates, the rest train. */
interface RotationFoldInput {
  readonly rows: PlainRows;
  readonly grid: CascadeGrid;
  readonly seed: number;
  readonly fold: number;
}

const share = z.number().min(0).max(1);

/** Error rates of a classifier on its training rows and on other rows. */
const errors = { trainingError: share, validationError: share, testError: share };

type Errors = z.infer<z.ZodObject<typeof errors>>;

/** A support vector machine and its errors. */
const foldSvm = z.strictObject({
  ...errors,
  features: z.enum(featureScalings),
  scale: z.enum(["1/d", "none"]),
  degree: z.int(),
  C: z.number(),
});

type FoldSvm = z.infer<typeof foldSvm>;

/** The scaling of features and kernel. */
export type Scaling = Pick<FoldSvm, "features" | "scale">;

/** The best cascade for one complexity term and one gamma. */
const foldCascade = z.strictObject({
  ...errors,
  complexity: z.enum(complexities),
  /** 1 if the bound chooses the depth; otherwise the only depth of the search. */
  minDepth: z.int().min(1),
  gamma: z.number(),
  depth: z.int().min(1),
  /** Numbers of validation rows that only the cascade, or only the machine, gets right. */
  discordant: z.strictObject({ first: z.int(), second: z.int() }),
});

export type FoldCascade = z.infer<typeof foldCascade>;

/** Schema of the chosen machine and the cascades of a fold. */
export const rotationFoldSchema = z.strictObject({ svm: foldSvm, cascades: z.array(foldCascade) });

export type RotationFold = z.infer<typeof rotationFoldSchema>;

/** The scaled parts of a fold. */
interface Parts {
  readonly train: Sample;
  readonly validate: Sample;
  readonly test: Sample;
}

/**
 * Trains SVMs of all degrees, values of C and scalings on the training rows and chooses the one with the smallest
 * validation error, like the paper. Then, with the chosen scaling, finds the best cascade for each complexity term and
 * each gamma; the caller chooses among these.
 */
export const rotationFoldTask = definePortableTask(
  "experiments/rotation-fold",
  async ({ rows, grid, seed, fold }: RotationFoldInput, { progress, checkpoint }): Promise<RotationFold> => {
    const all = labelledRows(rows);
    const split = rotation(all.labels, seed).folds[fold];
    const machines: FoldSvm[] = [];
    for (const features of featureScalings) {
      await checkpoint();
      machines.push(...(await svmsOf(features, scaledParts(all, split, features))));
    }
    const svm = machines.reduce((best, machine) =>
      machine.validationError < best.validationError ? machine : best,
    );
    const parts = scaledParts(all, split, svm.features);
    const machine = (await fitPolynomialSvm(svm, parts.train)).predict(parts.validate.features);
    const cascades: FoldCascade[] = [];
    const searches = searchesOf(grid);
    for (const [i, search] of searches.entries()) {
      await checkpoint();
      cascades.push(...(await cascadesOf(search, svm.scale, parts, machine, grid, seed)));
      progress(0.1 + (0.9 * (i + 1)) / searches.length);
    }
    return { svm, cascades };
  },
  import.meta.url,
);

function scaledParts(all: Labelled, split: ThreeWaySplit, features: FeatureScaling): Parts {
  const [train, validate, test] = scaledSamples(all, [split.train, split.validate, split.test], features);
  return { train, validate, test };
}

/** Trains all machines, scaled kernels first, then by degree and C: ties go to the first. */
async function svmsOf(features: FeatureScaling, parts: Parts): Promise<FoldSvm[]> {
  const machines: FoldSvm[] = [];
  for (const machine of [...polynomialSvms("1/d"), ...polynomialSvms("none")]) {
    const model = await fitPolynomialSvm(machine, parts.train);
    machines.push({ ...machine, features, ...errorsOf(model, parts) });
  }
  return machines;
}

/** A search for the best cascades: its complexity term and depths. */
interface Search {
  readonly complexity: FoldCascade["complexity"];
  readonly minDepth: number;
  readonly maxDepth: number;
}

/** Lists the searches among all depths first, then searches of a single depth. */
function searchesOf({ maxDepth, fixedDepths }: CascadeGrid): Search[] {
  const free = complexities.map((complexity) => ({ complexity, minDepth: 1, maxDepth }));
  const fixed = complexities.flatMap((complexity) =>
    fixedDepths.map((depth) => ({ complexity, minDepth: depth, maxDepth: depth })),
  );
  return [...free, ...fixed];
}

/**
 * Finds the best cascade for each gamma; `machine` contains the chosen machine's predictions for the validation rows.
 */
async function cascadesOf(
  search: Search,
  scale: PolynomialSvm["scale"],
  parts: Parts,
  machine: Int32Array,
  { fractions, gammas }: CascadeGrid,
  seed: number,
): Promise<FoldCascade[]> {
  const learner = deepCascadeSvm({
    ...search,
    scale,
    fractions: [...fractions],
    gammas: [...gammas],
    maxIterations: MOST_STEPS,
  });
  const models = await fitEachGamma(learner, parts.train, { seed });
  return models.map((model) => ({
    complexity: search.complexity,
    minDepth: search.minDepth,
    gamma: model.origin.gamma,
    depth: model.levels.length,
    discordant: discordantRows(model.predict(parts.validate.features), machine, parts.validate.labels),
    ...errorsOf(model, parts),
  }));
}

function errorsOf(model: Model<Matrix>, { train, validate, test }: Parts): Errors {
  const errorOn = ({ features, labels }: Sample) =>
    countErrors(model.predict(features), labels) / labels.length;
  return { trainingError: errorOn(train), validationError: errorOn(validate), testError: errorOn(test) };
}
