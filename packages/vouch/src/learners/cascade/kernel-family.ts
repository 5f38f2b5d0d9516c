import type { Matrix } from "../../runtime/matrix.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "../../theory/cascades/leaf-complexity.js";
import { kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import type { Gate, TrainedLevel } from "./cascade-level.js";
import type { ComplexityTerm } from "./cascade-options.js";
import type { CascadeFamily, FamilyOnRows } from "./fit-cascade.js";
import { type KernelNodeMaterial, kernelNodes, machineTask } from "./kernel-nodes.js";
import type { GateEdge } from "./near-gates.js";
import { type KernelSettings, openNotice, prepareKernels } from "./node-kernels.js";
import {
  type CascadeMachine,
  type MachineSettings,
  type OpenSolutions,
  solverFacts,
} from "./node-machine.js";
import type { ParallelNodes } from "./node-training.js";
import type { BestLevel } from "./search.js";
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
    const { features, labels, settings, kernels, machine, rows, run } = context;
    this.#context = context;
    this.#dimensions = settings.kernels.map((kernel) =>
      kernelVcDimension(kernel, features.columns, { bias: true }),
    );
    this.trainer = kernelNodes(
      {
        kernels: kernels.map((kernel) => kernel.descriptor()),
        labels: onSharedMemory(labels),
        machine,
        fractions: settings.space.fractions,
        edge: settings.edge,
      },
      kernels[0].memory,
      rows.length,
      run,
    );
    const m = rows.length;
    if (settings.complexity === "vc") this.complexity = vcMeasure(this.#dimensions, m);
    else if (settings.complexity === "vc-local") this.complexity = vcLocalMeasure(this.#dimensions);
    else {
      const traces = kernels.map(({ diagonal }) => rows.reduce((sum, row) => sum + diagonal[row], 0));
      this.complexity = rademacherMeasure(traces, m);
    }
  }

  async build(levels: readonly BestLevel[]): Promise<TrainedLevel[]> {
    const { kernels, labels, machine } = this.#context;
    const inputs = levels.map(({ rows, choice }) => ({
      kernel: kernels[choice].descriptor(),
      labels,
      machine,
      rows,
      choice,
    }));
    const machines = await this.trainer.runAll(machineTask, inputs);
    return machines.map((trained, k) => this.#built(levels[k], trained, levels.at(k + 1)));
  }

  notices(open: OpenSolutions): readonly string[] {
    const { machine } = this.#context;
    return machine.kind === "svm" ? openNotice("of the search", open, machine) : [];
  }

  release(): void {
    this.trainer.release();
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
