import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { Scope } from "../../runtime/wasm/arena.js";
import { defaultGamma, polynomialScale } from "../kernel/choose-kernel.js";
import { dependsOnProducts, type Kernel } from "../kernel/kernel.js";
import { DotProducts, KernelMatrix } from "../kernel/kernel-matrix.js";
import { type KernelRows, kernelRows } from "../kernel/kernel-rows.js";
import type { SvmSolverOptions } from "../svm/solver.js";
import { ascending } from "./cascade-options.js";
import { type CostSearch, chooseCosts, costSearchMilliseconds } from "./choose-costs.js";
import type { ClassLabels } from "./class-machines.js";
import type { MachineSettings, Unconverged } from "./node-machine.js";

interface NodeKernelOptions {
  readonly kernel: Exclude<Kernel["kind"], "linear">;
  readonly degrees: readonly number[];
  readonly scale: "none" | "1/d" | number;
  readonly kernelGammas: readonly number[];
}

/**
 * Lists the kernels that a level chooses from, the simplest first. Polynomial kernels differ by degree, rbf and chi-square by
 * γ, and there is only one intersection kernel.
 */
export function nodeKernels(options: NodeKernelOptions, features: Matrix): Kernel[] {
  switch (options.kernel) {
    case "polynomial":
      return polynomialKernels(options.degrees, options.scale, features);
    case "intersection":
      return [{ kind: options.kernel }];
    default:
      return radialKernels(options.kernel, options.kernelGammas, features);
  }
}

/** Lists a kernel for each degree, the lowest first. */
export function polynomialKernels(
  degrees: readonly number[],
  scale: NodeKernelOptions["scale"],
  features: Matrix,
): Kernel[] {
  const factor = polynomialScale(scale, features);
  return ascending(degrees).map((degree) => ({ kind: "polynomial", degree, scale: factor }));
}

/** Lists a kernel for each multiple of the default γ of the features, the widest, which has the smallest γ, first. */
export function radialKernels(
  kind: "rbf" | "chi-square",
  multiples: readonly number[],
  features: Matrix,
): Kernel[] {
  const usual = defaultGamma(kind, features);
  return ascending(multiples).map((multiple) => ({ kind, gamma: multiple * usual }));
}

/** The kernel classifiers of a cascade. */
export interface KernelSettings {
  /** The simplest first. */
  readonly kernels: readonly Kernel[];
  /** Memory for the values of all kernels. */
  readonly cacheMegabytes: number;
  readonly machine:
    | ({ readonly kind: "svm" } & CostSearch)
    | { readonly kind: "perceptron"; readonly passes: number };
}

/** Makes the settings of support vector machines from the options that describe them. */
export function svmMachine(options: {
  readonly cGrid: readonly number[];
  readonly cFolds: number;
  readonly tolerance: number;
  readonly maxIterations: number;
}): KernelSettings["machine"] {
  const { cGrid, cFolds, tolerance, maxIterations } = options;
  return { kind: "svm", grid: ascending(cGrid), folds: cFolds, solver: { tolerance, maxIterations } };
}

/** Kernels of a sample that machines can be trained on. */
export interface PreparedKernels {
  /** One per kernel. */
  readonly kernels: readonly KernelRows[];
  /** Returns the settings of machines on some training points. */
  machine(rows: Int32Array): MachineSettings;
  readonly notices: readonly string[];
  /** Owns the kernels. */
  readonly owner: Scope;
}

/** Milliseconds of work for which threads are started at once. */
const WORTH_STARTING = 50;

/** Computes the kernels of a sample and, for support vector machines, chooses C, once for all of them. */
export async function prepareKernels(
  features: Matrix,
  labelled: ClassLabels,
  settings: KernelSettings,
  run: Run,
): Promise<PreparedKernels> {
  const { machine } = settings;
  if (machine.kind === "svm") prepareThreads(features.rows, settings.kernels.length, machine, run);
  using scope = new Scope();
  const kernels = await computeKernels(features, settings, run, scope);
  if (machine.kind === "perceptron")
    return { kernels, owner: scope.move(), machine: () => machine, notices: [] };
  const { costs, unconverged } = await chooseCosts(kernels, labelled, machine, run);
  return {
    kernels,
    owner: scope.move(),
    machine: (rows) => ({ kind: "svm", costs, points: rows.length, ...machine.solver }),
    notices: unconvergedNotice("in the choice of C", unconverged, machine.solver),
  };
}

/** Lets threads start and load while the kernels are being computed, if there is enough to do. */
function prepareThreads(rows: number, kernels: number, search: CostSearch, { executor }: Run): void {
  if (costSearchMilliseconds(rows, kernels, search) < WORTH_STARTING) return;
  executor.prepare?.(["runtime/maths/gram", "kernel/panels", "cascade/fold-errors", "cascade/train-nodes"]);
}

/** Computes the values of each kernel: as matrices if they all fit into memory, otherwise rows on demand. */
async function computeKernels(
  features: Matrix,
  { kernels, cacheMegabytes }: KernelSettings,
  run: Run,
  scope: Scope,
): Promise<KernelRows[]> {
  const megabytes = cacheMegabytes / kernels.length;
  const fits = KernelMatrix.bytes(features.rows) <= megabytes * 2 ** 20;
  using dots = fits && kernels.some(dependsOnProducts) ? await DotProducts.of(features, run) : undefined;
  const values: KernelRows[] = [];
  for (const kernel of kernels) {
    const own = await (dots?.kernelMatrix(kernel, run) ?? kernelRows(features, kernel, megabytes, run));
    values.push(scope.hold(own));
  }
  return values;
}

/** Words a notice about solver runs that did not converge; none if all did. */
export function unconvergedNotice(
  where: string,
  { count, largestGap }: Unconverged,
  { tolerance, maxIterations }: SvmSolverOptions,
): string[] {
  if (count === 0) return [];
  return [
    `${formatCount(count, "support vector machine")} ${where} did not converge within ` +
      `${formatCount(maxIterations, "iteration")}: the largest remaining gap is ${formatNumber(largestGap)}, ` +
      `above the tolerance ${formatNumber(tolerance)}. ` +
      "Raise maxIterations or tolerance, or remove large values of C from cGrid.",
  ];
}
