import type { ArenaDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import { correctOf, type GateKind, gatesOf } from "./leaf-classifier.js";
import { type MachineSettings, trainCascadeMachine, Workplace } from "./node-machine.js";
import { ALL_SOLVED, defineNodesTask, type NodeRequest, ParallelNodes, withRun } from "./node-training.js";

/** What nodes that are classifiers of kernel space are trained from. */
export interface KernelNodeMaterial {
  /** One per choice, for all rows of a sample, of which nodes take some. */
  readonly kernels: readonly KernelRowsDescriptor[];
  /** The signs of all rows. */
  readonly labels: Int8Array;
  readonly machine: MachineSettings;
  readonly fractions: readonly number[];
  readonly gate: GateKind;
}

/** Trains nodes whose gates ask for the distance from the surface of their classifier. */
export const kernelNodesTask = defineNodesTask("cascade/train-nodes", (material: KernelNodeMaterial) => {
  const kernels = material.kernels.map(attachKernelRows);
  const { labels, machine, fractions, gate } = material;
  return async ({ rows, choice, gated }, workplace) => {
    const trained = await trainCascadeMachine(kernels[choice], rows, labels, choice, machine, workplace);
    const { values, norm, openGap } = trained;
    const correct = correctOf(values, rows, labels);
    const gates = gated ? gatesOf(values, rows, labels, fractions, gate) : [];
    const node = { correct, wrong: rows.length - correct, norm, gates };
    return { node, open: withRun(ALL_SOLVED, openGap) };
  };
});

/** Trains nodes of at most so many rows on kernels that all threads read. Its caller releases it. */
export function kernelNodes(
  kernels: readonly KernelRows[],
  settings: Omit<KernelNodeMaterial, "kernels">,
  mostRows: number,
  run: Run,
): ParallelNodes<KernelNodeMaterial> {
  const [{ memory }] = kernels;
  const material: KernelNodeMaterial = { ...settings, kernels: kernels.map((kernel) => kernel.descriptor()) };
  const training = {
    task: kernelNodesTask,
    material,
    machine: settings.machine.kind,
    mostRows,
    memory,
    work: ({ rows }: NodeRequest) => rows.length ** 2,
  };
  return new ParallelNodes(training, run);
}

interface MachineInput extends Pick<NodeRequest, "rows" | "choice"> {
  readonly kernel: KernelRowsDescriptor;
  readonly labels: Int8Array;
  readonly machine: MachineSettings;
  readonly arena: ArenaDescriptor;
}

/** Trains the classifier of one node. */
export const cascadeMachineTask = defineTask(
  "cascade/train-machine",
  ({ kernel, rows, labels, choice, machine, arena }: MachineInput, context: TaskContext) =>
    trainCascadeMachine(
      attachKernelRows(kernel),
      rows,
      labels,
      choice,
      machine,
      new Workplace(arena, context),
    ),
);
