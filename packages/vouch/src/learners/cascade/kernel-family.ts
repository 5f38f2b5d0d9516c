import type { ArenaDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import type { Matrix } from "../../runtime/matrix.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "../../theory/cascades/leaf-complexity.js";
import { kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import { type Gate, type GateEdge, isNear, type TrainedLevel } from "./cascade-level.js";
import type { ComplexityTerm } from "./cascade-options.js";
import type { CascadeFamily, FamilyOnRows } from "./fit-cascade.js";
import { type KernelSettings, openNotice, prepareKernels } from "./node-kernels.js";
import {
  ALL_SOLVED,
  type CascadeMachine,
  correctOf,
  type MachineSettings,
  solverFacts,
  trainCascadeMachine,
  Workplace,
  withRun,
} from "./node-machine.js";
import { defineNodesTask, ParallelNodes } from "./node-training.js";
import type { BestLevel } from "./search.js";
import { type CascadeSpace, type ComplexityMeasure, pointsOfFraction } from "./search-space.js";
import type { NodeRequest, TrainedGate } from "./sub-problems.js";

/** Cascades of kernel classifiers: one choice of a node per kernel. */
interface KernelFamilySettings extends KernelSettings {
  readonly space: CascadeSpace;
  readonly edge: GateEdge;
  readonly complexity: ComplexityTerm;
}

/**
 * Prepares the cascades of kernel classifiers (Algorithm 2 of the paper, Algorithm 3 of the report). The matrices of polynomial
 * and of Gaussian kernels come from one matrix of scalar products of the whole sample; folds, nodes and values of C take rows
 * of them.
 */
export async function kernelFamily(
  features: Matrix,
  labels: Int8Array,
  settings: KernelFamilySettings,
  run: Run,
): Promise<CascadeFamily> {
  const { kernels, machine, notices, release } = await prepareKernels(features, labels, settings, run);
  const context = { features, labels, settings, kernels, run };
  return {
    space: settings.space,
    families: settings.kernels.length,
    notices,
    on: (rows) => new KernelFamilyOnRows({ ...context, machine: machine(rows), rows }),
    release,
  };
}

interface Context {
  readonly features: Matrix;
  readonly labels: Int8Array;
  readonly settings: KernelFamilySettings;
  readonly kernels: readonly KernelRows[];
  readonly machine: MachineSettings;
  readonly rows: Int32Array;
  readonly run: Run;
}

class KernelFamilyOnRows implements FamilyOnRows {
  readonly trainer: ParallelNodes<KernelNodeMaterial>;
  readonly complexity: ComplexityMeasure;
  readonly #context: Context;
  readonly #dimensions: readonly number[];

  constructor(context: Context) {
    const { features, settings, kernels, rows } = context;
    this.#context = context;
    this.#dimensions = settings.kernels.map((kernel) =>
      kernelVcDimension(kernel, features.columns, { bias: true }),
    );
    this.trainer = nodeTrainer(context);
    const m = rows.length;
    if (settings.complexity === "vc") this.complexity = vcMeasure(this.#dimensions, m);
    else if (settings.complexity === "vc-local") this.complexity = vcLocalMeasure(this.#dimensions);
    else {
      const traces = kernels.map(({ diagonal }) => rows.reduce((sum, row) => sum + diagonal[row], 0));
      this.complexity = rademacherMeasure(traces, m);
    }
  }

  async build(levels: readonly BestLevel[]): Promise<TrainedLevel[]> {
    const built: TrainedLevel[] = [];
    for (const [k, level] of levels.entries()) {
      built.push(this.#built(level, await this.#machine(level), levels.at(k + 1)));
    }
    return built;
  }

  notices(): readonly string[] {
    const { machine } = this.#context;
    return machine.kind === "svm" ? openNotice("of the search", this.trainer.open, machine) : [];
  }

  release(): void {
    this.trainer.release();
  }

  #machine({ rows, choice }: BestLevel): Promise<CascadeMachine> {
    const { kernels, labels, machine } = this.#context;
    const input = { kernel: kernels[choice].descriptor(), labels, machine, rows, choice };
    return this.trainer.runOne(machineTask, input, rows.length ** 2);
  }

  #built({ choice, rows }: BestLevel, machine: CascadeMachine, next: BestLevel | undefined): TrainedLevel {
    const { features, kernels } = this.#context;
    const { kernel } = kernels[choice];
    const expansion = KernelExpansion.trainedOn(features, rows, kernel, machine);
    const m = this.#context.rows.length;
    const dimension = this.#dimensions[choice];
    return {
      classifier: { kind: "kernel", machine: expansion, ...solverFacts(machine) },
      ...(next && { gate: this.#gate(expansion, rows, next.rows) }),
      complexity: this.complexity.of(choice, rows.length, machine),
      guaranteed: { leaf: leafVcComplexity(dimension, m), gate: gateVcComplexity(dimension, m) },
    };
  }

  /**
   * Makes the gate of a level. The threshold is the largest distance of a row that goes on, or, for a strict gate, the smallest
   * of one that stays, in the arithmetic of prediction: the training rows are divided as the search has divided them.
   */
  #gate(machine: KernelExpansion, rows: Int32Array, on: Int32Array): Gate {
    const { features, settings } = this.#context;
    const { edge } = settings;
    const distances = machine.values(features.select(rows)).map(Math.abs);
    const going = new Set(on);
    let threshold = edge === "closed" ? 0 : Number.POSITIVE_INFINITY;
    distances.forEach((distance, i) => {
      if (edge === "closed" && going.has(rows[i])) threshold = Math.max(threshold, distance);
      if (edge === "strict" && !going.has(rows[i])) threshold = Math.min(threshold, distance);
    });
    return { kind: "near", threshold, edge };
  }
}

/** Gives a node's leaf and its gate the same complexity: the gate takes the distance from the leaf's decision boundary. */
function shared(complexity: number): { leaf: number; gate: number } {
  return { leaf: complexity, gate: complexity };
}

/** Measures kernel classifiers by the VC dimension of each choice, on m training points. */
export function vcMeasure(dimensions: readonly number[], m: number): ComplexityMeasure {
  const complexities = dimensions.map((dimension) => vcComplexity(dimension, m));
  return { of: (choice) => shared(complexities[choice]), least: (choice) => complexities[choice] };
}

/** Measures them by VC dimension on the points that reach the node. */
export function vcLocalMeasure(dimensions: readonly number[]): ComplexityMeasure {
  const complexity = (choice: number, points: number) => vcLocalComplexity(dimensions[choice], points);
  return { of: (choice, points) => shared(complexity(choice, points)), least: complexity };
}

/**
 * Measures them by the kernel ball of radius ‖w‖ on m training points; `traces` are Σ K(x_i, x_i) over all of them for
 * each choice. A family with values in [−1, 1] has a complexity of at most 1.
 */
export function rademacherMeasure(traces: readonly number[], m: number): ComplexityMeasure {
  return {
    of: (choice, _points, { norm }) => shared(Math.min(1, (norm * Math.sqrt(traces[choice])) / m)),
    least: () => 0,
  };
}

/** Nodes that are kernel classifiers are trained from this; structured-cloneable. */
interface KernelNodeMaterial {
  /** One per choice, for all rows of a sample, of which nodes take some. */
  readonly kernels: readonly KernelRowsDescriptor[];
  /** The signs of all rows. */
  readonly labels: Int8Array;
  readonly machine: MachineSettings;
  readonly fractions: readonly number[];
  readonly edge: GateEdge;
}

function nodeTrainer(context: Context): ParallelNodes<KernelNodeMaterial> {
  const { labels, settings, kernels, machine, rows, run } = context;
  const { edge, space } = settings;
  const material: KernelNodeMaterial = {
    kernels: kernels.map((kernel) => kernel.descriptor()),
    labels,
    machine,
    fractions: space.fractions,
    edge,
  };
  const training = {
    task: kernelNodesTask,
    material,
    machine: machine.kind,
    mostRows: rows.length,
    memory: kernels[0].memory,
    work: ({ rows }: NodeRequest) => rows.length ** 2,
  };
  return new ParallelNodes(training, run);
}

/** Trains nodes whose gates take the distance from the decision boundary of their classifier. */
const kernelNodesTask = defineNodesTask("cascade/train-nodes", (material: KernelNodeMaterial) => {
  const kernels = material.kernels.map(attachKernelRows);
  const { labels, machine, fractions, edge } = material;
  const tolerance = machine.kind === "svm" ? machine.tolerance : 0;
  return async ({ rows, choice, gated }, workplace) => {
    const trained = await trainCascadeMachine(kernels[choice], rows, labels, choice, machine, workplace);
    const { values, norm, openGap } = trained;
    const correct = correctOf(values, rows, labels);
    const gates = gated ? nearGates(values, rows, labels, { fractions, edge, tolerance }) : [];
    const node = { correct, wrong: rows.length - correct, norm, gates };
    return { node, open: withRun(ALL_SOLVED, openGap) };
  };
});

interface MachineInput extends Pick<NodeRequest, "rows" | "choice"> {
  readonly kernel: KernelRowsDescriptor;
  readonly labels: Int8Array;
  readonly machine: MachineSettings;
  readonly arena: ArenaDescriptor;
}

/** Trains the classifier of one node. */
const machineTask = defineTask(
  "cascade/train-machine",
  ({ kernel, rows, labels, choice, machine, arena }: MachineInput, context: TaskContext) => {
    const workplace = new Workplace(arena, context);
    return trainCascadeMachine(attachKernelRows(kernel), rows, labels, choice, machine, workplace);
  },
);

/** The gates to find at a node. */
interface NearGateSettings {
  readonly fractions: readonly number[];
  readonly edge: GateEdge;
  /** The solver's stopping tolerance ε for support vector machines; 0 for classifiers without a solver. */
  readonly tolerance: number;
}

/**
 * Finds the gates of a node, one per fraction μ: the threshold c is the ⌈μ·n⌉-th smallest distance |h(x_i)|, so that tied
 * points go on together. A gate that passes on all or nothing makes no new cascade and is left out.
 *
 * The free support vectors of a machine are such a tie: at the optimum all of them have |h(x_i)| = 1. A solver that stops at
 * tolerance ε leaves them within ε of it: the bias is the mean of y_i − w·φ(x_i) over them, and these numbers lie within ε of each
 * other. So all distances within ε of 1 are tied. Elsewhere only equal points are, whose distances differ by rounding: to
 * tie all distances within ε of each other would tie all points of a large sample.
 */
export function nearGates(
  values: ArrayLike<number>,
  rows: Int32Array,
  labels: Int8Array,
  { fractions, edge, tolerance }: NearGateSettings,
): TrainedGate[] {
  const distances = Float64Array.from(values, Math.abs);
  const ascending = distances.slice().sort();
  const gates = fractions.map((mu, fraction) => {
    let place = pointsOfFraction(mu, rows.length) - 1;
    if (edge === "closed") while (areTied(ascending[place], ascending[place + 1], tolerance)) place++;
    else while (areTied(ascending[place - 1], ascending[place], tolerance)) place--;
    const threshold = ascending[place];
    const on = new Int32Array(rows.length);
    let count = 0;
    let correct = 0;
    for (let i = 0; i < rows.length; i++) {
      if (isNear(distances[i], threshold, edge)) on[count++] = rows[i];
      else if (values[i] * labels[rows[i]] > 0) correct++;
    }
    return { fraction, rows: on.slice(0, count), correct, wrong: rows.length - count - correct };
  });
  return gates.filter((gate) => gate.rows.length > 0 && gate.rows.length < rows.length);
}

/** Distances of equal points differ by less than this share of them. */
const ROUNDING = 1e-9;

/** Tells whether distances a ≤ b that follow each other are tied; false if one of them is missing. */
function areTied(a: number | undefined, b: number | undefined, tolerance: number): boolean {
  if (a === undefined || b === undefined) return false;
  return b - a <= ROUNDING * b || (a >= 1 - tolerance && b <= 1 + tolerance);
}
