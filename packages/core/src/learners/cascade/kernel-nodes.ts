import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { attachKernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import { type ClassLabels, machineCount, trainClassMachines } from "./class-machines.js";
import { type GateEdge, nearGates } from "./near-gates.js";
import {
  ALL_CONVERGED,
  correctOf,
  type MachineSettings,
  TrainingContext,
  unconvergedRun,
} from "./node-machine.js";
import { defineNodesTask, ParallelNodes } from "./node-training.js";
import type { NodeRequest } from "./sub-problems.js";

/** Nodes that are kernel classifiers are trained from this; structured-cloneable. */
export interface KernelNodeData extends ClassLabels {
  /** One per choice, for all rows of a sample, of which nodes take some. */
  readonly kernels: readonly KernelRowsDescriptor[];
  readonly machine: MachineSettings;
  readonly fractions: readonly number[];
  readonly edge: GateEdge;
}

/** Trains nodes whose gates take the distance from the decision boundary of their classifier. */
const kernelNodesTask = defineNodesTask("cascade/train-nodes", (data: KernelNodeData) => {
  const kernels = data.kernels.map(attachKernelRows);
  const { machine, fractions, edge } = data;
  const tolerance = machine.kind === "svm" ? machine.tolerance : 0;
  return async ({ rows, choice, gated }, training) => {
    const trained = await trainClassMachines(kernels[choice], rows, data, choice, machine, training);
    const { margins, norm, openGap } = trained;
    const correct = correctOf(margins);
    const gates = gated ? nearGates(margins, rows, { fractions, edge, tolerance }) : [];
    const unconverged = unconvergedRun(openGap);
    return {
      correct,
      wrong: rows.length - correct,
      norm,
      gates,
      unconverged,
      unconvergedGates: ALL_CONVERGED,
    };
  };
});

/** Makes a trainer of nodes with at most this many rows, on all threads of a run. Its caller releases it. */
export function kernelNodes(
  data: KernelNodeData,
  memory: WasmMemory,
  mostRows: number,
  run: Run,
): ParallelNodes<KernelNodeData> {
  const training = {
    task: kernelNodesTask,
    data,
    machine: data.machine.kind,
    mostRows,
    memory,
    work: ({ rows }: NodeRequest) => machineCount(data.classes) * rows.length ** 2,
  };
  return new ParallelNodes(training, run);
}

interface MachineInput extends Pick<NodeRequest, "rows" | "choice">, ClassLabels {
  readonly kernel: KernelRowsDescriptor;
  readonly machine: MachineSettings;
  readonly scratch: ArenaPoolFields;
}

/** Trains the classifier of one node. */
export const machineTask = defineTask("cascade/train-machine", (input: MachineInput, context: TaskContext) =>
  new ArenaPool(input.scratch).with((arena) => {
    const { kernel, rows, choice, machine } = input;
    const training = new TrainingContext(arena, context);
    return trainClassMachines(attachKernelRows(kernel), rows, input, choice, machine, training);
  }),
);
