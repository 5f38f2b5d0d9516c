import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { kernelRowsFrom, withCacheShare } from "../kernel/kernel-rows.js";
import { type NodeRows, type SolverSetup, solveNode } from "./solve-node.js";

/** The trained machine of a node. */
export interface NodeMachine {
  /** Its support vectors, by row, and yα of each. */
  readonly support: Int32Array;
  readonly coefficients: Float64Array;
  /** The rows of its compression set: the support vectors, and the rows that set the bias if none of them is free. */
  readonly kept: Int32Array;
  /** w, where φ(x) = x. */
  readonly weights?: Float64Array;
  readonly bias: number;
  /** ‖w‖² */
  readonly squaredNorm: number;
  /** Number of rows it was trained on. */
  readonly rows: number;
  /** Number of them on the wrong side. */
  readonly errors: number;
  /** The smallest y·f(x) of a row. */
  readonly smallestValue: number;
  readonly gap: number;
}

interface TrainInput extends NodeRows {
  readonly setup: SolverSetup;
}

/** Trains the machine of one node. */
const trainTask = defineTask(
  "relaxed-hierarchy/train-node",
  async ({ setup, ...problem }: TrainInput, context: TaskContext): Promise<NodeMachine> => {
    const { rows, labels } = problem;
    const machine = await solveNode(setup, problem, () => context.checkpoint());
    const { values, coefficients, isKept, weights, bias, squaredNorm, gap } = machine;
    let errors = 0;
    let smallestValue = Number.POSITIVE_INFINITY;
    for (let i = 0; i < rows.length; i++) {
      // f(x) = 0 goes right.
      if (values[i] >= 0 !== labels[i] > 0) errors++;
      smallestValue = Math.min(smallestValue, labels[i] * values[i]);
    }
    return {
      support: rows.filter((_, i) => coefficients[i] !== 0),
      coefficients: coefficients.filter((coefficient) => coefficient !== 0),
      kept: rows.filter((_, i) => isKept[i] !== 0),
      ...(weights && { weights }),
      bias,
      squaredNorm,
      rows: rows.length,
      errors,
      smallestValue,
      gap,
    };
  },
);

/** Squared rows per millisecond, very roughly; only for estimates of time. */
const SPEED = 50_000;

/** Shorter training, in milliseconds, is not worth a message to a thread. */
const LEAST_WORK = 2;

/** Estimates whether training these nodes takes long enough for other threads. */
export function isWorthThreads(problems: readonly NodeRows[]): boolean {
  return problems.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED >= LEAST_WORK;
}

/** Trains the machines of nodes on all threads of an executor, the largest first. */
export async function trainNodes(
  setup: SolverSetup,
  problems: readonly NodeRows[],
  executor: Executor,
  { signal }: Pick<Run, "signal">,
): Promise<NodeMachine[]> {
  const shared = withShare(setup, executor.threads);
  const order = problems.map((_, i) => i).sort((a, b) => problems[b].rows.length - problems[a].rows.length);
  const trained = await executor.map(
    trainTask,
    order.map((i): TrainInput => ({ ...problems[i], setup: shared })),
    { signal },
  );
  const machines: NodeMachine[] = [];
  for (const [k, i] of order.entries()) machines[i] = trained[k];
  return machines;
}

/** Divides the memory for kernel values among threads that compute them on demand. */
function withShare(setup: SolverSetup, threads: number): SolverSetup {
  return setup.kind === "linear"
    ? setup
    : { ...setup, values: withCacheShare(kernelRowsFrom(setup.values), threads) };
}
