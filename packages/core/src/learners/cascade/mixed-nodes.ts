import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import { wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import type { LeafClassifier } from "./cascade-level.js";
import { type ClassLabels, type ClassMachines, machineCount, trainClassMachines } from "./class-machines.js";
import {
  ALL_CONVERGED,
  correctOf,
  type MachineSettings,
  sumUnconverged,
  TrainingContext,
  unconvergedRun,
} from "./node-machine.js";
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

interface LeafData extends ClassLabels {
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
  data: LeafData,
  training: TrainingContext,
): Promise<FittedLeaf> {
  if (leaf.kind === "kernel") return fitMachines(leaf.kernel, rows, data, training);
  if (leaf.kind === "learner") throw new Error("A learner is not fitted on this thread.");
  const points = new CascadeRows(rows, data);
  const { classifier, errors } =
    leaf.kind === "constant"
      ? bestConstant(points)
      : bestThreshold(points, columnsUpTo(data.table, leaf.degree));
  return { correct: rows.length - errors, norm: 0, fitted: classifier };
}

async function fitMachines(
  kernel: number,
  rows: Int32Array,
  data: LeafData,
  training: TrainingContext,
): Promise<FittedLeaf> {
  const { kernels, machine: settings } = data;
  if (!settings) throw new Error("Kernels were not prepared.");
  const machines = await trainClassMachines(kernels[kernel], rows, data, kernel, settings, training);
  const { norm, openGap, margins } = machines;
  return {
    correct: correctOf(margins),
    norm,
    ...(openGap !== undefined && { openGap }),
    fitted: { kind: "machines", machines },
  };
}

/** Nodes with leaves and gates from chosen families are trained from this; structured-cloneable. */
export interface MixedNodeData extends Omit<LeafData, "kernels"> {
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
  { gates }: Pick<MixedNodeData, "gates">,
): { leaf: number; gate: number } {
  return { leaf: Math.floor(choice / gates.length), gate: choice % gates.length };
}

/** Finds the gates of a node from one of the families, numbered by fraction and candidate. */
export function nodeGates(rows: Int32Array, gate: number, data: MixedNodeData): (FoundGate | undefined)[] {
  const { table, gates, fractions, candidates } = data;
  return bestGates(new CascadeRows(rows, data), columnsUpTo(table, gates[gate]), fractions, candidates);
}

/** Trains nodes: the leaf on all rows, and for each gate the leaf on the rows that stay. */
const mixedNodesTask = defineNodesTask("cascade/train-mixed-nodes", (data: MixedNodeData) => {
  const attached = attach(data);
  const { leaves } = data;
  return async ({ rows, choice, gated }, training) => {
    const { leaf, gate } = choiceFamilies(choice, data);
    const fit = async (own: Int32Array) => {
      await training.checkpoint();
      const { correct, norm, openGap } = await fitLeaf(leaves[leaf], own, attached, training);
      return { correct, wrong: own.length - correct, norm, unconverged: unconvergedRun(openGap) };
    };
    const found = gated ? nodeGates(rows, gate, data) : [];
    const whole = await fit(rows);
    const gates: TrainedGate[] = [];
    let unconvergedGates = ALL_CONVERGED;
    for (const [fraction, own] of found.entries()) {
      if (!own) continue;
      const { unconverged, ...counts } = await fit(without(rows, own.on));
      gates.push({ fraction, rows: own.on, ...counts });
      unconvergedGates = sumUnconverged(unconvergedGates, unconverged);
    }
    return { ...whole, gates, unconvergedGates };
  };
});

interface LeafInput {
  readonly data: MixedNodeData;
  readonly leaf: LeafFamily;
  readonly rows: Int32Array;
  readonly scratch: ArenaPoolFields;
}

/** Fits the classifier of one leaf. */
export const leafTask = defineTask(
  "cascade/fit-leaf",
  ({ data, leaf, rows, scratch }: LeafInput, context: TaskContext) =>
    new ArenaPool(scratch).with((arena) =>
      fitLeaf(leaf, rows, attach(data), new TrainingContext(arena, context)),
    ),
);

function attach({ kernels, ...data }: MixedNodeData): LeafData {
  return { ...data, kernels: kernels.map(attachKernelRows) };
}

/** Makes a trainer of nodes with at most this many rows, on all threads of a run. Its caller releases it. */
export function mixedNodes(
  data: MixedNodeData,
  kernels: readonly KernelRows[],
  mostRows: number,
  run: Run,
): ParallelNodes<MixedNodeData> {
  const { leaves, table, fractions, candidates } = data;
  const training = {
    task: mixedNodesTask,
    data,
    machine: "svm" as const,
    mostRows,
    memory: kernels.at(0)?.memory ?? wasmMemory(),
    work: ({ rows, choice, gated }: NodeRequest) => {
      const { kind } = leaves[choiceFamilies(choice, data).leaf];
      const { length } = rows;
      const perRow =
        kind === "kernel"
          ? machineCount(data.classes) * length
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
