/**
 * Make tables, and run tasks on threads: a small entry for packages that read data. It loads no learner and no model.
 *
 * @packageDocumentation
 */

// Tables

export type {
  CategoricalColumn,
  Column,
  NumericColumn,
  NumericValues,
} from "./table/column.js";
export { isMissingMarker, isMissingNumber, MISSING_MARKERS } from "./table/missing-markers.js";
export {
  type DecimalMark,
  parseWritten,
  readLoneNumber,
  readWrittenNumber,
  type WrittenNumber,
} from "./table/number-notation.js";
export { type CellKind, cellKind, columnFromCells } from "./table/raw-cells.js";
export { type RecordOptions, RecordReader } from "./table/record-reader.js";
export type { Schema } from "./table/schema.js";
export { SparseValues } from "./table/sparse-values.js";
export { Table, type TableNotice } from "./table/table.js";

// Tasks and threads

export type { Executor, MapOptions, Task, TaskContext } from "./runtime/executor.js";
export { hardwareThreads } from "./runtime/platform.js";
export { defineTask } from "./runtime/task.js";
export { type ThreadExecutor, threadExecutor } from "./runtime/threads.js";

// Also here

export { inlineExecutor } from "./runtime/inline.js";
export { formatCount, formatNumber } from "./runtime/number-format.js";
export type { Progress } from "./runtime/run.js";
