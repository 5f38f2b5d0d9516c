import { type FeaturePieces, inSharedPieces, ofPieces } from "../data/feature-pieces.js";
import { type Features, Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Learner, LearnerLookup } from "../learning/learner.js";
import type { Model } from "../learning/model.js";
import { checkpoint, completeRun, type Run } from "../learning/run.js";
import type { Task, TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import type { State } from "../state/state.js";
import type { BaseLearner } from "./base-learner.js";
import { type Problem, sampleOf } from "./problem.js";

/** A trained machine and what the user should know of it. */
export interface FittedMachine {
  readonly model: Model;
  readonly notices: readonly string[];
}

/** One machine to be trained on another thread. */
interface MachineInput {
  /** The base by what it can be made from again. */
  readonly base: string;
  readonly options: Learner["options"];
  readonly features: FeaturePieces;
  readonly featureNames: readonly string[];
  readonly weights?: Float64Array;
  readonly problem: Problem;
}

/** What comes back of it. */
interface MachineOutput {
  readonly state: State;
  readonly notices: readonly string[];
}

/** The task that trains one machine on another thread. */
export type MachineTask = Task<MachineInput, MachineOutput>;

/** Makes the task; threads find the base by the lookup. */
export function defineMachineTask(lookup: LearnerLookup): MachineTask {
  return defineTask("multiclass/fit-machine", async (input: MachineInput, context: TaskContext) => {
    const { base, options, features, featureNames, weights, problem } = input;
    await context.checkpoint();
    const whole = ofPieces(features);
    const sample = new Sample<Features>({
      features: whole,
      // Rows of other problems have no side in this one.
      labels: new Int32Array(whole.rows).fill(-1),
      classes: problem.classes,
      featureNames,
      ...(weights && { weights }),
    });
    const progress: Run["progress"] = ({ stage }) => context.progress(0, stage);
    const model = await fitOne(lookup(base).create(options), sample, problem, completeRun({ progress }));
    return { state: model.toState(), notices: model.notices ?? [] };
  });
}

/**
 * Trains a machine for each problem. With at least as many problems as threads each is a task; otherwise, and where the
 * base is the caller's own, they come one after the other, and the base uses the threads itself. The machines are the same.
 */
export async function fitMachines(
  sample: Sample<Features>,
  problems: readonly Problem[],
  { definition, learner }: BaseLearner,
  task: MachineTask,
  stage: string,
  run: Run,
): Promise<FittedMachine[]> {
  const { executor, signal } = run;
  const total = problems.length;
  if (!definition || executor.threads === 1 || total < executor.threads) {
    const machines: FittedMachine[] = [];
    for (const problem of problems) {
      await checkpoint(run);
      const progress: Run["progress"] = (part) =>
        run.progress({ stage, done: machines.length, total, note: part.stage });
      const model = await fitOne(learner, sample, problem, { ...run, progress });
      machines.push({ model, notices: model.notices ?? [] });
      run.progress({ stage, done: machines.length, total });
    }
    return machines;
  }
  const { featureNames, weights } = sample;
  const common = {
    base: learner.name,
    options: learner.options,
    features: inSharedPieces(sample.features),
    featureNames,
    ...(weights && { weights }),
  };
  const outputs = await executor.map(
    task,
    problems.map((problem) => ({ ...common, problem })),
    {
      ...(signal && { signal }),
      onProgress: (done, _, note) =>
        run.progress({ stage, done, total, ...(note !== undefined && { note }) }),
    },
  );
  return outputs.map(({ state, notices }) => ({ model: definition.restore(state), notices }));
}

/** Trains one machine; an error says which. */
async function fitOne(
  learner: Learner,
  sample: Sample<Features>,
  problem: Problem,
  run: Run,
): Promise<Model> {
  try {
    return await learner.fit(sampleOf(sample, problem), { ...run, seed: problem.seed });
  } catch (error) {
    if (!(error instanceof VouchError) || error.code === "run/interrupted") throw error;
    throw new VouchError(
      error.code,
      `The machine for ${problem.name}, of ${problem.rows.length} rows, cannot be trained: ${error.message}`,
      { ...(error.hint !== undefined && { hint: error.hint }), cause: error },
    );
  }
}
