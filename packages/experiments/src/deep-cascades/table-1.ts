import { mean } from "vouch/select";
import { availableSets } from "../available-sets.js";
import { signTest } from "../duel.js";
import { defineExperiment, type ExperimentRun, partOf, type Scale } from "../experiment.js";
import { type PlainRows, plainRows } from "../labelled-rows.js";
import { type PublishedSet, paper, table1Published } from "./paper.js";
import {
  type CascadeGrid,
  type FoldCascade,
  type RotationFold,
  rotationFoldTask,
  type Scaling,
} from "./rotation-fold.js";
import { type SetErrors, setSchema, table1Schema, type VariantName, variantNames } from "./table-1-data.js";
import { table1Page } from "./table-1-page.js";

/** How much is measured. */
interface Sizes {
  readonly grid: CascadeGrid;
  /** How often the rows are divided into five folds anew. */
  readonly rotations: number;
}

const GAMMAS = [1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1];
/** Those of the paper. */
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

/** Whether validation rows may choose a cascade; those with a minimum depth above 1 have that depth. */
const variants: Readonly<Record<VariantName, (cascade: FoldCascade) => boolean>> = {
  "as printed": ({ complexity, minDepth, gamma }) =>
    complexity === "vc" && minDepth === 1 && PRINTED_GAMMAS.includes(gamma),
  vc: ({ complexity, minDepth }) => complexity === "vc" && minDepth === 1,
  "vc-local": ({ complexity, minDepth }) => complexity === "vc-local" && minDepth === 1,
  rademacher: ({ complexity, minDepth }) => complexity === "rademacher" && minDepth === 1,
  "any term": ({ minDepth }) => minDepth === 1,
  "any depth": () => true,
  "or the machine": () => true,
  "surely better": ({ duel }) => signTest(duel) <= SIGNIFICANT,
};

/** Level of the sign test that a cascade has to pass to replace the machine. */
const SIGNIFICANT = 0.05;

/** Those that may choose the machine itself. */
const withMachine: readonly VariantName[] = ["or the machine", "surely better"];

/** Table 1, with the printed complexity and with two sharper ones. */
export const table1 = defineExperiment({
  name: "deep-cascades/table-1",
  paper,
  shows:
    "Table 1: test errors of support vector machines with polynomial kernels and of DeepCascadeSVM in five-fold cross-validation, and the depths that bound (9) chooses with three complexity terms.",
  cost: {
    quick: "the shipped data sets, cascades of depth 2 with 3 fractions: a few seconds",
    paper:
      "5 data sets, all 262,564 cascades in each of 25 folds for 3 complexities and 7 gammas: about half an hour",
  },
  data: table1Schema,
  async measure(run) {
    const names = table1Published.map(({ dataset }) => dataset);
    const { present, absent } = await availableSets(names, run.scale);
    const sets: SetErrors[] = [];
    for (const published of table1Published.filter(({ dataset }) => present.includes(dataset))) {
      const compute = () => errorsOnSet(published, sizes[run.scale], run);
      sets.push(await partOf(run, published.dataset, setSchema, compute));
    }
    return { rotations: sizes[run.scale].rotations, sets, absent };
  },
  tables: table1Page,
});

/** Rotates the folds of a data set, each fold on whatever thread is free. */
export async function errorsOnSet(
  { dataset, rows: wanted }: Pick<PublishedSet, "dataset" | "rows">,
  { grid, rotations }: Sizes,
  { seed, executor, signal, progress }: ExperimentRun,
): Promise<SetErrors> {
  const rows = await plainRows(dataset, wanted, signal);
  const inputs = Array.from({ length: rotations * FOLDS }, (_, i) => {
    return { rows, grid, seed: seed + Math.floor(i / FOLDS), fold: i % FOLDS };
  });
  const folds = await executor.map(rotationFoldTask, inputs, {
    ...(signal && { signal }),
    onProgress: (done, total) => progress({ stage: `${dataset}: folds`, done, total }),
  });
  return summaryOf(rows, folds);
}

/** The errors in all folds, and what validation chooses. */
export function summaryOf({ name, labels, columns }: PlainRows, folds: readonly RotationFold[]): SetErrors {
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

/** What validation rows choose by, and what comes of it. */
type Candidate = Pick<FoldCascade, "gamma" | "depth" | "validationError" | "testError">;

/** The machine is a cascade of depth 1 with the strongest preference for simplicity. */
function candidatesOf({ svm, cascades }: RotationFold, variant: VariantName): Candidate[] {
  const machine = withMachine.includes(variant) ? [{ ...svm, depth: 1, gamma: Infinity }] : [];
  return [...machine, ...cascades.filter(variants[variant])];
}

/** The candidate with the smallest validation error; of equal ones the shortest, then that of the largest gamma. */
export function chooseByValidation<C extends Candidate>(candidates: readonly C[]): C {
  const better = (a: C, b: C) =>
    a.validationError - b.validationError || a.depth - b.depth || b.gamma - a.gamma;
  return [...candidates].sort(better)[0];
}

function meanOf(folds: readonly RotationFold[], i: number): SetErrors["cascades"][number] {
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
