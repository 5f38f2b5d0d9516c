import * as z from "zod";
import { checked, json, variant } from "../../runtime/codec/parts.js";
import { float64, int32, matrix } from "../../runtime/codec/tensor-parts.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { kernelSchema } from "../kernel/kernel-options.js";
import { KernelSums, kernelOverflow } from "../kernel/kernel-sums.js";

/** The machines of all nodes: with the linear kernel their weights, otherwise support vectors that they share. */
export const hierarchyMachines = checked(
  variant({
    /** f(x) = w·x + b */
    linear: {
      kernel: z.strictObject({ kind: z.literal("linear") }),
      biases: float64(["nodes"]),
      weights: matrix("nodes", "features"),
    },
    /** f(x) = Σ yα·K(s, x) + b over the support vectors of the node. */
    kernel: {
      kernel: json(kernelSchema),
      biases: float64(["nodes"]),
      supportVectors: matrix("vectors", "features"),
      /** Where each node's entries begin in `support` and `coefficients`; the end of the last one comes last. */
      starts: int32([({ nodes }) => nodes + 1], { min: 0 }),
      support: int32(["entries"], { min: 0, below: "vectors" }),
      coefficients: float64(["entries"]),
    },
  }),
  (machines) => {
    if (machines.kind === "linear") return undefined;
    const { kernel, starts, support } = machines;
    if (kernel.kind === "linear") return "it has support vectors of the linear kernel";
    const ascending = starts.every((start, j) => j === 0 || start >= starts[j - 1]);
    return starts[0] === 0 && starts[starts.length - 1] === support.length && ascending
      ? undefined
      : "its nodes do not share out the support vectors";
  },
);

/** The machines of all nodes. */
export type HierarchyMachines = ReturnType<(typeof hierarchyMachines)["read"]>;

/** Lists the support vectors of a node; none with the linear kernel. */
export function supportOf(machines: HierarchyMachines, node: number): Int32Array {
  return machines.kind === "linear"
    ? new Int32Array(0)
    : machines.support.subarray(machines.starts[node], machines.starts[node + 1]);
}

/** Evaluates f(x) at a node for some rows of the features. */
export function nodeValues(
  machines: HierarchyMachines,
  node: number,
  features: Matrix,
  rows: Int32Array,
): Float64Array {
  const values = new Float64Array(rows.length).fill(machines.biases[node]);
  if (machines.kind === "linear") {
    const weights = machines.weights.row(node);
    for (let i = 0; i < rows.length; i++) values[i] += dot(features.values, rows[i], weights);
  } else kernelSums(machines, node, features, rows, values);
  checkValues(values, rows);
  return values;
}

/** Evaluates the machine of a node. */
function kernelSums(
  machines: Extract<HierarchyMachines, { kind: "kernel" }>,
  node: number,
  features: Matrix,
  rows: Int32Array,
  values: Float64Array,
): void {
  const vectors = machines.supportVectors.select(supportOf(machines, node));
  const coefficients = machines.coefficients.subarray(machines.starts[node], machines.starts[node + 1]);
  const support = Int32Array.from(coefficients, (_, s) => s);
  const bias = machines.biases[node];
  const write = (own: Float64Array, i: number) => {
    values[i] = own[0];
  };
  KernelSums.of(machines.kernel, vectors, [{ support, coefficients, bias }]).forEachRow(
    features,
    write,
    rows,
  );
}

/** Multiplies row i of a matrix with as many columns as the vector by the vector. */
function dot(values: ArrayLike<number>, i: number, vector: ArrayLike<number>): number {
  const start = i * vector.length;
  let sum = 0;
  for (let j = 0; j < vector.length; j++) sum += values[start + j] * vector[j];
  return sum;
}

function checkValues(values: Float64Array, rows: Int32Array): void {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw kernelOverflow(rows[at]);
}
