import type { Encoder } from "@vouch/core/internal/encode/encoder";
import { labelledSample } from "@vouch/core/internal/encode/encoder";
import type { Model } from "@vouch/core/internal/learners/model";
import { Table } from "@vouch/core/internal/table/table";

/** Number of cells along each side of the picture. */
export const CELLS = 80;

/** The predicted class of each cell of a square, row by row from the upper left. Plain data. */
export interface DecisionRegions {
  /** Half the side of the square around the origin. */
  readonly half: number;
  /** Predicted class in each cell, as an index of all letters, because the regions of another problem may be shown. */
  readonly classes: Uint8Array;
  /** Margin of each prediction as a fraction of `largestMargin`, from 0 to 255. */
  readonly clearness: Uint8Array;
  /** 1 for models with probabilities; otherwise the largest margin in the square, because all margins may be small. */
  readonly largestMargin: number;
}

export function cellMiddle(cell: number, half: number): { readonly x: number; readonly y: number } {
  const side = (2 * half) / CELLS;
  const column = cell % CELLS;
  const row = Math.floor(cell / CELLS);
  return { x: (column + 0.5) * side - half, y: half - (row + 0.5) * side };
}

/** Returns the cell of a point, or the nearest cell for points outside the square. */
export function findCell(x: number, y: number, half: number): number {
  const place = (value: number) =>
    Math.max(0, Math.min(CELLS - 1, Math.floor(((value + half) / (2 * half)) * CELLS)));
  return place(-y) * CELLS + place(x);
}

/** Makes a table of points. */
export function planeTable(x: Float64Array, y: Float64Array): Table {
  return Table.fromColumns("playground", { x, y });
}

/** Makes a table of the middles of all cells. */
export function cellTable(half: number): Table {
  const middles = Array.from({ length: CELLS * CELLS }, (_, cell) => cellMiddle(cell, half));
  return planeTable(
    Float64Array.from(middles, ({ x }) => x),
    Float64Array.from(middles, ({ y }) => y),
  );
}

/**
 * Predicts the centres of all cells. The clearness of a prediction is the normalised margin of its class.
 *
 * @param letters the letter of each class of the model
 */
export function decisionRegions(
  model: Model,
  encoder: Encoder,
  cells: Table,
  { half, letters }: { readonly half: number; readonly letters: readonly number[] },
): DecisionRegions {
  const features = encoder.encode(cells);
  const predictions = model.predict(features);
  const margins = model.margins(labelledSample(encoder, { features: cells, labels: predictions }));
  const largestMargin = model.scoring === "probability" ? 1 : Math.max(Number.MIN_VALUE, ...margins);
  return {
    half,
    classes: Uint8Array.from(predictions, (k) => letters[k]),
    largestMargin,
    clearness: Uint8Array.from(margins, (margin) =>
      Math.round(255 * Math.max(0, Math.min(1, margin / largestMargin))),
    ),
  };
}
