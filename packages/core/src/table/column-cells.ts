import { isShared, sharedBuffer } from "../runtime/parallel/shared-array.js";
import type { CategoricalColumn, Column, NumericColumn, NumericValues } from "./column.js";
import { SelectedValues } from "./selected-values.js";
import { SparseValues } from "./sparse-cells.js";

/** Cells of a column, or of some of its rows, as plain data for tasks. */
export interface CellSource {
  readonly cells: NumericValues;
  /** The selected rows, in order; all if absent. */
  readonly rows?: Int32Array;
}

/** Sources of columns whose cells have not been copied. */
const SELECTED = new WeakMap<Column, CellSource>();

/** Returns the source of a column's numbers without copying selected rows; undefined for a sparse column. */
export function numberSource(column: NumericColumn): CellSource | undefined {
  const selected = SELECTED.get(column);
  if (selected) return selected;
  const { values } = column;
  return values instanceof SparseValues ? undefined : { cells: values };
}

/** Returns the source of a column's codes without copying selected rows. */
export function codeSource(column: CategoricalColumn): CellSource {
  return SELECTED.get(column) ?? { cells: column.codes };
}

/** Returns the number of cells of a source. */
export function sourceLength({ cells, rows }: CellSource): number {
  return rows?.length ?? cells.length;
}

/** Returns the number of cells of a column. */
export function cellCount(column: Column): number {
  const selected = SELECTED.get(column);
  if (selected) return sourceLength(selected);
  return column.kind === "numeric" ? column.values.length : column.codes.length;
}

/** Returns whether the cells of a column were selected from another one, which was checked. */
export function isSelected(column: Column): boolean {
  return SELECTED.has(column);
}

/**
 * Makes a column of some rows of another one, in order, without a copy; its cells are copied when something other than
 * a task reads them. Parts of a long table therefore take no additional memory.
 */
export function selectedColumn(column: Column, rows: Int32Array): Column {
  const source = sourceOfRows(column, rows);
  let copied: NumericValues | undefined;
  const cells = () => {
    copied ??= copyRows(source.cells, source.rows, sharedBytesFor(source.cells, rows.length));
    return copied;
  };
  const made: Column =
    column.kind === "numeric"
      ? {
          kind: "numeric",
          name: column.name,
          get values() {
            return cells();
          },
        }
      : {
          kind: "categorical",
          name: column.name,
          levels: column.levels,
          ...(column.holds && { holds: column.holds }),
          get codes() {
            return asCodes(cells());
          },
        };
  SELECTED.set(made, source);
  return made;
}

function sourceOfRows(column: Column, rows: Int32Array): Required<CellSource> {
  const source = column.kind === "numeric" ? numberSource(column) : codeSource(column);
  if (!source) throw new TypeError("Sparse columns are selected together.");
  return { cells: source.cells, rows: source.rows ? composed(source.rows, rows) : rows };
}

/** Compositions of row selections, which all columns of a table share. */
const COMPOSED = new WeakMap<Int32Array, { readonly of: Int32Array; readonly rows: Int32Array }>();

function composed(of: Int32Array, rows: Int32Array): Int32Array {
  const known = COMPOSED.get(rows);
  if (known?.of === of) return known.rows;
  const own = new Int32Array(sharedBuffer(4 * rows.length, "the selected rows"));
  for (let i = 0; i < rows.length; i++) own[i] = of[rows[i]];
  COMPOSED.set(rows, { of, rows: own });
  return own;
}

/** Copies some rows of a column, in this order. */
export function copiedColumn(column: Column, rows: Int32Array): Column {
  const { cells, rows: own } = sourceOfRows(column, rows);
  const values = copyRows(cells, own, new ArrayBuffer(own.length * cells.BYTES_PER_ELEMENT));
  if (column.kind === "numeric") return { kind: "numeric", name: column.name, values };
  const { name, levels, holds } = column;
  return { kind: "categorical", name, levels, ...(holds && { holds }), codes: asCodes(values) };
}

function asCodes(cells: NumericValues): Int32Array {
  return cells instanceof Int32Array ? cells : Int32Array.from(cells);
}

/** Copies the cells of some rows into a buffer. */
function copyRows(cells: NumericValues, rows: ArrayLike<number>, to: ArrayBufferLike): NumericValues {
  const own = viewAs(cells, to);
  for (let i = 0; i < rows.length; i++) own[i] = cells[rows[i]];
  return own;
}

/** Returns the cells of a source. */
export function cellsFrom({ cells, rows }: CellSource): NumericValues | SelectedValues {
  return rows ? new SelectedValues(cells, rows) : cells;
}

const SHARED = new WeakMap<NumericValues, NumericValues>();

/** Returns the same source in shared memory. What is not shared yet is copied once, while the original is in use. */
export function sharedSource({ cells, rows }: CellSource): CellSource {
  return { cells: sharedCells(cells), ...(rows && { rows: sharedCells(rows) }) };
}

function sharedCells<Cells extends NumericValues>(cells: Cells): Cells;
function sharedCells(cells: NumericValues): NumericValues {
  if (isShared(cells)) return cells;
  const known = SHARED.get(cells);
  if (known) return known;
  const copy = viewAs(cells, sharedBytesFor(cells, cells.length));
  copy.set(cells);
  SHARED.set(cells, copy);
  return copy;
}

function sharedBytesFor(cells: NumericValues, length: number): ArrayBufferLike {
  return sharedBuffer(length * cells.BYTES_PER_ELEMENT, "the cells of a column");
}

/** Views a buffer as cells of the same type. */
function viewAs(cells: NumericValues, buffer: ArrayBufferLike): NumericValues {
  if (cells instanceof Float64Array) return new Float64Array(buffer);
  if (cells instanceof Float32Array) return new Float32Array(buffer);
  if (cells instanceof Int32Array) return new Int32Array(buffer);
  if (cells instanceof Int16Array) return new Int16Array(buffer);
  if (cells instanceof Uint16Array) return new Uint16Array(buffer);
  if (cells instanceof Int8Array) return new Int8Array(buffer);
  return new Uint8Array(buffer);
}
