import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { availableSets, loadRows, type PlainRows } from "../datasets.js";
import { defineExperiment, type ExperimentRun, type Scale } from "../experiment.js";
import { signTest } from "../paired-tests.js";
import { papers } from "../papers.js";
import { taskParts } from "../task-parts.js";
import { type PublishedSet, table1Published } from "./published.js";
import {
  type CascadeGrid,
  type FoldCascade,
  type RotationFold,
  rotationFoldSchema,
  rotationFoldTask,
  type Scaling,
} from "./rotation-fold.js";
import { type RotatedSet, table1Page, table1Schema, type VariantName, variantNames } from "./table-1-page.js";

/** The size of the experiment. */
interface Sizes {
  readonly grid: CascadeGrid;
  /** Number of random divisions of the rows into five folds. */
  readonly rotations: number;
}

const GAMMAS = [1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1];
/** The values of the paper. */
const PRINTED_GAMMAS = [1e-2, 1e-1, 1];
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const FOLDS = 5;

const sizes: Readonly<Record<Scale, Sizes>> = {
  quick: {
    grid: { maxDepth: 2, fixedDepths: [2], fractions: [0.25, 0.5, 0.75], gammas: GAMMAS },
    rotations: 1,
  },
  paper: { grid: { maxDepth: 4, fixedDepths: [2, 3], fractions: TENTHS, gammas: GAMMAS }, rotations: 5 },
};

/** The cascades that each selection method chooses among; a minimum depth above 1 means exactly that depth. */
const variants: Readonly<Record<VariantName, (cascade: FoldCascade) => boolean>> = {
  "as printed": ({ complexity, minDepth, gamma }) =>
    complexity === "vc" && minDepth === 1 && PRINTED_GAMMAS.includes(gamma),
  vc: ({ complexity, minDepth }) => complexity === "vc" && minDepth === 1,
  "vc-local": ({ complexity, minDepth }) => complexity === "vc-local" && minDepth === 1,
  rademacher: ({ complexity, minDepth }) => complexity === "rademacher" && minDepth === 1,
  "any term": ({ minDepth }) => minDepth === 1,
  "any depth": () => true,
  "or the machine": () => true,
  "surely better": ({ discordant }) => signTest(discordant) <= SIGNIFICANT,
};

/** Significance level at which a cascade replaces the machine. */
const SIGNIFICANT = 0.05;

/** The methods that may choose the machine itself. */
const withMachine: readonly VariantName[] = ["or the machine", "surely better"];

/** Table 1, with the printed complexity and with two sharper ones. */
export const table1 = defineExperiment({
  name: "deep-cascades/table-1",
  paper: papers.cascades.citation,
  shows:
    "Table 1: test errors of support vector machines with polynomial kernels and of DeepCascadeSVM in five-fold cross-validation, and the depths that bound (9) chooses with three complexity terms.",
  cost: {
    quick: "the shipped data sets, cascades of depth 2 with 3 fractions: a few seconds",
    paper:
      "5 data sets, all 262,564 cascades in each of 25 folds for 3 complexities and 7 gammas: about 25 minutes of processor time",
  },
  data: table1Schema,
  async measure(run) {
    const names = table1Published.map(({ dataset }) => dataset);
    const { present, absent } = await availableSets(names, run.scale);
    const published = table1Published.filter(({ dataset }) => present.includes(dataset));
    const sets = await rotateFolds(published, sizes[run.scale], run);
    return { rotations: sizes[run.scale].rotations, sets, absent };
  },
  tables: table1Page,
});

/** Rotates the folds of data sets; each fold is a part. */
export async function rotateFolds(
  sets: readonly Pick<PublishedSet, "dataset" | "rows">[],
  { grid, rotations }: Sizes,
  run: ExperimentRun,
): Promise<RotatedSet[]> {
  const loaded: PlainRows[] = [];
  for (const { dataset, rows } of sets) loaded.push(await loadRows(dataset, rows, run.signal));
  const inputs = loaded.flatMap((rows) =>
    Array.from({ length: rotations * FOLDS }, (_, i) => {
      const [rotation, fold] = [Math.floor(i / FOLDS), i % FOLDS];
      const name = `${rows.name}, split ${rotation + 1}, fold ${fold + 1}`;
      return [name, { rows, grid, seed: run.seed + rotation, fold }] as const;
    }),
  );
  const folds = await taskParts(run, rotationFoldTask, new Map(inputs), rotationFoldSchema, "folds");
  return loaded.map((rows) => {
    const own = folds.filter((_, i) => inputs[i][1].rows === rows);
    return summaryOf(rows, own);
  });
}

/** Collects the errors in all folds, and the choices of validation. */
function summaryOf({ name, labels, columns }: PlainRows, folds: readonly RotationFold[]): RotatedSet {
  return {
    dataset: name,
    rows: labels.length,
    features: columns.length,
    svm: folds.map(({ svm }) => svm.testError),
    scalings: countsOf(folds.map(({ svm }) => scalingName(svm))),
    chosen: variantNames.map((variant) => {
      const chosen = folds.map((fold) => chooseByValidation(candidatesOf(fold, variant)));
      return {
        variant,
        errors: chosen.map(({ testError }) => testError),
        depths: chosen.map(({ depth }) => depth),
      };
    }),
    cascades: folds[0].cascades.map((_, i) => meanOf(folds, i)),
  };
}

/** The numbers that validation chooses by, and the test error. */
type Candidate = Pick<FoldCascade, "gamma" | "depth" | "validationError" | "testError">;

/** Lists the candidates. The SVM is a cascade of depth 1 with the strongest preference for simplicity. */
function candidatesOf({ svm, cascades }: RotationFold, variant: VariantName): Candidate[] {
  const machine = withMachine.includes(variant) ? [{ ...svm, depth: 1, gamma: Infinity }] : [];
  return [...machine, ...cascades.filter(variants[variant])];
}

/** Chooses the smallest validation error; ties go to the shortest cascade, then to the largest gamma. */
export function chooseByValidation<C extends Candidate>(candidates: readonly C[]): C {
  const better = (a: C, b: C) =>
    a.validationError - b.validationError || a.depth - b.depth || b.gamma - a.gamma;
  return [...candidates].sort(better)[0];
}

function meanOf(folds: readonly RotationFold[], i: number): RotatedSet["cascades"][number] {
  const { complexity, minDepth, gamma } = folds[0].cascades[i];
  const meanOver = (value: (cascade: FoldCascade) => number) =>
    mean(folds.map(({ cascades }) => value(cascades[i])));
  return {
    complexity,
    minDepth,
    gamma,
    depth: meanOver(({ depth }) => depth),
    trainingError: meanOver(({ trainingError }) => trainingError),
    validationError: meanOver(({ validationError }) => validationError),
    testError: meanOver(({ testError }) => testError),
  };
}

function scalingName({ features, scale }: Scaling): string {
  return `${features}, ${scale === "none" ? "x·y" : "x·y/d"}`;
}

function countsOf(values: readonly string[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const value of values) counted[value] = (counted[value] ?? 0) + 1;
  return counted;
}
