import type { Sample } from "@vouch/core/internal/encode/sample";
import { fitEachGamma } from "@vouch/core/internal/learners/cascade/cascade-learner";
import { deepCascadePerceptron } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import type { Model } from "@vouch/core/internal/learners/model";
import { perceptron } from "@vouch/core/internal/learners/perceptron/perceptron";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { kFold, stratifiedHoldout } from "@vouch/core/internal/table/splits";
import * as z from "zod";
import { labelledRows, loadRows, type PlainRows } from "../datasets.js";
import type { ExperimentRun } from "../experiment.js";
import { fitPolynomialSvm, paperDegrees, polynomialSvms } from "../polynomial-svm.js";
import { scaledSamples } from "../scaled-samples.js";
import { taskParts } from "../task-parts.js";

/**
 * Learners of the report. Its cascade appears twice: with the options of its program, and with the options of its
 * equations.
 */
export const contenderNames = [
  "cascade, as they ran it",
  "cascade, as the equations",
  "SVM",
  "perceptron",
] as const;

/** One of `contenderNames`. */
export type ContenderName = (typeof contenderNames)[number];

/** Trains a model for each combination of hyperparameters; cross-validation chooses the first of the best. */
type FitGrid = (sample: Sample) => Promise<readonly Model<Matrix>[]>;

const GRID = { maxDepth: 4, fractions: [0.2, 0.4, 0.6, 0.8], gammas: [1e-3, 1e-2, 1e-1, 1], passes: 4 };

/** The authors' program: non-decreasing degrees, at least two levels, a strict gate, local VC complexities. */
const PROGRAM = {
  ...GRID,
  minDepth: 2,
  nonDecreasing: true,
  gate: "strict",
  complexity: "vc-local",
} as const;
const asTheyRanIt = deepCascadePerceptron(PROGRAM);

/**
 * Cascades of the authors' program that tie at γ = 1, where all bounds are 1: for each depth and each fraction, the one
 * with the smallest training error.
 */
const tiedCascades = [2, 3, 4].flatMap((depth) =>
  GRID.fractions.map((fraction) =>
    deepCascadePerceptron({
      ...PROGRAM,
      minDepth: depth,
      maxDepth: depth,
      fractions: [fraction],
      gammas: [1],
    }),
  ),
);

const asTheEquations = deepCascadePerceptron(GRID);

/** Large gammas come first, so that ties go to the strongest preference for simple cascades. */
const fitGrids: Readonly<Record<ContenderName, FitGrid>> = {
  "cascade, as they ran it": async (sample) => (await fitEachGamma(asTheyRanIt, sample)).toReversed(),
  "cascade, as the equations": async (sample) => (await fitEachGamma(asTheEquations, sample)).toReversed(),
  SVM: (sample) => inTurn(polynomialSvms("1/d"), (machine) => fitPolynomialSvm(machine, sample)),
  perceptron: (sample) => inTurn(paperDegrees, (degree) => perceptron({ degree, passes: 4 }).fit(sample)),
};

/** Share of the test rows. */
const TEST = 0.2;

/** Test rows over training rows of a split. */
export const OVERLAP = TEST / (1 - TEST);

const FOLDS = 3;

/** One random split of a data set. */
interface ReportSplitInput {
  readonly rows: PlainRows;
  readonly seed: number;
  /** Index of the split within this seed. */
  readonly split: number;
}

const share = z.number().min(0).max(1);

/** Schema of the errors of all learners on a split. */
export const reportSplitSchema = z.array(
  z.strictObject({
    name: z.enum(contenderNames),
    /** Errors in the three folds, with the hyperparameters of smallest mean. */
    validation: z.array(share),
    /** Test error after training with these on all other rows. */
    test: share,
    /** Smallest test error of any hyperparameters, as if the test rows had chosen them. */
    bestTest: share,
    /** Levels of the model; 1 unless it is a cascade. */
    depth: z.int().min(1),
    /** Test errors of cascades that tie at γ = 1; empty for other learners. */
    tied: z.array(share),
  }),
);

/** The errors of a learner on a split. */
export type ContenderErrors = z.infer<typeof reportSplitSchema>[number];

/** Tunes every learner by three-fold cross-validation on the training rows, and tests it on the rest. */
const reportSplitTask = definePortableTask(
  "experiments/report-split",
  async ({ rows, seed, split }: ReportSplitInput, { progress, checkpoint }): Promise<ContenderErrors[]> => {
    const all = labelledRows(rows);
    const random = new Random(seed).fork(split);
    const { train, test } = stratifiedHoldout(all.labels, TEST, random.bits());
    const inner = kFold(
      train.map((row) => all.labels[row]),
      FOLDS,
      random.bits(),
    ).folds;
    const rowsOf = (positions: Int32Array) => positions.map((position) => train[position]);
    const folds = inner.map((fold) =>
      scaledSamples(all, [rowsOf(fold.train), rowsOf(fold.test)], "standardised"),
    );
    const whole = scaledSamples(all, [train, test], "standardised");
    const outcomes: ContenderErrors[] = [];
    for (const name of contenderNames) {
      await checkpoint();
      const tied = name === contenderNames[0] ? await tiedErrors(whole) : [];
      outcomes.push({ name, ...(await errorsOf(fitGrids[name], folds, whole)), tied });
      progress(outcomes.length / contenderNames.length);
    }
    return outcomes;
  },
  import.meta.url,
);

/** Splits data sets several times; each split is a part. Returns the splits of each set. */
export async function reportSplits(
  datasets: readonly string[],
  splits: number,
  run: ExperimentRun,
): Promise<ContenderErrors[][][]> {
  const inputs = new Map<string, ReportSplitInput>();
  for (const dataset of datasets) {
    const rows = await loadRows(dataset, {}, run.signal);
    for (let split = 0; split < splits; split++)
      inputs.set(`${dataset}, split ${split + 1}`, { rows, seed: run.seed, split });
  }
  const outcomes = await taskParts(run, reportSplitTask, inputs, reportSplitSchema, "splits");
  return datasets.map((_, k) => outcomes.slice(k * splits, (k + 1) * splits));
}

async function errorsOf(
  fitGrid: FitGrid,
  folds: readonly (readonly Sample[])[],
  [train, test]: readonly Sample[],
): Promise<Omit<ContenderErrors, "name" | "tied">> {
  const errors: number[][] = [];
  for (const [training, validation] of folds) {
    errors.push((await fitGrid(training)).map((model) => errorOn(model, validation)));
  }
  const means = errors[0].map((_, value) => mean(errors.map((fold) => fold[value])));
  const best = means.indexOf(Math.min(...means));
  const models = await fitGrid(train);
  const model = models[best];
  const tested = models.map((each) => errorOn(each, test));
  return {
    validation: errors.map((fold) => fold[best]),
    test: tested[best],
    bestTest: Math.min(...tested),
    depth: deepCascadePerceptron.made(model) ? model.levels.length : 1,
  };
}

/** Computes the test errors of cascades that tie at γ = 1. */
async function tiedErrors([train, test]: readonly Sample[]): Promise<number[]> {
  const models = await inTurn(tiedCascades, (learner) => learner.fit(train));
  return models.map((model) => errorOn(model, test));
}

function errorOn(model: Model<Matrix>, { features, labels }: Sample): number {
  return countErrors(model.predict(features), labels) / labels.length;
}

async function inTurn<Input, Output>(
  inputs: readonly Input[],
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  for (const input of inputs) outputs.push(await work(input));
  return outputs;
}
