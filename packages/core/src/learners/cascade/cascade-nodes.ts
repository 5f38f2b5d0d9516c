import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import { wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type KernelRows, type KernelRowsFields, kernelRowsFrom } from "../kernel/kernel-rows.js";
import type { LeafClassifier } from "./cascade-level.js";
import { type ClassLabels, type ClassMachines, machineCount, trainClassMachines } from "./class-machines.js";
import { type GateEdge, nearGates } from "./near-gates.js";
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

/** A family of hypotheses that the gates of a node may come from. */
export type GateFamily =
  /** Thresholds on monomials up to a degree. */
  | { readonly kind: "threshold"; readonly degree: number }
  /** Thresholds on the distance from the decision boundary of the node's own classifier, which is a kernel classifier. */
  | { readonly kind: "near"; readonly edge: GateEdge };

interface LeafData extends ClassLabels {
  /** Present if there are thresholds on monomials. */
  readonly table?: MonomialTable;
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
      : bestThreshold(points, columnsUpTo(tableOf(data), leaf.degree));
  return { correct: rows.length - errors, norm: 0, fitted: classifier };
}

function tableOf({ table }: Pick<LeafData, "table">): MonomialTable {
  if (table) return table;
  throw new Error("Monomials were not prepared.");
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

/** What nodes with leaves and gates from chosen families are trained from. */
export interface NodeData extends Omit<LeafData, "kernels"> {
  readonly kernels: readonly KernelRowsFields[];
  readonly leaves: readonly LeafFamily[];
  readonly gates: readonly GateFamily[];
  readonly fractions: readonly number[];
  /** Thresholds of each fraction that compete. */
  readonly candidates: number;
}

/** Returns the families of a choice, by index: leaf · |Q| + gate. */
export function choiceFamilies(
  choice: number,
  { gates }: { readonly gates: readonly unknown[] },
): { leaf: number; gate: number } {
  return { leaf: Math.floor(choice / gates.length), gate: choice % gates.length };
}

/** Finds the threshold gates of a node from one of the families, numbered by fraction and candidate; none for others. */
export function thresholdGates(
  rows: Int32Array,
  gate: number,
  data: NodeData,
): readonly (FoundGate | undefined)[] {
  const { gates, fractions, candidates } = data;
  const family = gates[gate];
  if (family.kind !== "threshold") return [];
  const columns = columnsUpTo(tableOf(data), family.degree);
  return bestGates(new CascadeRows(rows, data), columns, fractions, candidates);
}

/** Trains nodes: the leaf on all rows, and for each threshold gate the leaf on the rows that stay. */
const nodesTask = defineNodesTask("cascade/train-nodes", (data: NodeData) => {
  const attached = leafData(data);
  const { leaves, gates: families } = data;
  return async ({ rows, choice, gated }, training) => {
    const { leaf, gate } = choiceFamilies(choice, data);
    const fit = async (own: Int32Array) => {
      await training.checkpoint();
      const fitted = await fitLeaf(leaves[leaf], own, attached, training);
      const { correct, norm, openGap } = fitted;
      const counts = { correct, wrong: own.length - correct, norm };
      return { fitted, counts, unconverged: unconvergedRun(openGap) };
    };
    const whole = await fit(rows);
    const gates: TrainedGate[] = gated ? gatesNear(whole.fitted, rows, families[gate], data) : [];
    let unconvergedGates = ALL_CONVERGED;
    for (const [fraction, own] of gated ? thresholdGates(rows, gate, data).entries() : []) {
      if (!own) continue;
      const { unconverged, counts } = await fit(without(rows, own.on));
      gates.push({ fraction, rows: own.on, ...counts });
      unconvergedGates = sumUnconverged(unconvergedGates, unconverged);
    }
    return { ...whole.counts, unconverged: whole.unconverged, gates, unconvergedGates };
  };
});

/** Finds the gates by the distance from the decision boundary of a fitted leaf; none for other families. */
function gatesNear(
  { fitted }: FittedLeaf,
  rows: Int32Array,
  family: GateFamily,
  { fractions, machine }: NodeData,
): TrainedGate[] {
  if (family.kind !== "near" || fitted.kind !== "machines") return [];
  const tolerance = machine?.kind === "svm" ? machine.tolerance : 0;
  return nearGates(fitted.machines.margins, rows, { fractions, edge: family.edge, tolerance });
}

interface LeafInput {
  readonly data: NodeData;
  readonly leaf: LeafFamily;
  readonly rows: Int32Array;
  readonly scratch: ArenaPoolFields;
}

/** Fits the classifier of one leaf. */
export const leafTask = defineTask(
  "cascade/fit-leaf",
  ({ data, leaf, rows, scratch }: LeafInput, context: TaskContext) =>
    new ArenaPool(scratch).with((arena) =>
      fitLeaf(leaf, rows, leafData(data), new TrainingContext(arena, context)),
    ),
);

function leafData({ kernels, ...data }: NodeData): LeafData {
  return { ...data, kernels: kernels.map(kernelRowsFrom) };
}

/** Makes a trainer of nodes with at most this many rows, on all threads of a run. Its caller releases it. */
export function cascadeNodes(
  data: NodeData,
  kernels: readonly KernelRows[],
  mostRows: number,
  run: Run,
): ParallelNodes<NodeData> {
  const { leaves, gates, table, fractions, candidates, machine } = data;
  const monomials = table?.monomials.length ?? 0;
  const training = {
    task: nodesTask,
    data,
    machine: machine?.kind,
    mostRows,
    memory: kernels.at(0)?.memory ?? wasmMemory(),
    work({ rows: { length }, choice, gated }: NodeRequest) {
      const { leaf, gate } = choiceFamilies(choice, data);
      const { kind } = leaves[leaf];
      const perRow =
        kind === "kernel" ? machineCount(data.classes) * length : kind === "threshold" ? monomials : 1;
      if (!gated || gates[gate].kind === "near") return length * perRow;
      return length * (perRow * (1 + fractions.length * candidates) + monomials);
    },
  };
  return new ParallelNodes(training, run);
}
