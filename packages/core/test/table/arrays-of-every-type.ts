import type { NumericValues } from "#core/table/column.js";

/** The same whole numbers from 0 to 127 in every type of array that a column can have but doubles. */
export function arraysOfEveryType(cells: readonly number[]): NumericValues[] {
  const types = [Float32Array, Int32Array, Int16Array, Uint16Array, Int8Array, Uint8Array];
  return types.map((type) => type.from(cells));
}
