import {
  type Features,
  featuresFrom,
  type PlainFeatures,
  Sample,
  sharedFeatures,
} from "../../encode/sample.js";
import type { State } from "../../runtime/codec/state.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { definePortableTask } from "../../runtime/parallel/task.js";
import { taskRun } from "../../runtime/parallel/task-run.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Learner } from "../learner.js";
import type { Model } from "../model.js";
import {
  createLearner,
  isLibraryLearner,
  isPortableLearner,
  loadedLearner,
  withLearners,
} from "../registry.js";
import { type Problem, problemSample } from "./problems.js";

/** A trained machine and the notices of its fit. */
interface FittedMachine {
  readonly model: Model;
  readonly notices: readonly string[];
}

/** One machine to train on another thread. */
interface MachineInput {
  /** The name of the base, which the thread makes again. */
  readonly base: string;
  readonly options: Learner["options"];
  readonly features: PlainFeatures;
  readonly featureNames: readonly string[];
  readonly weights?: Float64Array;
  readonly problem: Problem;
}

interface MachineOutput {
  readonly state: State;
  readonly notices: readonly string[];
}

const fitMachineTask = definePortableTask(
  "multiclass/fit-machine",
  async (input: MachineInput, context: TaskContext): Promise<MachineOutput> => {
    const { base, options, features, featureNames, weights, problem } = input;
    await context.checkpoint();
    const whole = featuresFrom(features);
    const sample = new Sample<Features>({
      features: whole,
      // Rows of other problems have no side in this one.
      labels: new Int32Array(whole.rows).fill(-1),
      classes: problem.classes,
      featureNames,
      ...(weights && { weights }),
    });
    const progress: Run["progress"] = ({ stage }) => context.progress(0, stage);
    const learner = await createLearner(base, options);
    const model = await fitMachine(learner, sample, problem, taskRun(context, { progress }));
    return { state: model.toState(), notices: model.notices ?? [] };
  },
);

/**
 * Trains a machine for each problem. With at least as many problems as threads, each is a task. Otherwise, and if other
 * threads cannot make the base, machines are trained one after the other and the base uses the threads itself. A cluster gets each
 * as a task. The machines are the same either way.
 */
export async function fitMachines(
  sample: Sample<Features>,
  problems: readonly Problem[],
  learner: Learner,
  stage: string,
  run: Run,
): Promise<FittedMachine[]> {
  const { executor, signal } = run;
  const total = problems.length;
  const { cluster } = executor;
  const isDivided = cluster
    ? total > 1 && isLibraryLearner(learner)
    : executor.threads > 1 && total >= executor.threads && isPortableLearner(learner);
  if (!isDivided) {
    const machines: FittedMachine[] = [];
    for (const problem of problems) {
      await checkpoint(run);
      const progress: Run["progress"] = (part) =>
        run.progress({ stage, done: machines.length, total, note: part.stage });
      const model = await fitMachine(learner, sample, problem, { ...run, progress });
      machines.push({ model, notices: model.notices ?? [] });
      run.progress({ stage, done: machines.length, total });
    }
    return machines;
  }
  const { featureNames, weights } = sample;
  const common = {
    base: learner.name,
    options: learner.options,
    features: sharedFeatures(sample.features),
    featureNames,
    ...(weights && { weights: onSharedMemory(weights) }),
  };
  // The largest first, so that no thread is left with one at the end.
  const order = problems.map((_, i) => i).sort((a, b) => problems[b].rows.length - problems[a].rows.length);
  const outputs = await executor.map(
    fitMachineTask,
    order.map((i) => ({ ...common, problem: problems[i] })),
    {
      ...(signal && { signal }),
      ...(cluster && { wholeMachines: total < cluster.threads }),
      rows: problems.reduce((sum, problem) => sum + problem.rows.length, 0),
      onProgress: (done, _, note) =>
        run.progress({ stage, done, total, ...(note !== undefined && { note }) }),
    },
  );
  return withLearners(() => {
    const { restore } = loadedLearner(learner.name);
    const machines: FittedMachine[] = [];
    for (const [k, { state, notices }] of outputs.entries()) {
      machines[order[k]] = { model: restore(state), notices };
    }
    return machines;
  });
}

/** Trains one machine; an error says which. */
async function fitMachine(
  learner: Learner,
  sample: Sample<Features>,
  problem: Problem,
  run: Run,
): Promise<Model> {
  try {
    return await learner.fit(problemSample(sample, problem), { ...run, seed: problem.seed });
  } catch (error) {
    if (!(error instanceof VouchError) || error.code === "run/interrupted") throw error;
    throw new VouchError(
      error.code,
      `The machine for ${problem.name}, of ${problem.rows.length} rows, cannot be trained: ${error.message}`,
      { ...(error.hint !== undefined && { hint: error.hint }), cause: error },
    );
  }
}

/** Joins the notices of machines: texts that differ only in their numbers become one. */
export function joinedNotices(
  machines: readonly { readonly name: string; readonly notices: readonly string[] }[],
): string[] {
  const said = new Map<string, { first: string; name: string; count: number }>();
  for (const { name, notices } of machines) {
    for (const notice of notices) {
      const kind = notice.replaceAll(/[\d.,]*\d(e[-+]?\d+)?/g, "#");
      const known = said.get(kind);
      if (known) known.count++;
      else said.set(kind, { first: notice, name, count: 1 });
    }
  }
  return Array.from(said.values(), ({ first, name, count }) =>
    count === 1
      ? `The machine for ${name}: ${first}`
      : `${formatNumber(count)} of ${formatCount(machines.length, "machine")}, such as that for ${name}: ${first}`,
  );
}
