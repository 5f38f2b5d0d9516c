import { featuresFrom, type PlainFeatures, sharedFeatures } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { isShared } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import {
  LinearRows,
  type LinearRowsDescriptor,
  type RowSurvey,
  rangesOf,
  surveyRows,
} from "./linear-rows.js";

/** Cells surveyed or copied in a millisecond, roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 400_000;

/** Copies features into WebAssembly memory on all threads of the run. The caller releases the rows. */
export async function loadLinearRows(features: Matrix | SparseRows, run: Run): Promise<LinearRows> {
  const memory = wasmMemory();
  // To share numbers first would take as long as to copy them here.
  const canShare = memory.shared && isShared(features.values);
  const executor = canShare ? run.executor : inlineExecutor();
  const ranges = rangesOf(features);
  const plain = canShare ? sharedFeatures(features) : features;
  const options = {
    ...(run.signal && { signal: run.signal }),
    milliseconds: features.values.length / CELLS_PER_MILLISECOND,
  };
  const inputs = ranges.map(([from, to]) => ({ features: plain, from, to }));
  const surveys = await executor.map(surveyTask, inputs, options);
  const rows = LinearRows.allocate(features, surveys, memory);
  try {
    const target = rows.descriptor();
    await executor.map(
      writeTask,
      inputs.map((input) => ({ ...input, target })),
      options,
    );
    return rows;
  } catch (error) {
    rows.release();
    throw error;
  }
}

interface RangeInput {
  readonly features: PlainFeatures;
  readonly from: number;
  readonly to: number;
}

const surveyTask = defineTask(
  "linear/survey-rows",
  async ({ features, from, to }: RangeInput, context: TaskContext): Promise<RowSurvey> => {
    await context.checkpoint();
    return surveyRows(linearFeatures(features), from, to);
  },
);

const writeTask = defineTask(
  "linear/write-rows",
  async (
    { features, from, to, target }: RangeInput & { readonly target: LinearRowsDescriptor },
    context: TaskContext,
  ): Promise<void> => {
    await context.checkpoint();
    LinearRows.attach(target).write(linearFeatures(features), from, to);
  },
);

function linearFeatures(plain: PlainFeatures): Matrix | SparseRows {
  const features = featuresFrom(plain);
  if (features instanceof Matrix || features instanceof SparseRows) return features;
  throw new TypeError("Linear rows are made from a matrix or from sparse rows.");
}
