import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import { type CompressionFacts, compressionFacts } from "../compression-facts.js";
import {
  type LinearLoss,
  type LinearSolution,
  linearSolverBytes,
  solveLinearSvm,
} from "./dual-coordinate-descent.js";
import type { LinearRows, LinearRowsFields } from "./linear-rows.js";

/** Very rough multiplications per millisecond, and passes, to estimate time. */
const SPEED = 200_000;
const USUAL_PASSES = 20;

interface ClassTraining {
  readonly loss: LinearLoss;
  readonly bias: number;
  readonly tolerance: number;
  readonly maxPasses: number;
}

/** The machine that separates a class from the others. */
export interface TrainedMachine
  extends Pick<
    LinearSolution,
    "weights" | "bias" | "squaredNorm" | "violation" | "objective" | "dualObjective" | "passes"
  > {
  readonly supportVectors: number;
  readonly facts: CompressionFacts;
}

/** Trains a machine for each of the positive classes, on all threads of the run; all of them read the same rows. */
export async function trainClasses(
  rows: LinearRows,
  labels: Int32Array,
  costs: Float64Array,
  positives: readonly number[],
  training: ClassTraining,
  run: Run,
): Promise<TrainedMachine[]> {
  const executor = rows.memory.shared ? run.executor : inlineExecutor();
  const bytes = linearSolverBytes(rows, rows.rows);
  using scratch = ArenaPool.allocate(Math.min(executor.threads, positives.length), bytes, rows.memory);
  const seeds = new Random(run.seed);
  const common = { rows, scratch, labels: onSharedMemory(labels), costs: onSharedMemory(costs), training };
  const inputs = positives.map((positive) => ({ ...common, positive, seed: seeds.fork(positive).bits() }));
  return await executor.map(classTask, inputs, {
    signal: run.signal,
    milliseconds: (rows.entries * USUAL_PASSES * positives.length) / SPEED,
    onProgress: (done, total, note) => run.progress({ stage: "linear machines", done, total, note }),
  });
}

/** A machine to train: structured-cloneable. */
interface ClassInput {
  readonly rows: LinearRowsFields;
  readonly scratch: ArenaPoolFields;
  /** Class of each row, on shared memory, as are the costs. */
  readonly labels: Int32Array;
  readonly costs: Float64Array;
  /** The class to separate from the others. */
  readonly positive: number;
  readonly training: ClassTraining;
  readonly seed: number;
}

/** Trains the machine of one class. */
const classTask = defineTask(
  "linear-svm/train-class",
  async (input: ClassInput, context: TaskContext): Promise<TrainedMachine> => {
    const { positive, costs, training, seed } = input;
    const { loss, bias, tolerance, maxPasses } = training;
    const size = input.labels.length;
    const labels = new Int8Array(size);
    const taken = new Int32Array(size);
    for (let i = 0; i < size; i++) {
      labels[i] = input.labels[i] === positive ? 1 : -1;
      taken[i] = i;
    }
    const problem = {
      rows: input.rows,
      taken,
      labels,
      upperBounds: costs,
      loss,
      bias,
    };
    const checkpoint = (passes: number) => {
      context.progress(passes / maxPasses);
      return context.checkpoint();
    };
    const solution = await new ArenaPool(input.scratch).with((arena) =>
      solveLinearSvm(problem, { tolerance, maxPasses, seed }, { arena, checkpoint }),
    );
    const { coefficients, decisionValues, converged: _, ...kept } = solution;
    const supportVectors = coefficients.reduce((count, value) => count + Number(value !== 0), 0);
    return { ...kept, supportVectors, facts: compressionFacts(labels, decisionValues, coefficients) };
  },
);
