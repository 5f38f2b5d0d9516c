import { ScratchPool, type ScratchPoolDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import { kernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import type { LeafClassifier } from "./cascade-level.js";
import { type ClassLabels, type ClassMachines, machineCount, trainClassMachines } from "./class-machines.js";
import { ALL_SOLVED, correctOf, type MachineSettings, openRun, sumOpen, Workplace } from "./node-machine.js";
import { defineNodesTask, ParallelNodes } from "./node-training.js";
import { type NodeRequest, type TrainedGate, without } from "./sub-problems.js";
import {
  bestConstant,
  bestGates,
  bestThreshold,
  CascadeRows,
  columnsUpTo,
  type FoundGate,
  type MonomialTable,
} from "./thresholds.js";

/** A family of hypotheses that a leaf's classifier may come from. */
export type LeafFamily =
  | { readonly kind: "constant" }
  /** Thresholds on monomials up to a degree, the constants among them. */
  | { readonly kind: "threshold"; readonly degree: number }
  /** Machines with one of the kernels, by index. */
  | { readonly kind: "kernel"; readonly kernel: number }
  /** Models of another learner, which `LearnerNodes` fits. */
  | { readonly kind: "learner" };

interface LeafMaterial extends ClassLabels {
  readonly table: MonomialTable;
  readonly kernels: readonly KernelRows[];
  /** Present if there are kernels. */
  readonly machine?: MachineSettings;
}

/** A classifier from a family, fitted to the rows of a leaf. */
export interface FittedLeaf {
  /** Number of rows that it gets right. */
  readonly correct: number;
  /** ‖w‖ of kernel classifiers, 0 for others. */
  readonly norm: number;
  /** The largest violation of the KKT conditions that is left, if the solver did not converge. */
  readonly openGap?: number;
  /** The classifier; machines are those on the rows. */
  readonly fitted:
    | Extract<LeafClassifier, { kind: "constant" | "threshold" }>
    | { readonly kind: "machines"; readonly machines: ClassMachines };
}

/** Fits the best classifier of a family to some rows: with the least error, or for kernels the least hinge loss. */
async function fitLeaf(
  leaf: LeafFamily,
  rows: Int32Array,
  material: LeafMaterial,
  workplace: Workplace,
): Promise<FittedLeaf> {
  if (leaf.kind === "kernel") return fitMachines(leaf.kernel, rows, material, workplace);
  if (leaf.kind === "learner") throw new Error("A learner is not fitted on this thread.");
  const points = new CascadeRows(rows, material);
  const { classifier, errors } =
    leaf.kind === "constant"
      ? bestConstant(points)
      : bestThreshold(points, columnsUpTo(material.table, leaf.degree));
  return { correct: rows.length - errors, norm: 0, fitted: classifier };
}

async function fitMachines(
  kernel: number,
  rows: Int32Array,
  material: LeafMaterial,
  workplace: Workplace,
): Promise<FittedLeaf> {
  const { kernels, machine: settings } = material;
  if (!settings) throw new Error("Kernels were not prepared.");
  const machines = await trainClassMachines(kernels[kernel], rows, material, kernel, settings, workplace);
  const { norm, openGap, margins } = machines;
  return {
    correct: correctOf(margins),
    norm,
    ...(openGap !== undefined && { openGap }),
    fitted: { kind: "machines", machines },
  };
}

/** Nodes with leaves and gates from chosen families are trained from this; structured-cloneable. */
export interface GenericNodeMaterial extends Omit<LeafMaterial, "kernels"> {
  readonly kernels: readonly KernelRowsDescriptor[];
  readonly leaves: readonly LeafFamily[];
  /** Highest degree of the monomials of each family of gates. */
  readonly gates: readonly number[];
  readonly fractions: readonly number[];
  /** Gates of each fraction that compete. */
  readonly candidates: number;
}

/** Returns the families of a choice, by index: leaf · |Q| + gate. */
export function choiceFamilies(
  choice: number,
  { gates }: Pick<GenericNodeMaterial, "gates">,
): { leaf: number; gate: number } {
  return { leaf: Math.floor(choice / gates.length), gate: choice % gates.length };
}

/** Finds the gates of a node from one of the families, numbered by fraction and candidate. */
export function nodeGates(
  rows: Int32Array,
  gate: number,
  material: GenericNodeMaterial,
): (FoundGate | undefined)[] {
  const { table, gates, fractions, candidates } = material;
  return bestGates(new CascadeRows(rows, material), columnsUpTo(table, gates[gate]), fractions, candidates);
}

/** Trains nodes: the leaf on all rows, and for each gate the leaf on the rows that stay. */
const genericNodesTask = defineNodesTask("cascade/train-generic-nodes", (material: GenericNodeMaterial) => {
  const attached = attach(material);
  const { leaves } = material;
  return async ({ rows, choice, gated }, workplace) => {
    const { leaf, gate } = choiceFamilies(choice, material);
    const fit = async (own: Int32Array) => {
      await workplace.checkpoint();
      const { correct, norm, openGap } = await fitLeaf(leaves[leaf], own, attached, workplace);
      return { correct, wrong: own.length - correct, norm, open: openRun(openGap) };
    };
    const found = gated ? nodeGates(rows, gate, material) : [];
    const whole = await fit(rows);
    const gates: TrainedGate[] = [];
    let openOfGates = ALL_SOLVED;
    for (const [fraction, own] of found.entries()) {
      if (!own) continue;
      const { open, ...counts } = await fit(without(rows, own.on));
      gates.push({ fraction, rows: own.on, ...counts });
      openOfGates = sumOpen(openOfGates, open);
    }
    return { ...whole, gates, openOfGates };
  };
});

interface LeafInput {
  readonly material: GenericNodeMaterial;
  readonly leaf: LeafFamily;
  readonly rows: Int32Array;
  readonly scratch: ScratchPoolDescriptor;
}

/** Fits the classifier of one leaf. */
export const leafTask = defineTask(
  "cascade/fit-leaf",
  ({ material, leaf, rows, scratch }: LeafInput, context: TaskContext) =>
    ScratchPool.attach(scratch).with((arena) =>
      fitLeaf(leaf, rows, attach(material), new Workplace(arena, context)),
    ),
);

function attach({ kernels, ...material }: GenericNodeMaterial): LeafMaterial {
  return { ...material, kernels: kernels.map(attachKernelRows) };
}

/** Makes a trainer of nodes with at most this many rows, on all threads of a run. Its caller releases it. */
export function genericNodes(
  material: GenericNodeMaterial,
  kernels: readonly KernelRows[],
  mostRows: number,
  run: Run,
): ParallelNodes<GenericNodeMaterial> {
  const { leaves, table, fractions, candidates } = material;
  const training = {
    task: genericNodesTask,
    material,
    machine: "svm" as const,
    mostRows,
    memory: kernels.at(0)?.memory ?? kernelMemory(),
    work: ({ rows, choice, gated }: NodeRequest) => {
      const { kind } = leaves[choiceFamilies(choice, material).leaf];
      const { length } = rows;
      const perRow =
        kind === "kernel"
          ? machineCount(material.classes) * length
          : kind === "threshold"
            ? table.monomials.length
            : 1;
      return gated
        ? length * (perRow * (1 + fractions.length * candidates) + table.monomials.length)
        : length * perRow;
    },
  };
  return new ParallelNodes(training, run);
}
