import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { checkAmounts, type Kernel, takesAmounts } from "../kernel/kernel.js";
import type { Learner } from "../learner.js";
import { checkTwoClasses, signsOf } from "../scores.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import type { CascadeFamily } from "./cascade-family.js";
import type { CascadeLearnerName, CascadeModel } from "./cascade-model.js";
import { type CascadeChoice, cascadesOn, checkCascadeRows, fitCascade } from "./fit-cascade.js";

/** The distinct values, in ascending order. */
export function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** The search over all cascades of a grid takes seconds with so many rows; its cost grows with their square or faster. */
export const COMFORTABLE_ROWS = 1000;

/** A learner of cascades that can also give the cascade of every gamma. */
export interface CascadeLearner extends Learner<CascadeModel, Matrix> {
  /** The best cascade on all rows of the sample for each of the gammas, which share their work; nothing is validated. */
  fitEach(sample: Sample<Matrix>, run?: Partial<Run>): Promise<CascadeModel[]>;
}

/** The options that all cascades have, and the kernel of those with one kind of kernel. */
type CommonOptions = Readonly<Record<string, unknown>> &
  Omit<CascadeChoice, "learner"> & { readonly standardise: boolean; readonly kernel?: Kernel["kind"] };

/** A learner that chooses among the cascades of a family, which is made for the sample. */
export function cascadeLearner(
  name: CascadeLearnerName,
  options: CommonOptions,
  familyOf: (features: Matrix, labels: Int8Array, run: Run) => Promise<CascadeFamily>,
): CascadeLearner {
  const { complexity, validation, folds, standardise, kernel = "polynomial" } = options;
  const choice = { learner: name, gammas: ascending(options.gammas), complexity, validation, folds };
  const withFamily = async <Result>(
    given: Sample<Matrix>,
    partialRun: Partial<Run> | undefined,
    use: (family: CascadeFamily, sample: Sample, run: Run) => Promise<Result>,
  ): Promise<Result> => {
    const run = completeRun(partialRun);
    checkFinite(given.features, given.featureNames);
    checkAmounts(kernel, given.features, given.featureNames);
    const { sample } = trainingSample(name, given);
    checkTwoClasses(name, sample.classes);
    const labels = signsOf(sample.labels);
    checkCascadeRows(name, sample.rows);
    const family = await familyOf(sample.features, labels, run);
    try {
      return await use(family, sample, run);
    } finally {
      family.release();
    }
  };
  return {
    name,
    options,
    encoding: { kind: "numeric", standardise: standardise && !takesAmounts(kernel) },
    fit: (given, run) =>
      withFamily(given, run, (family, sample, full) => fitCascade(family, sample, choice, full)),
    fitEach: (given, run) =>
      withFamily(given, run, (family, sample, full) => {
        const all = Int32Array.from(sample.labels, (_, row) => row);
        return cascadesOn(family, sample, all, choice, full);
      }),
  };
}

/** Fails on a range of depths without any. */
export function checkDepths(learner: string, minDepth: number, maxDepth: number): void {
  if (minDepth <= maxDepth) return;
  throw new VouchError(
    "option/invalid",
    `Option minDepth of ${learner} is ${minDepth}, above maxDepth ${maxDepth}.`,
    { hint: "A cascade has at least minDepth and at most maxDepth levels." },
  );
}
