import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { ArenaPool } from "../../runtime/wasm/arena.js";
import { chooseKernel } from "../kernel/choose-kernel.js";
import type { Kernel } from "../kernel/kernel.js";
import { KernelMatrix, kernelMatrix } from "../kernel/kernel-matrix.js";
import { kernelRows } from "../kernel/kernel-rows.js";
import { linearSolverBytes } from "../linear/dual-coordinate-descent.js";
import { loadLinearRows } from "../linear/linear-rows.js";
import { kernelMeanProducts, meanProducts } from "./class-means.js";
import { type Grown, type GrownNode, grow, type RowsByClass } from "./grow-hierarchy.js";
import { type HierarchyNode, linkedNodes } from "./hierarchy-graph.js";
import type { HierarchyOptions } from "./hierarchy-options.js";
import type { HierarchyMachines } from "./node-machines.js";
import { searchRows } from "./search-colours.js";

/** A hierarchy that was fitted to a sample. */
interface FittedHierarchy {
  readonly nodes: readonly HierarchyNode[];
  readonly machines: HierarchyMachines;
  /** The training rows in the compression set of any machine. */
  readonly kept: ReadonlySet<number>;
  /** Number of nodes at which all classes take part because of `maxNodes`. */
  readonly beyondLimit: number;
}

/** Fits a hierarchy of support vector machines. */
export async function fitHierarchy(
  sample: Sample<Matrix>,
  options: HierarchyOptions,
  run: Run,
): Promise<FittedHierarchy> {
  const { features } = sample;
  const kernel = chooseKernel(options, features);
  const { trained, rowsOf } = rowsByClass(sample);
  const costs = sample.weights
    ? sample.weights.map((weight) => options.C * weight)
    : new Float64Array(sample.rows).fill(options.C);
  const problem = { features, rowsOf, costs, options };
  const { nodes: grown, beyondLimit } =
    kernel.kind === "linear" ? await growLinear(problem, run) : await growKernel(problem, kernel, run);
  const nodes = linkedNodes(
    grown.map(({ classes, colours, machine: { rows, errors, squaredNorm, smallestValue, gap } }) => {
      return {
        classes: classes.map((k) => trained[k]),
        colours,
        rows,
        errors,
        squaredNorm,
        smallestValue,
        gap,
      };
    }),
  );
  if (!nodes) throw new Error("The nodes of a hierarchy do not lead to each other.");
  const kept = new Set(grown.flatMap(({ machine }) => Array.from(machine.kept)));
  const machines =
    kernel.kind === "linear" ? linearMachines(grown, features) : kernelMachines(grown, kernel, features);
  return { nodes, machines, kept, beyondLimit };
}

interface Problem {
  readonly features: Matrix;
  readonly rowsOf: readonly Int32Array[];
  readonly costs: Float64Array;
  readonly options: HierarchyOptions;
}

/** Grows a hierarchy of linear machines, which need no kernel values. */
async function growLinear({ features, rowsOf, costs, options }: Problem, run: Run): Promise<Grown> {
  using rows = await runOnThreads(loadLinearRows(features), run);
  const executor = executorFor(rows.memory.shared, run);
  const bytes = linearSolverBytes(rows, features.rows);
  // This thread may search while all others train.
  using scratch = ArenaPool.allocate(executor.threads + 1, bytes, rows.memory);
  const setup = { kind: "linear", rows, scratch, ...limitsOf(options) } as const;
  const search = { setup, rowsOf: searchRows(rowsOf, options.searchRows, run.seed), costs };
  const training = { setup, rowsOf, costs };
  return await grow({ search, training, means: meanProducts(features, rowsOf), options }, executor, run);
}

