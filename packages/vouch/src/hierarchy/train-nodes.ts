import type { Run } from "../learning/run.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import { type MachineRows, type Material, trainMachine } from "./machine.js";

/** The trained machine of a node. */
export interface NodeMachine {
  /** The rows that it consists of, and yα of each. */
  readonly support: Int32Array;
  readonly coefficients: Float64Array;
  /** w, where φ(x) = x. */
  readonly weights?: Float64Array;
  readonly bias: number;
  /** ‖w‖² */
  readonly squaredNorm: number;
  /** How many rows it was trained on. */
  readonly rows: number;
  /** How many of them it has on the wrong side. */
  readonly errors: number;
  /** The smallest y·f(x) of a row. */
  readonly smallestValue: number;
  readonly gap: number;
  readonly iterations: number;
}

interface TrainInput extends MachineRows {
  readonly material: Material;
}

/** Trains the machine of one node. */
export const trainTask = defineTask(
  "hierarchy/train-node",
  async ({ material, ...problem }: TrainInput, context: TaskContext): Promise<NodeMachine> => {
    const { rows, labels } = problem;
    const machine = await trainMachine(material, problem, () => context.checkpoint());
    const { values, coefficients, weights, bias, squaredNorm, gap, iterations } = machine;
    let errors = 0;
    let smallestValue = Number.POSITIVE_INFINITY;
    for (let i = 0; i < rows.length; i++) {
      // f(x) = 0 is decided for the right.
      if (values[i] >= 0 !== labels[i] > 0) errors++;
      smallestValue = Math.min(smallestValue, labels[i] * values[i]);
    }
    return {
      support: rows.filter((_, i) => coefficients[i] !== 0),
      coefficients: coefficients.filter((coefficient) => coefficient !== 0),
      ...(weights && { weights }),
      bias,
      squaredNorm,
      rows: rows.length,
      errors,
      smallestValue,
      gap,
      iterations,
    };
  },
);

/** Squared rows per millisecond, very roughly; only for estimates of time. */
const SPEED = 50_000;

/** Trains the machines of nodes on all threads. */
export function trainNodes(
  material: Material,
  problems: readonly MachineRows[],
  executor: Executor,
  { signal }: Pick<Run, "signal">,
): Promise<NodeMachine[]> {
  // The owner of the kernel values solves on them, another thread on a copy: a single node is left to the owner.
  const chosen = problems.length > 1 ? executor : inlineExecutor();
  const shared = withCacheShare(material, Math.min(chosen.threads, problems.length));
  return chosen.map(
    trainTask,
    problems.map((problem): TrainInput => ({ ...problem, material: shared })),
    {
      ...(signal && { signal }),
      milliseconds: problems.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED,
    },
  );
}

/** Threads that compute kernel values on demand share the memory for them. */
function withCacheShare(material: Material, threads: number): Material {
  if (material.kind === "linear" || !("cacheBytes" in material.values)) return material;
  const { values } = material;
  return { ...material, values: { ...values, cacheBytes: values.cacheBytes / threads } };
}
