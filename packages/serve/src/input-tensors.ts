import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column } from "@vouch/core/internal/table/column";
import { cellKind, columnFromCells } from "@vouch/core/internal/table/raw-cells";
import type { Schema } from "@vouch/core/internal/table/schema";
import { Table } from "@vouch/core/internal/table/table";
import type { TensorCells } from "./tensor-data.js";

/** Name for the rows of a request in messages. */
export const REQUEST = "request";

/** An input tensor of the Open Inference Protocol. The number of cells matches its shape. */
export interface InputTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly cells: TensorCells;
}

/** Returns the number of elements of a shape. Throws unless its sizes are whole numbers with a safe product. */
export function countElements(tensor: string, shape: readonly unknown[]): number {
  let count = 1;
  for (const size of shape) {
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
      throw new VouchError("data/malformed", `Tensor "${tensor}": the shape has the size ${String(size)}.`, {
        hint: "Sizes are whole numbers, such as [100, 1].",
      });
    }
    count *= size;
  }
  if (Number.isSafeInteger(count)) return count;
  throw new VouchError("data/too-large", `Tensor "${tensor}": its shape is too large.`);
}

/**
 * Builds a table from input tensors: one per column of shape [rows] or [rows, 1], by name and in any order. If the
 * model has only numeric columns, a single tensor of shape [rows, columns] is allowed, in the order of the model's
 * columns.
 */
export function tableOfTensors(schema: Schema, inputs: readonly InputTensor[]): Table {
  const [first] = inputs;
  if (!first) {
    throw new VouchError("data/malformed", "The request has no inputs.", {
      hint: "Send one tensor per column of the model; GET the model to list them.",
    });
  }
  if (inputs.length === 1 && isMatrix(first, schema)) return tableOfMatrix(schema, first);
  const rows = first.shape[0] ?? 0;
  const kinds = new Map(schema.columns.map((column) => [column.name, cellKind(column)]));
  const columns = inputs.map(({ name, shape, cells }): Column => {
    const flat = shape.length === 1 || (shape.length === 2 && shape[1] === 1);
    if (!flat || shape[0] !== rows) {
      throw new VouchError("data/ragged", `Tensor "${name}" has the shape [${shape.join(", ")}].`, {
        hint: `All tensors have the shape [rows] or [rows, 1], with as many rows as the first one (${rows}).`,
      });
    }
    return columnFromCells(REQUEST, name, kinds.get(name) ?? "texts", cells);
  });
  return new Table(REQUEST, rows, columns);
}

/** Checks whether a single tensor holds all columns. */
function isMatrix({ name, shape }: InputTensor, { columns }: Schema): boolean {
  if (shape.length !== 2) return false;
  return shape[1] !== 1 || (columns.length === 1 && columns[0].name !== name);
}

function tableOfMatrix({ columns }: Schema, { name, shape, cells }: InputTensor): Table {
  const [rows, width] = shape;
  const other = columns.find(({ kind }) => kind !== "numeric");
  if (other || width !== columns.length) {
    const reason = other
      ? `column "${other.name}" of the model does not hold numbers`
      : `the model has ${columns.length} columns`;
    throw new VouchError(
      "data/ragged",
      `Tensor "${name}" has the shape [${shape.join(", ")}], but ${reason}.`,
      { hint: "Send one tensor per column, by name, of shape [rows]." },
    );
  }
  return new Table(
    REQUEST,
    rows,
    columns.map((column, j) => {
      const own = Array.from({ length: rows }, (_, row) => cells[row * width + j]);
      return columnFromCells(REQUEST, column.name, "numbers", own);
    }),
  );
}
