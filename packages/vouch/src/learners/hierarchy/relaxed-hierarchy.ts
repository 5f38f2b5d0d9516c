import type { z } from "zod";
import type { Sample } from "../../encode/sample.js";
import { ScratchPool } from "../../runtime/arena.js";
import type { Executor } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import { Matrix } from "../../runtime/matrix.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { checkAmounts, type Kernel, kernelValue, takesAmounts } from "../kernel/kernel.js";
import { KernelMatrix, kernelMatrix } from "../kernel/kernel-matrix.js";
import { chooseKernel } from "../kernel/kernel-options.js";
import { kernelRows } from "../kernel/kernel-rows.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { linearSolverBytes } from "../linear/dual-coordinate-descent.js";
import { LinearRows } from "../linear/linear-rows.js";
import { parseOptions } from "../options.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import { kernelMeanProducts, meanProducts } from "./class-means.js";
import { type Grown, type GrownNode, grow, type RowsByClass } from "./grow.js";
import { RelaxedHierarchyModel } from "./hierarchy-model.js";
import { type HierarchyOptions, hierarchyOptions } from "./hierarchy-options.js";
import { type HierarchyMachines, KernelMachines, LinearMachines } from "./machines.js";
import { searchRows } from "./search.js";

const NAME = "relaxed-hierarchy";

/** A hierarchy of support vector machines, each of which may ignore classes that it would confuse. */
export function relaxedHierarchy(
  given?: z.input<typeof hierarchyOptions>,
): Learner<RelaxedHierarchyModel, Matrix> {
  const options = parseOptions(NAME, hierarchyOptions, given);
  return {
    name: NAME,
    options,
    encoding: { kind: "numeric", standardise: scalingOf(options.kernel) },
    async fit(rows: Sample<Matrix>, partialRun?: Partial<Run>) {
      const run = completeRun(partialRun);
      checkFinite(rows.features, rows.featureNames);
      checkAmounts(options.kernel, rows.features, rows.featureNames);
      const { sample } = trainingSample(NAME, rows);
      return fitHierarchy(sample, options, run);
    },
  };
}

/** What the rest of the system knows of `relaxed-hierarchy`. */
export const relaxedHierarchyDefinition: LearnerDefinition<
  typeof hierarchyOptions,
  RelaxedHierarchyModel,
  Matrix
> = {
  name: NAME,
  summary:
    "A hierarchy of support vector machines for many classes: few evaluations, each node ignoring classes it would confuse.",
  options: hierarchyOptions,
  multiclass: true,
  create: relaxedHierarchy,
  restore: RelaxedHierarchyModel.restore,
};

async function fitHierarchy(
  sample: Sample,
  options: HierarchyOptions,
  run: Run,
): Promise<RelaxedHierarchyModel> {
  const { features, classes, featureNames } = sample;
  const kernel = chooseKernel(options, features);
  const { trained, rowsOf } = rowsByClass(sample);
  const costs = sample.weights
    ? sample.weights.map((weight) => options.C * weight)
    : new Float64Array(sample.rows).fill(options.C);
  const facts = { features, rowsOf, costs, options };
  const grown =
    kernel.kind === "linear" ? await growLinear(facts, run) : await growKernel(facts, kernel, run);
  const model = new RelaxedHierarchyModel({
    classes,
    featureNames,
    nodes: grown.nodes.map((node) => ({
      ...node.machine,
      colours: node.colours,
      classes: node.classes.map((k) => trained[k]),
      supportVectors: node.machine.support.length,
    })),
    machines: machinesOf(grown.nodes, kernel, features),
    squaredRadius: squaredRadius(kernel, features),
    rows: sample.rows,
    tolerance: options.tolerance,
    beyondLimit: grown.beyondLimit,
  });
  return model.withTraining(sample, supportRows(grown.nodes));
}

interface Facts {
  readonly features: Matrix;
  readonly rowsOf: readonly Int32Array[];
  readonly costs: Float64Array;
  readonly options: HierarchyOptions;
}

/** Linear machines keep weights: there are no kernel values. */
async function growLinear({ features, rowsOf, costs, options }: Facts, run: Run): Promise<Grown> {
  const rows = LinearRows.of(features);
  try {
    const executor = executorFor(rows.memory.shared, run);
    const bytes = linearSolverBytes(rows, features.rows);
    const scratch = ScratchPool.allocate(executor.threads, bytes, rows.memory);
    try {
      const material = {
        kind: "linear",
        rows: rows.descriptor(),
        scratch: scratch.descriptor(),
        ...limitsOf(options),
      } as const;
      const search = { material, rowsOf: searchRows(rowsOf, options.searchRows, run.seed), costs };
      const training = { material, rowsOf, costs };
      return await grow({ search, training, means: meanProducts(features, rowsOf), options }, executor, run);
    } finally {
      scratch.release();
    }
  } finally {
    rows.release();
  }
}

