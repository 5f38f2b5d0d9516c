import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "../../theory/cascades/leaf-complexity.js";
import { kernelVcDimension } from "../kernel/kernel.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import type { Gate, LeafClassifier, TrainedLevel } from "./cascade-level.js";
import { cascadeNodes, leafTask, type NodeData } from "./cascade-nodes.js";
import type { ComplexityTerm } from "./cascade-options.js";
import { type ClassLabels, type ClassMachines, gapOf, machineClassifier } from "./class-machines.js";
import { evaluateCascade } from "./evaluate-cascade.js";
import type { CascadeFamily, FamilyOnRows } from "./fit-cascade.js";
import type { GateEdge } from "./near-gates.js";
import { type KernelSettings, prepareKernels, unconvergedNotice } from "./node-kernels.js";
import type { MachineSettings, Unconverged } from "./node-machine.js";
import type { ParallelNodes } from "./node-training.js";
import type { BestLevel } from "./search-cascades.js";
import type { CascadeSpace, ComplexityMeasure } from "./search-space.js";

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
  labelled: ClassLabels,
  settings: KernelFamilySettings,
  run: Run,
): Promise<CascadeFamily> {
  const { kernels, machine, notices, owner } = await prepareKernels(features, labelled, settings, run);
  const { labels, classes } = labelled;
  const context = { features, labelled: { labels: onSharedMemory(labels), classes }, settings, kernels, run };
  return {
    space: settings.space,
    families: settings.kernels.length,
    notices,
    on: async (rows) => new KernelFamilyOnRows({ ...context, machine: machine(rows), rows }),
    release: () => owner.release(),
  };
}

interface Context {
  readonly features: Matrix;
  readonly labelled: ClassLabels;
  readonly settings: KernelFamilySettings;
  readonly kernels: readonly KernelRows[];
  readonly machine: MachineSettings;
  readonly rows: Int32Array;
  readonly run: Run;
}

class KernelFamilyOnRows implements FamilyOnRows {
  readonly trainer: ParallelNodes<NodeData>;
  readonly complexity: ComplexityMeasure;
  readonly #context: Context;
  readonly #data: NodeData;
  readonly #dimensions: readonly number[];

  constructor(context: Context) {
    const { features, labelled, settings, kernels, machine, rows, run } = context;
    this.#context = context;
    this.#dimensions = settings.kernels.map((kernel) =>
      kernelVcDimension(kernel, features.columns, { bias: true }),
    );
    this.#data = {
      ...labelled,
      kernels,
      machine,
      leaves: kernels.map((_, kernel) => ({ kind: "kernel", kernel })),
      gates: [{ kind: "near", edge: settings.edge }],
      fractions: settings.space.fractions,
      candidates: 1,
    };
    this.trainer = cascadeNodes(this.#data, kernels, rows.length, run);
    const m = rows.length;
    const { classes } = labelled;
    if (settings.complexity === "vc") this.complexity = vcMeasure(this.#dimensions, m, classes);
    else if (settings.complexity === "vc-local") this.complexity = vcLocalMeasure(this.#dimensions, classes);
    else {
      const traces = kernels.map(({ diagonal }) => rows.reduce((sum, row) => sum + diagonal[row], 0));
      this.complexity = rademacherMeasure(traces, m);
    }
  }

  async build(levels: readonly BestLevel[]): Promise<TrainedLevel[]> {
    const data = this.#data;
    const inputs = levels.map(({ rows, choice }) => ({ data, leaf: data.leaves[choice], rows }));
    const leaves = await this.trainer.runAll(leafTask, inputs);
    return leaves.map(({ fitted }, k) => {
      if (fitted.kind !== "machines") throw new TypeError("The leaf of a kernel is a machine.");
      return this.#built(levels[k], fitted.machines);
    });
  }

  notices(unconverged: Unconverged): readonly string[] {
    const { machine } = this.#context;
    return machine.kind === "svm" ? unconvergedNotice("of the search", unconverged, machine) : [];
  }

  release(): void {
    this.trainer.release();
  }

  #built({ choice, rows, gate }: BestLevel, machines: ClassMachines): TrainedLevel {
    const { features, kernels, labelled } = this.#context;
    const { classes } = labelled;
    const { kernel } = kernels[choice];
    const classifier = machineClassifier(features, rows, kernel, machines, classes);
    const m = this.#context.rows.length;
    const dimension = this.#dimensions[choice];
    return {
      classifier,
      ...(gate && { gate: this.#gate(classifier, rows, gate.on) }),
      complexity: this.complexity.of(choice, rows.length, machines),
      guaranteed: {
        leaf: leafVcComplexity(dimension, m, classes),
        gate: gateVcComplexity(dimension, m, classes),
      },
    };
  }

  /**
   * Makes the gate of a level. The threshold is the largest distance of a row that goes on, or, for a strict gate, the smallest
   * of one that stays, in the arithmetic of prediction: the training rows are divided as the search has divided them.
   */
  #gate(classifier: LeafClassifier, rows: Int32Array, on: Int32Array): Gate {
    const { features, settings, labelled } = this.#context;
    const { edge } = settings;
    const { classes } = labelled;
    const { scores } = evaluateCascade({ levels: [{ classifier }], classes }, features.select(rows));
    const distances = Float64Array.from(rows, (_, i) => gapOf(scores.row(i)));
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

/** Multiplies a complexity by VC dimension for K classes, as in `leafVcComplexity`, and never above that of all functions. */
function ofClasses(complexity: number, classes: number, most = 1): number {
  return classes === 2 ? complexity : Math.min(most, Math.sqrt(classes - 1) * complexity);
}

/** Measures kernel classifiers by the VC dimension of each choice, on m training points. */
export function vcMeasure(dimensions: readonly number[], m: number, classes = 2): ComplexityMeasure {
  const complexities = dimensions.map((dimension) => ofClasses(vcComplexity(dimension, m), classes));
  return { of: (choice) => shared(complexities[choice]), least: (choice) => complexities[choice] };
}

/** Measures them by VC dimension on the points that reach the node. */
export function vcLocalMeasure(dimensions: readonly number[], classes = 2): ComplexityMeasure {
  const complexity = (choice: number, points: number) =>
    ofClasses(vcLocalComplexity(dimensions[choice], points), classes, Math.sqrt(2 * Math.LN2));
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
