import type { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import type { Run } from "../../runtime/run.js";
import { gateVcComplexity, leafVcComplexity } from "../../theory/cascades/leaf-complexity.js";
import { dependsOnProducts, type Kernel, kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { DotProducts, KernelMatrix } from "../kernel/kernel-matrix.js";
import { type KernelRows, kernelRows } from "../kernel/kernel-rows.js";
import type { SvmSolverOptions } from "../svm/solver.js";
import type { BuiltLevel, CascadeFamily, FamilyOnRows } from "./cascade-family.js";
import { type ComplexityKind, rademacherMeasure, vcLocalMeasure, vcMeasure } from "./complexity.js";
import { cascadeMachineTask, type KernelNodeMaterial, kernelNodes } from "./kernel-nodes.js";
import type { GateKind, GateRule } from "./leaf-classifier.js";
import { type CostSearch, chooseCosts } from "./node-costs.js";
import { degreeOf } from "./node-kernels.js";
import type { CascadeMachine, MachineSettings } from "./node-machine.js";
import type { OpenSolutions, ParallelNodes } from "./node-training.js";
import type { BestLevel, ComplexityMeasure } from "./search.js";
import type { CascadeSpace } from "./space.js";

/** Which kernel classifiers. */
interface KernelSettings {
  /** The simplest first. */
  readonly kernels: readonly Kernel[];
  /** Memory for the values of all kernels. */
  readonly cacheMegabytes: number;
  readonly machine:
    | ({ readonly kind: "svm" } & CostSearch)
    | { readonly kind: "perceptron"; readonly passes: number };
}

/** How cascades are made of them: one choice of a node per kernel. */
export interface KernelFamilySettings extends KernelSettings {
  readonly space: CascadeSpace;
  readonly gate: GateKind;
  readonly complexity: ComplexityKind;
}

/**
 * Cascades of kernel classifiers (Algorithm 2 of the paper, Algorithm 3 of the report). The matrices of polynomial and of
 * Gaussian kernels come from one matrix of scalar products of the whole sample; folds, nodes and values of C take rows of
 * them.
 */
export async function kernelFamily(
  features: Matrix,
  labels: Int8Array,
  settings: KernelFamilySettings,
  run: Run,
): Promise<CascadeFamily> {
  const { kernels, machine, notices, release } = await prepareKernels(features, labels, settings, run);
  const parts = { features, labels, settings, kernels, run };
  return {
    space: settings.space,
    families: settings.kernels.length,
    notices,
    on: (rows) => new KernelFamilyOnRows({ ...parts, machine: machine(rows), rows }),
    release,
  };
}

/** Kernels of a sample that machines can be trained on. */
export interface KernelPreparation {
  /** One per kernel. */
  readonly kernels: readonly KernelRows[];
  /** How machines on some training points are trained. */
  machine(rows: Int32Array): MachineSettings;
  /** What the user should know. */
  readonly notices: readonly string[];
  release(): void;
}

/** Computes the kernels of a sample and, for support vector machines, chooses C. */
export async function prepareKernels(
  features: Matrix,
  labels: Int8Array,
  settings: KernelSettings,
  run: Run,
): Promise<KernelPreparation> {
  const kernels = await kernelsOf(features, settings, run);
  try {
    const release = () => {
      for (const kernel of kernels) kernel.release();
    };
    return { kernels, release, ...(await machineSettings(kernels, labels, settings, run)) };
  } catch (error) {
    for (const kernel of kernels) kernel.release();
    throw error;
  }
}

/** The values of each kernel: as matrices if there is memory for all of them, otherwise their rows on demand. */
async function kernelsOf(
  features: Matrix,
  { kernels, cacheMegabytes }: KernelSettings,
  run: Run,
): Promise<KernelRows[]> {
  const megabytes = cacheMegabytes / kernels.length;
  const fits = KernelMatrix.bytes(features.rows) <= megabytes * 2 ** 20;
  const dots = fits && kernels.some(dependsOnProducts) ? await DotProducts.of(features, run) : undefined;
  const values: KernelRows[] = [];
  try {
    for (const kernel of kernels) {
      values.push(await (dots?.kernelMatrix(kernel, run) ?? kernelRows(features, kernel, megabytes, run)));
    }
    return values;
  } catch (error) {
    for (const kernel of values) kernel.release();
    throw error;
  } finally {
    dots?.release();
  }
}

/** The settings of the machines for a set of training points; C is chosen here, once for all of them. */
async function machineSettings(
  kernels: readonly KernelRows[],
  labels: Int8Array,
  { machine }: KernelSettings,
  run: Run,
): Promise<{ machine: (rows: Int32Array) => MachineSettings; notices: string[] }> {
  if (machine.kind === "perceptron") return { machine: () => machine, notices: [] };
  const all = Int32Array.from(labels, (_, row) => row);
  const { choices, open } = await chooseCosts(kernels, all, labels, machine, run);
  const costs = choices.map(({ cost }) => cost);
  return {
    machine: (rows) => ({ kind: "svm", costs, points: rows.length, ...machine.solver }),
    notices: openNotice("that C was chosen with", open, machine.solver),
  };
}

/** What is said of solver runs that were given up. */
export function openNotice(
  which: string,
  { count, largestGap }: OpenSolutions,
  solver: SvmSolverOptions,
): string[] {
  if (count === 0) return [];
  return [
    `The solver used up its ${formatCount(solver.maxIterations, "iteration")} in ` +
      `${formatCount(count, "support vector machine")} ${which}: the largest violation left is ` +
      `${formatNumber(largestGap)}, above the tolerance ${formatNumber(solver.tolerance)}. ` +
      "Raise maxIterations or tolerance, or leave large values of C out of cGrid.",
  ];
}

/** What a family on some rows is made from. */
interface Parts {
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
  readonly #parts: Parts;
  readonly #dimensions: readonly number[];

  constructor(parts: Parts) {
    const { features, labels, settings, kernels, machine, rows, run } = parts;
    const { space, gate, complexity } = settings;
    const { fractions } = space;
    this.#parts = parts;
    this.#dimensions = settings.kernels.map((kernel) =>
      kernelVcDimension(kernel, features.columns, { bias: true }),
    );
    this.trainer = kernelNodes(kernels, { labels, machine, fractions, gate }, rows.length, run);
    this.complexity = this.#measure(complexity);
  }

  #measure(kind: ComplexityKind): ComplexityMeasure {
    const { rows, kernels } = this.#parts;
    if (kind === "vc") return vcMeasure(this.#dimensions, rows.length);
    if (kind === "vc-local") return vcLocalMeasure(this.#dimensions);
    const traces = kernels.map(({ diagonal }) => rows.reduce((sum, row) => sum + diagonal[row], 0));
    return rademacherMeasure(traces, rows.length);
  }

  async build(levels: readonly BestLevel[]): Promise<BuiltLevel[]> {
    const built: BuiltLevel[] = [];
    for (const [k, level] of levels.entries()) {
      built.push(this.#built(level, await this.#machine(level), levels.at(k + 1)));
    }
    return built;
  }

  notices(): readonly string[] {
    const { machine } = this.#parts;
    return machine.kind === "svm" ? openNotice("of the search", this.trainer.open, machine) : [];
  }

  release(): void {
    this.trainer.release();
  }

  #machine({ rows, choice }: BestLevel): Promise<CascadeMachine> {
    const { kernels, labels, machine } = this.#parts;
    const input = { kernel: kernels[choice].descriptor(), labels, machine, rows, choice };
    return this.trainer.runOne(cascadeMachineTask, input, rows.length ** 2);
  }

  #built({ choice, rows }: BestLevel, machine: CascadeMachine, next: BestLevel | undefined): BuiltLevel {
    const { features, kernels } = this.#parts;
    const { kernel } = kernels[choice];
    const expansion = KernelExpansion.trainedOn(features, rows, kernel, machine);
    const m = this.#parts.rows.length;
    const dimension = this.#dimensions[choice];
    const { cost } = machine;
    return {
      classifier: { kind: "kernel", machine: expansion, ...(cost !== undefined && { cost }) },
      ...(next && { question: this.#question(expansion, rows, next.rows) }),
      degree: degreeOf(kernel),
      complexity: this.complexity.of(choice, rows.length, machine),
      guaranteed: { leaf: leafVcComplexity(dimension, m), gate: gateVcComplexity(dimension, m) },
    };
  }

  /**
   * The threshold is the largest distance of a row that goes on, or, for a strict gate, the smallest of one that stays,
   * in the arithmetic of prediction: the training rows are divided as the search has divided them.
   */
  #question(machine: KernelExpansion, rows: Int32Array, on: Int32Array): GateRule {
    const { features, settings } = this.#parts;
    const { gate } = settings;
    const distances = machine.values(features.select(rows)).map(Math.abs);
    const going = new Set(on);
    let threshold = gate === "closed" ? 0 : Number.POSITIVE_INFINITY;
    distances.forEach((distance, i) => {
      if (gate === "closed" && going.has(rows[i])) threshold = Math.max(threshold, distance);
      if (gate === "strict" && !going.has(rows[i])) threshold = Math.min(threshold, distance);
    });
    return { kind: "near", machine, threshold, gate };
  }
}