/** One set of kernel values serves the machines of all nodes, and one matrix the search at all of them. */
async function growKernel(facts: Facts, kernel: Kernel, run: Run): Promise<Grown> {
  const { features, rowsOf, costs, options } = facts;
  const values = await kernelRows(features, kernel, options.cacheMegabytes, run);
  try {
    const material = { kind: "kernel", values: values.descriptor(), ...limitsOf(options) } as const;
    const some = searchRows(rowsOf, options.searchRows, run.seed);
    const executor = executorFor(values.memory.shared, run);
    const growFrom = (search: RowsByClass, matrix: KernelMatrix) => {
      const means = kernelMeanProducts(matrix, search.rowsOf);
      return grow({ search, training: { material, rowsOf, costs }, means, options }, executor, run);
    };
    if (values instanceof KernelMatrix) return await growFrom({ material, rowsOf: some, costs }, values);
    return await onMatrixOf(some, facts, kernel, run, growFrom);
  } finally {
    values.release();
  }
}

/** Does the work with a matrix of the kernel values of some rows, class after class. */
async function onMatrixOf<Result>(
  some: readonly Int32Array[],
  { features, costs, options }: Facts,
  kernel: Kernel,
  run: Run,
  work: (search: RowsByClass, matrix: KernelMatrix) => Promise<Result>,
): Promise<Result> {
  const chosen = some.flatMap((rows) => Array.from(rows));
  const matrix = await kernelMatrix(features.select(chosen), kernel, run);
  try {
    const search: RowsByClass = {
      material: { kind: "kernel", values: matrix.descriptor(), ...limitsOf(options) },
      rowsOf: consecutive(some.map((rows) => rows.length)),
      costs: Float64Array.from(chosen, (row) => costs[row]),
    };
    return await work(search, matrix);
  } finally {
    matrix.release();
  }
}

function limitsOf({ tolerance, maxIterations }: HierarchyOptions) {
  return { tolerance, maxIterations };
}

/** Where memory is not shared, all work is done on this thread. */
function executorFor(shared: boolean, run: Run): Executor {
  return shared ? run.executor : inlineExecutor();
}

/** The classes that have rows, and the rows of each. */
function rowsByClass({ classes, labels }: Sample): { trained: number[]; rowsOf: Int32Array[] } {
  const rowsOf: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    rowsOf[label].push(row);
  });
  const trained = classes.map((_, k) => k).filter((k) => rowsOf[k].length > 0);
  return { trained, rowsOf: trained.map((k) => Int32Array.from(rowsOf[k])) };
}

/** 0, 1, … in pieces of the given lengths. */
function consecutive(lengths: readonly number[]): Int32Array[] {
  let end = 0;
  return lengths.map((length) => {
    const start = end;
    end += length;
    return Int32Array.from({ length }, (_, i) => start + i);
  });
}

function supportRows(nodes: readonly GrownNode[]): Int32Array {
  const rows = new Set(nodes.flatMap(({ machine }) => Array.from(machine.support)));
  return Int32Array.from(rows).sort();
}

/** The machines of all nodes, with each row that any of them uses kept once. */
function machinesOf(nodes: readonly GrownNode[], kernel: Kernel, features: Matrix): HierarchyMachines {
  const biases = Float64Array.from(nodes, ({ machine }) => machine.bias);
  const { columns } = features;
  if (kernel.kind === "linear") {
    const weights = new Matrix(nodes.length, columns);
    nodes.forEach(({ machine }, j) => {
      weights.row(j).set(machine.weights ?? []);
    });
    return new LinearMachines({ weights, biases });
  }
  const rows = supportRows(nodes);
  const placeOf = new Map(Array.from(rows, (row, place) => [row, place]));
  const starts = new Int32Array(nodes.length + 1);
  nodes.forEach(({ machine }, j) => {
    starts[j + 1] = starts[j] + machine.support.length;
  });
  const support = new Int32Array(starts[nodes.length]);
  const coefficients = new Float64Array(starts[nodes.length]);
  nodes.forEach(({ machine }, j) => {
    support.set(
      machine.support.map((row) => placeOf.get(row) ?? 0),
      starts[j],
    );
    coefficients.set(machine.coefficients, starts[j]);
  });
  const supportVectors = new Matrix(rows.length, columns, Float64Array.from(features.select(rows).values));
  return new KernelMachines({ kernel, supportVectors, starts, support, coefficients, biases });
}

/** R² = max K(x, x) over the training rows. */
function squaredRadius(kernel: Kernel, features: Matrix): number {
  let largest = 0;
  for (let i = 0; i < features.rows; i++) {
    const row = features.row(i);
    largest = Math.max(largest, kernelValue(kernel, row, row));
  }
  return largest;
}

/** Amounts stay as they are; for linear machines features that are mostly zero stay so, as `linear-svm` has them. */
function scalingOf(kernel: HierarchyOptions["kernel"]): boolean | "keep-zeros" {
  if (takesAmounts(kernel)) return false;
  return kernel === "linear" ? "keep-zeros" : true;
}

/** TRANSITION */
export const relaxedHierarchyKind = legacyKind(relaxedHierarchyDefinition);
