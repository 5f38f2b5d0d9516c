import { type FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { isShared, onSharedMemory, sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { NetworkBuffers } from "./network-buffers.js";
import type { NetworkForm, NetworkWeights } from "./network-weights.js";
import { areMostlyZero, copyRows, inSinglePrecision } from "./row-source.js";
import type { UnitRows } from "./unit-rows.js";

const ROWS_PER_BATCH = 256;

/** Additions and multiplications in a millisecond, very roughly; only for estimates of time. */
const WORK_PER_MILLISECOND = 25_000_000;

/** Milliseconds of a task, about: short enough for checkpoints between tasks. */
const TASK_MILLISECONDS = 15;

/** Computes the outputs of the last layer for every row, before they become probabilities. */
export function networkSums(network: NetworkWeights, form: NetworkForm, features: Matrix): Matrix {
  const { rows, columns } = features;
  const units = network.sizes[network.sizes.length - 1];
  const sums = new Float64Array(rows * units);
  const values = inSinglePrecision(features, form.inputLimit);
  const batch = Math.min(ROWS_PER_BATCH, Math.max(1, rows));
  const sparse = areMostlyZero(values, columns);
  const resident = NetworkBuffers.allocate(network, { form, rows: batch, sparse });
  try {
    for (let first = 0; first < rows; first += ROWS_PER_BATCH) {
      const count = Math.min(ROWS_PER_BATCH, rows - first);
      const places = Int32Array.from({ length: count }, (_, r) => first + r);
      copyRows(values, columns, places, resident.input);
      takeRows(resident.sums(0, count), count, sums.subarray(first * units));
    }
  } finally {
    resident.release();
  }
  return new Matrix(rows, units, sums);
}

function takeRows({ view, stride, units }: UnitRows, rows: number, to: Float64Array): void {
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < units; k++) to[r * units + k] = view[r * stride + k];
  }
}

/** Computes the same on the threads of the run, with checkpoints. */
export async function networkSumsOnThreads(
  network: NetworkWeights,
  { activation, output, inputLimit }: NetworkForm,
  features: Matrix,
  { executor, signal }: Run,
): Promise<Matrix> {
  const { rows, columns } = features;
  const units = network.sizes[network.sizes.length - 1];
  const work = 2 * network.weights.reduce((sum, { length }) => sum + length, 0);
  const step = Math.max(ROWS_PER_BATCH, Math.ceil((TASK_MILLISECONDS * WORK_PER_MILLISECOND) / work));
  const shared = <Kind extends FloatArray>(array: Kind) =>
    executor.threads > 1 ? onSharedMemory(array) : array;
  const common = {
    network: { ...network, weights: network.weights.map(shared), biases: network.biases.map(shared) },
    form: { activation, output, inputLimit },
    columns,
    values: shared(features.values),
    sums: new Float64Array(sharedBuffer(8 * rows * units, "the outputs of the network")),
  };
  const inputs = Array.from({ length: Math.ceil(rows / step) }, (_, k): SumsInput => {
    return { ...common, begin: k * step, end: Math.min(rows, (k + 1) * step) };
  });
  const milliseconds = (rows * work) / WORK_PER_MILLISECOND;
  const parts = await executor.map(sumsTask, inputs, { ...(signal && { signal }), milliseconds });
  // Threads that share no memory send their part.
  parts.forEach((part, k) => {
    if (part) common.sums.set(part, k * step * units);
  });
  return new Matrix(rows, units, common.sums);
}

/** Rows `begin` … `end` − 1 of all values: structured-cloneable. */
interface SumsInput {
  readonly network: NetworkWeights;
  readonly form: NetworkForm;
  readonly columns: number;
  readonly values: FloatArray;
  readonly sums: Float64Array;
  readonly begin: number;
  readonly end: number;
}

/** Computes the outputs of some rows. */
const sumsTask = defineTask("net/sums", (input: SumsInput): FloatArray | undefined => {
  const { network, form, columns, values, sums, begin, end } = input;
  const rows = new Matrix(end - begin, columns, values.subarray(begin * columns, end * columns));
  const own = networkSums(network, form, rows).values;
  if (!isShared(sums)) return own;
  sums.set(own, begin * network.sizes[network.sizes.length - 1]);
  return undefined;
});
