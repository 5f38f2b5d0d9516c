import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Kernel } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import { indexOfLargest } from "../scores.js";
import type { LeafClassifier } from "./cascade-level.js";
import {
  type CascadeMachine,
  type MachineSettings,
  type TrainingContext,
  trainCascadeMachine,
} from "./node-machine.js";

/** The classes of all rows of a sample. */
export interface ClassLabels {
  readonly labels: Int32Array;
  /** K, the number of classes, some of which may have no rows. */
  readonly classes: number;
}

/**
 * The machines of a node: one for two classes, whose sign is the class, + for the first one; otherwise one against the rest
 * for each class that the rows have.
 */
export interface ClassMachines {
  /** The classes that they distinguish, ascending. If there is only one, there are no machines. */
  readonly classes: readonly number[];
  readonly machines: readonly CascadeMachine[];
  /**
   * The distance of each row from the decision boundary, negative if the row is misclassified. For two classes y·f(x);
   * otherwise half the difference of the two largest scores, which is the same if the scores are f and −f. A tie is 0, and an
   * error.
   */
  readonly margins: Float64Array;
  /** ‖w‖, or √(k Σ‖w_c‖²)/2 of k > 2 machines, see `combinedNorm`. */
  readonly norm: number;
  /** The largest violation of the KKT conditions that is left, if a solver did not converge. */
  readonly openGap?: number;
}

/** Trains the machines of a node on rows of a kernel. */
export async function trainClassMachines(
  kernel: KernelRows,
  rows: Int32Array,
  labelled: ClassLabels,
  choice: number,
  settings: MachineSettings,
  training: TrainingContext,
): Promise<ClassMachines> {
  const classes = distinguishedClasses(rows, labelled);
  if (classes.length === 1) {
    return { classes, machines: [], margins: new Float64Array(rows.length).fill(1), norm: 0 };
  }
  const machines: CascadeMachine[] = [];
  for (const signs of signsOfMachines(rows, labelled.labels, classes)) {
    machines.push(await trainCascadeMachine(kernel, rows, signs, choice, settings, training));
  }
  const openGaps = machines.flatMap(({ openGap }) => openGap ?? []);
  return {
    classes,
    machines,
    margins: machineMargins(
      machines.map(({ values }) => values),
      classes,
      Int32Array.from(rows, (row) => labelled.labels[row]),
    ),
    norm: combinedNorm(machines),
    ...(openGaps.length > 0 && { openGap: Math.max(...openGaps) }),
  };
}

/** Returns the number of machines of a node that has rows of all classes. */
export function machineCount(classes: number): number {
  return classes === 2 ? 1 : classes;
}

/** Returns the classes to distinguish: both of two, otherwise those that the rows have. */
export function distinguishedClasses(rows: Int32Array, { labels, classes }: ClassLabels): number[] {
  if (classes === 2) return [0, 1];
  const present = new Uint8Array(classes);
  for (const row of rows) present[labels[row]] = 1;
  return Array.from({ length: classes }, (_, c) => c).filter((c) => present[c] === 1);
}

/** Returns the signs of the rows for each machine: one for two classes, otherwise one per class. */
export function signsOfMachines(
  rows: Int32Array,
  labels: Int32Array,
  classes: readonly number[],
): Int8Array[] {
  const positive = classes.length > 2 ? classes : classes.slice(0, 1);
  return positive.map((own) => Int8Array.from(rows, (row) => (labels[row] === own ? 1 : -1)));
}

/** Computes the margins of rows from the values of each machine on them; `labels` are the classes of these rows. */
export function machineMargins(
  values: readonly Float64Array[],
  classes: readonly number[],
  labels: Int32Array,
): Float64Array {
  if (values.length === 1) return values[0].map((value, i) => (labels[i] === classes[0] ? value : -value));
  const scores = new Float64Array(values.length);
  return Float64Array.from(labels, (label, i) => {
    values.forEach((own, c) => {
      scores[c] = own[i];
    });
    const gap = gapOf(scores);
    return classes[indexOfLargest(scores)] === label ? gap : -gap;
  });
}

/** Computes half the difference of the two largest scores. */
export function gapOf(scores: ArrayLike<number>): number {
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < scores.length; c++) {
    if (scores[c] > best) {
      second = best;
      best = scores[c];
    } else if (scores[c] > second) second = scores[c];
  }
  return (best - second) / 2;
}

/** Makes the classifier of a leaf from machines that were trained on some rows. */
export function machineClassifier(
  features: Matrix,
  rows: Int32Array,
  kernel: Kernel,
  { classes, machines, openGap }: ClassMachines,
  allClasses: number,
): LeafClassifier {
  const [first] = machines;
  if (!first) return { kind: "constant", class: classes[0] };
  const expansions = machines.map((own) => KernelExpansion.trainedOn(features, rows, kernel, own));
  const facts = {
    ...(first.cost !== undefined && { cost: first.cost }),
    ...(openGap !== undefined && { openGap }),
  };
  if (allClasses === 2) return { kind: "kernel", machine: expansions[0], ...facts };
  return { kind: "one-vs-rest", trained: classes, machines: expansions, ...facts };
}

/**
 * Combines the norms of machines for the kernel ball that the search measures. The margin (h_y − max_{c≠y} h_c)/2 changes by at most
 * 1/√2 of the Euclidean change of the k scores, so by Maurer's contraction inequality (2016) the complexity of these margins is at most
 * that of a ball with radius √(k Σ‖w_c‖²). Half of it is taken, which for the scores f and −f of two classes is ‖w‖.
 */
function combinedNorm(machines: readonly CascadeMachine[]): number {
  if (machines.length === 1) return machines[0].norm;
  const squares = machines.reduce((sum, { norm }) => sum + norm * norm, 0);
  return Math.sqrt(machines.length * squares) / 2;
}
