import type { Learner } from "@vouch/core/internal/learners/learner";
import { linearSvm } from "@vouch/core/internal/learners/linear/linear-svm";
import { svm } from "@vouch/core/internal/learners/svm/svm";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { kFold, stratifiedHoldout } from "@vouch/core/internal/table/splits";
import { type Labelled, selectRows } from "@vouch/core/internal/table/target";
import { runTrials } from "@vouch/core/internal/validation/run-trials";
import type { ExperimentRun } from "../experiment.js";

/** The kernel for the rows of a data set. */
type SetKernel = "rbf" | "chi-square" | "linear";

/** A data set of the experiments, and its kernel. */
export interface HierarchySet {
  readonly dataset: string;
  readonly kernel: SetKernel;
}

/** Settings that all machines of a data set share, so that schemes differ only in how they combine machines. */
export interface SvmSettings {
  readonly kernel: SetKernel;
  readonly C: number;
  /** Absent for the linear kernel. */
  readonly gamma?: number;
}

/** Maximum number of training rows for choosing settings. */
const MOST_ROWS = 8000;
const FOLDS = 3;

const COSTS: Readonly<Record<SetKernel, readonly number[]>> = {
  rbf: [1, 10, 100],
  "chi-square": [1, 10, 100],
  linear: [0.001, 0.01, 0.1, 1],
};

/** γ times the number of features; features are standardised for the Gaussian kernel, but not for χ². */
const WIDTHS: Readonly<Record<SetKernel, readonly number[]>> = {
  rbf: [0.25, 1, 4],
  "chi-square": [0.5, 2, 8],
  linear: [],
};

/**
 * Chooses C and γ by cross-validation on training rows: the pair with the highest accuracy of one-vs-one machines, or
 * of one-vs-rest machines with the linear kernel. Ties go to the first.
 */
export async function tuneSettings(
  data: Labelled,
  kernel: SetKernel,
  part: string,
  run: ExperimentRun,
): Promise<SvmSettings> {
  const rows = subsample(data, run.seed);
  const grid = gridOf(kernel, data.features.columns.length);
  const divisions = kFold(rows.labels, FOLDS, run.seed).folds.map((fold) => ({ data: rows, ...fold }));
  const folds = await runTrials(grid.map(tunedLearner), divisions, `${part}: settings`, run);
  const accuracies = grid.map((_, k) =>
    mean(folds.map((trials) => (trials[k].rows - trials[k].errors) / trials[k].rows)),
  );
  return grid[accuracies.indexOf(Math.max(...accuracies))];
}

/** Returns options with the loss of the hierarchies, so that the same C means the same. */
export function linearOptions(C: number) {
  return { C, loss: "hinge" } as const;
}

function gridOf(kernel: SetKernel, features: number): SvmSettings[] {
  return COSTS[kernel].flatMap((C): SvmSettings[] =>
    kernel === "linear"
      ? [{ kernel, C }]
      : WIDTHS[kernel].map((width) => ({ kernel, C, gamma: width / features })),
  );
}

function tunedLearner({ kernel, C, gamma }: SvmSettings): Learner {
  return kernel === "linear"
    ? linearSvm(linearOptions(C))
    : svm({ kernel, C, ...(gamma !== undefined && { gamma }) });
}

/** Returns all rows, or a stratified subsample if there are many. */
function subsample(data: Labelled, seed: number): Labelled {
  const { length } = data.labels;
  if (length <= MOST_ROWS) return data;
  return selectRows(data, stratifiedHoldout(data.labels, MOST_ROWS / length, seed).test);
}
