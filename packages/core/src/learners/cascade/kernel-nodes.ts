import { ScratchPool, type ScratchPoolDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import type { KernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { attachKernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import { type ClassLabels, machineCount, trainClassMachines } from "./class-machines.js";
import { type GateEdge, nearGates } from "./near-gates.js";
import { ALL_SOLVED, correctOf, type MachineSettings, openRun, Workplace } from "./node-machine.js";
import { defineNodesTask, ParallelNodes } from "./node-training.js";
import type { NodeRequest } from "./sub-problems.js";

/** Nodes that are kernel classifiers are trained from this; structured-cloneable. */
export interface KernelNodeMaterial extends ClassLabels {
  /** One per choice, for all rows of a sample, of which nodes take some. */
  readonly kernels: readonly KernelRowsDescriptor[];
  readonly machine: MachineSettings;
  readonly fractions: readonly number[];
  readonly edge: GateEdge;
}

/** Trains nodes whose gates take the distance from the decision boundary of their classifier. */
const kernelNodesTask = defineNodesTask("cascade/train-nodes", (material: KernelNodeMaterial) => {
  const kernels = material.kernels.map(attachKernelRows);
  const { machine, fractions, edge } = material;
  const tolerance = machine.kind === "svm" ? machine.tolerance : 0;
  return async ({ rows, choice, gated }, workplace) => {
    const trained = await trainClassMachines(kernels[choice], rows, material, choice, machine, workplace);
    const { margins, norm, openGap } = trained;
    const correct = correctOf(margins);
    const gates = gated ? nearGates(margins, rows, { fractions, edge, tolerance }) : [];
    const open = openRun(openGap);
    return { correct, wrong: rows.length - correct, norm, gates, open, openOfGates: ALL_SOLVED };
  };
});

/** Makes a trainer of nodes with at most this many rows, on all threads of a run. Its caller releases it. */
export function kernelNodes(
  material: KernelNodeMaterial,
  memory: KernelMemory,
  mostRows: number,
  run: Run,
): ParallelNodes<KernelNodeMaterial> {
  const training = {
    task: kernelNodesTask,
    material,
    machine: material.machine.kind,
    mostRows,
    memory,
    work: ({ rows }: NodeRequest) => machineCount(material.classes) * rows.length ** 2,
  };
  return new ParallelNodes(training, run);
}

interface MachineInput extends Pick<NodeRequest, "rows" | "choice">, ClassLabels {
  readonly kernel: KernelRowsDescriptor;
  readonly machine: MachineSettings;
  readonly scratch: ScratchPoolDescriptor;
}

/** Trains the classifier of one node. */
export const machineTask = defineTask("cascade/train-machine", (input: MachineInput, context: TaskContext) =>
  ScratchPool.attach(input.scratch).with((arena) => {
    const { kernel, rows, choice, machine } = input;
    const workplace = new Workplace(arena, context);
    return trainClassMachines(attachKernelRows(kernel), rows, input, choice, machine, workplace);
  }),
);