/** Grows a hierarchy of kernel machines: all share the kernel values of all rows, and the matrix of the search rows. */
async function growKernel(problem: Problem, kernel: Kernel, run: Run): Promise<Grown> {
  const { features, rowsOf, costs, options } = problem;
  using values = await kernelRows(features, kernel, options.cacheMegabytes, run);
  const setup = { kind: "kernel", values, ...limitsOf(options) } as const;
  const chosen = searchRows(rowsOf, options.searchRows, run.seed);
  const executor = executorFor(values.memory.shared, run);
  const growFrom = (search: RowsByClass, matrix: KernelMatrix) => {
    const means = kernelMeanProducts(matrix, search.rowsOf);
    return grow({ search, training: { setup, rowsOf, costs }, means, options }, executor, run);
  };
  if (values instanceof KernelMatrix) return await growFrom({ setup, rowsOf: chosen, costs }, values);
  return await withMatrixOf(chosen, problem, kernel, run, growFrom);
}

/** Does work with the kernel matrix of some rows, which are renumbered class by class. */
async function withMatrixOf<Result>(
  rowsOf: readonly Int32Array[],
  { features, costs, options }: Problem,
  kernel: Kernel,
  run: Run,
  work: (search: RowsByClass, matrix: KernelMatrix) => Promise<Result>,
): Promise<Result> {
  const chosen = rowsOf.flatMap((rows) => Array.from(rows));
  using matrix = await kernelMatrix(features.select(chosen), kernel, run);
  let end = 0;
  const renumbered = rowsOf.map(({ length }) => {
    const start = end;
    end += length;
    return Int32Array.from({ length }, (_, i) => start + i);
  });
  const search: RowsByClass = {
    setup: { kind: "kernel", values: matrix, ...limitsOf(options) },
    rowsOf: renumbered,
    costs: Float64Array.from(chosen, (row) => costs[row]),
  };
  return await work(search, matrix);
}

function limitsOf({ tolerance, maxIterations }: HierarchyOptions) {
  return { tolerance, maxIterations };
}

/** Returns the run's executor, or one on this thread without shared memory. */
function executorFor(shared: boolean, run: Run): Executor {
  return shared ? run.executor : inlineExecutor();
}

/** Finds the classes that have rows, and the rows of each. */
function rowsByClass({ classes, labels }: Sample<Matrix>): { trained: number[]; rowsOf: Int32Array[] } {
  const rowsOf: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    rowsOf[label].push(row);
  });
  const trained = classes.map((_, k) => k).filter((k) => rowsOf[k].length > 0);
  return { trained, rowsOf: trained.map((k) => Int32Array.from(rowsOf[k])) };
}

function linearMachines(nodes: readonly GrownNode[], { columns }: Matrix): HierarchyMachines {
  const weights = new Matrix(nodes.length, columns);
  nodes.forEach(({ machine }, j) => {
    weights.row(j).set(machine.weights ?? []);
  });
  return { kind: "linear", kernel: { kind: "linear" }, biases: biasesOf(nodes), weights };
}

/** Keeps each support vector once, however many machines use it. */
function kernelMachines(nodes: readonly GrownNode[], kernel: Kernel, features: Matrix): HierarchyMachines {
  const rows = Int32Array.from(new Set(nodes.flatMap(({ machine }) => Array.from(machine.support)))).sort();
  const indexOf = new Map(Array.from(rows, (row, index) => [row, index]));
  const starts = new Int32Array(nodes.length + 1);
  nodes.forEach(({ machine }, j) => {
    starts[j + 1] = starts[j] + machine.support.length;
  });
  const support = new Int32Array(starts[nodes.length]);
  const coefficients = new Float64Array(starts[nodes.length]);
  nodes.forEach(({ machine }, j) => {
    support.set(
      machine.support.map((row) => indexOf.get(row) ?? 0),
      starts[j],
    );
    coefficients.set(machine.coefficients, starts[j]);
  });
  const vectors = Float64Array.from(features.select(rows).values);
  const supportVectors = new Matrix(rows.length, features.columns, vectors);
  return { kind: "kernel", kernel, biases: biasesOf(nodes), supportVectors, starts, support, coefficients };
}

function biasesOf(nodes: readonly GrownNode[]): Float64Array {
  return Float64Array.from(nodes, ({ machine }) => machine.bias);
}
