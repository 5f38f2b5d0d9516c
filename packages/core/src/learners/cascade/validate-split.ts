import { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { definePortableTask } from "../../runtime/parallel/task.js";
import { taskRun } from "../../runtime/parallel/task-run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Split } from "../../table/splits.js";
import { learnerNamed } from "../registry.js";
import type { SplitResult } from "./fit-cascade.js";

/** Finds the best cascade of each γ of a learner on the training rows of a split, and tests it on the others. */
export type SplitValidator = (
  options: unknown,
  sample: Sample,
  split: Split,
  run: Run,
) => Promise<SplitResult>;

const validators = new Map<string, SplitValidator>();

/** Makes the validation of a learner known by its name. */
export function registerValidator(learner: string, validator: SplitValidator): void {
  validators.set(learner, validator);
}

/** The searches on one split, as values. */
interface ValidateInput extends Split {
  readonly learner: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly features: Pick<Matrix, "rows" | "columns" | "values">;
  readonly featureNames: readonly string[];
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  readonly weights?: Float64Array;
  readonly seed: number;
}

/**
 * Makes a function that validates the cascades of a learner on the machines of a cluster. Each split is a task; with fewer
 * splits than machines, each task searches for some of the γ only, ascending.
 */
export function validatorOnMachines(
  learner: string,
  options: Readonly<Record<string, unknown>>,
  gammas: readonly number[],
  { features, featureNames, labels, classes, weights }: Sample,
  run: Run,
): (splits: readonly Split[]) => Promise<SplitResult[]> {
  const { rows, columns, values } = features;
  const common = {
    learner,
    features: { rows, columns, values },
    featureNames,
    labels,
    classes,
    ...(weights && { weights }),
    seed: run.seed,
  };
  return async (splits) => {
    const machines = run.executor.cluster?.count ?? 1;
    const groups = inGroups(gammas, Math.ceil(machines / splits.length));
    const inputs = splits.flatMap(({ train, test }) =>
      groups.map(
        (some): ValidateInput => ({ ...common, options: { ...options, gammas: some }, train, test }),
      ),
    );
    const results = await run.executor.map(validateTask, inputs, {
      signal: run.signal,
      wholeMachines: true,
      rows: splits.length * rows,
      onProgress: (done, total, note) => run.progress({ stage: "folds", done, total, note }),
    });
    return splits.map((_, s) => results.slice(s * groups.length, (s + 1) * groups.length).flat());
  };
}

/** Divides a list into at most so many parts of nearly the same length, one after the other. */
function inGroups(values: readonly number[], most: number): number[][] {
  const groups = Math.max(1, Math.min(values.length, most));
  const start = (group: number) => Math.floor((group * values.length) / groups);
  return Array.from({ length: groups }, (_, group) => values.slice(start(group), start(group + 1)));
}

const validateTask = definePortableTask(
  "cascade/validate",
  async (input: ValidateInput, context: TaskContext): Promise<SplitResult> => {
    const { learner, options, featureNames, labels, classes, weights, seed } = input;
    await learnerNamed(learner);
    const validator = validators.get(learner);
    if (!validator) {
      throw new VouchError("learner/unsupported", `${learner} does not learn deep cascades.`);
    }
    const { rows, columns, values } = input.features;
    const sample = new Sample({
      features: new Matrix(rows, columns, values),
      labels,
      classes,
      featureNames,
      ...(weights && { weights }),
    });
    return validator(options, sample, input, taskRun(context, { seed }));
  },
);
