import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/index.js";
import type { Run } from "../learning/run.js";
import type { ArenaDescriptor } from "../numeric/arena.js";
import { kernelMemory } from "../numeric/memory.js";
import type { TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import { fitLeaf, type LeafKind, type LeafMaterial } from "./leaf-fit.js";
import { Workplace } from "./machine.js";
import { columnsUpTo } from "./monomial-table.js";
import { ALL_SOLVED, defineNodesTask, ParallelNodes, withRun } from "./node-training.js";
import { bestQuestions, LabelledRows } from "./thresholds.js";
import type { NodeRequest, TrainedGate } from "./trained-node.js";

/** What nodes with leaves and questions from families of one's choice are trained from; structured-cloneable. */
export interface GenericNodeMaterial extends Omit<LeafMaterial, "kernels"> {
  readonly kernels: readonly KernelRowsDescriptor[];
  readonly leaves: readonly LeafKind[];
  /** Degrees of the monomials that questions may ask for. */
  readonly questions: readonly number[];
  readonly fractions: readonly number[];
}

/** The families that a choice stands for, by index: leaf · |Q| + question. */
export function familiesOf(
  choice: number,
  { questions }: Pick<GenericNodeMaterial, "questions">,
): { leaf: number; question: number } {
  return { leaf: Math.floor(choice / questions.length), question: choice % questions.length };
}

/** The rows that are not among some of them; both ascend. */
export function without(rows: Int32Array, some: Int32Array): Int32Array {
  let next = 0;
  return rows.filter((row) => {
    if (some[next] !== row) return true;
    next++;
    return false;
  });
}

/** Trains nodes: the leaf on all rows, and for each gate the leaf on the rows that stay. */
export const genericNodesTask = defineNodesTask(
  "cascade/train-generic-nodes",
  (material: GenericNodeMaterial) => {
    const attached = attach(material);
    const { labels, table, leaves, questions, fractions } = material;
    return async ({ rows, choice, gated }, workplace) => {
      const { leaf, question } = familiesOf(choice, material);
      let open = ALL_SOLVED;
      const fit = async (own: Int32Array) => {
        await workplace.checkpoint();
        const fitted = await fitLeaf(leaves[leaf], own, attached, workplace);
        open = withRun(open, fitted.openGap);
        return { correct: fitted.correct, wrong: own.length - fitted.correct, norm: fitted.norm };
      };
      const asked = gated
        ? bestQuestions(new LabelledRows(rows, labels), columnsUpTo(table, questions[question]), fractions)
        : [];
      const whole = await fit(rows);
      const gates: TrainedGate[] = [];
      for (const [fraction, found] of asked.entries()) {
        if (found) gates.push({ fraction, rows: found.on, ...(await fit(without(rows, found.on))) });
      }
      return { node: { ...whole, gates }, open };
    };
  },
);

interface LeafInput {
  readonly material: GenericNodeMaterial;
  readonly leaf: LeafKind;
  readonly rows: Int32Array;
  readonly arena: ArenaDescriptor;
}

/** Fits the classifier of one leaf. */
export const leafTask = defineTask(
  "cascade/fit-leaf",
  ({ material, leaf, rows, arena }: LeafInput, context: TaskContext) =>
    fitLeaf(leaf, rows, attach(material), new Workplace(arena, context)),
);

function attach({ kernels, ...material }: GenericNodeMaterial): LeafMaterial {
  return { ...material, kernels: kernels.map(attachKernelRows) };
}

/** Trains nodes of at most so many rows on all threads of a run. Its caller releases it. */
export function genericNodes(
  material: GenericNodeMaterial,
  kernels: readonly KernelRows[],
  mostRows: number,
  run: Run,
): ParallelNodes<GenericNodeMaterial> {
  const { leaves, table, fractions } = material;
  const training = {
    task: genericNodesTask,
    material,
    machine: "svm" as const,
    mostRows,
    memory: kernels.at(0)?.memory ?? kernelMemory(),
    work: ({ rows, choice, gated }: NodeRequest) => {
      const { kind } = leaves[familiesOf(choice, material).leaf];
      const { length } = rows;
      const perRow = kind === "kernel" ? length : kind === "threshold" ? table.monomials.length : 1;
      return gated ? length * (perRow * (1 + fractions.length) + table.monomials.length) : length * perRow;
    },
  };
  return new ParallelNodes(training, run);
}
