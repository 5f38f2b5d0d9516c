import { holdout, type Labelled, type Learner, linearSvm, svm } from "vouch";
import { kFold, mean } from "vouch/select";
import type { ExperimentRun } from "../experiment.js";
import { fitDivision } from "../fit-division.js";
import { selectRows } from "../labelled-rows.js";
import { linearOptions, type MachineSettings } from "./schemes.js";
import type { SetKernel } from "./sets.js";

/** Settings are chosen on so many training rows at most. */
const MOST_ROWS = 8000;
const FOLDS = 3;

const COSTS: Readonly<Record<SetKernel, readonly number[]>> = {
  rbf: [1, 10, 100],
  "chi-square": [1, 10, 100],
  linear: [0.001, 0.01, 0.1, 1],
};

/** γ times the number of features; features are standardised for the Gaussian kernel, not for χ². */
const WIDTHS: Readonly<Record<SetKernel, readonly number[]>> = {
  rbf: [0.25, 1, 4],
  "chi-square": [0.5, 2, 8],
  linear: [],
};

/**
 * C and γ with the highest accuracy of one-vs-one machines, or of one-vs-rest ones with the linear kernel, in cross-validation on
 * training rows; the first of them where several have it.
 */
export async function tunedMachines(
  data: Labelled,
  kernel: SetKernel,
  part: string,
  run: ExperimentRun,
): Promise<MachineSettings> {
  const rows = fewRows(data, run.seed);
  let best: { readonly settings: MachineSettings; readonly accuracy: number } | undefined;
  const grid = gridOf(kernel, data.features.columns.length);
  for (const [k, settings] of grid.entries()) {
    run.progress({ stage: `${part}: settings`, done: k, total: grid.length });
    const accuracy = await crossValidated(rows, settings, { ...run, progress: () => {} });
    if (!best || accuracy > best.accuracy) best = { settings, accuracy };
  }
  if (!best) throw new Error("There are no settings to choose from.");
  return best.settings;
}

async function crossValidated(
  rows: Labelled,
  settings: MachineSettings,
  run: ExperimentRun,
): Promise<number> {
  const accuracies: number[] = [];
  for (const { train, test } of kFold(rows.labels, FOLDS, run.seed).folds) {
    const division = { training: selectRows(rows, train), test: selectRows(rows, test) };
    const { model, accuracyOf } = await fitDivision(tunedLearner(settings), division, "", run);
    accuracies.push(accuracyOf(model));
  }
  return mean(accuracies);
}

function gridOf(kernel: SetKernel, features: number): MachineSettings[] {
  return COSTS[kernel].flatMap((C): MachineSettings[] =>
    kernel === "linear"
      ? [{ kernel, C }]
      : WIDTHS[kernel].map((width) => ({ kernel, C, gamma: width / features })),
  );
}

function tunedLearner({ kernel, C, gamma }: MachineSettings): Learner {
  return kernel === "linear"
    ? linearSvm(linearOptions(C))
    : svm({ kernel, C, ...(gamma !== undefined && { gamma }) });
}

/** All rows, or as many at random as settings are chosen on, of each class the same share. */
function fewRows(data: Labelled, seed: number): Labelled {
  const { length } = data.labels;
  if (length <= MOST_ROWS) return data;
  return selectRows(data, holdout(data.labels, MOST_ROWS / length, seed).test);
}
