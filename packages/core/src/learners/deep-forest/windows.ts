import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import { cutPoints } from "../../encode/cut-points.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { rangeOf } from "../../table/value-blocks.js";
import { binValues } from "./layer-input.js";

/**
 * The layout of the features of a row: pixel by pixel, row of pixels by row, with the channels of a pixel together. A
 * sequence is an image of height 1.
 */
export interface GridShape {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** A window that slides over the grid, `stride` pixels at a time. */
export interface ScanWindow {
  readonly width: number;
  readonly height: number;
  readonly stride: number;
}

/** Reads the option `shape`: length, or width and height, or width, height and channels. */
export function gridShape(learner: string, shape: readonly number[], features: number): GridShape {
  const [width, height = 1, channels = 1] = shape;
  if (width * height * channels === features) return { width, height, channels };
  throw new VouchError(
    "option/invalid",
    `Option shape of ${learner} is ${shape.join(",")}: that is ${width * height * channels} features, but the rows have ${features}.`,
    {
      hint: "The shape is the length of a sequence, the width and height of an image, or width, height and channels. It counts all columns except the target.",
    },
  );
}

/**
 * Returns windows with the given sides; by default those of gcForest, which cover 1/16, 1/8 and 1/4 of the grid. Windows of
 * an image are square, those of a sequence have height 1.
 */
export function scanWindows(
  learner: string,
  shape: GridShape,
  sides: readonly number[],
  stride: number | "half",
): ScanWindow[] {
  const wanted = sides.length > 0 ? sides : defaultSides(shape);
  return [...new Set(wanted)].map((side) => {
    const window = { width: side, height: shape.height === 1 ? 1 : side };
    if (window.width > shape.width || window.height > shape.height) {
      throw new VouchError(
        "option/invalid",
        `Option windows of ${learner} has a window of ${window.width} × ${window.height}, larger than the image of ${shape.width} × ${shape.height}.`,
        { hint: `Windows are at most ${largestSide(shape)} wide here.` },
      );
    }
    return { ...window, stride: stride === "half" ? Math.max(1, Math.floor(side / 2)) : stride };
  });
}

function defaultSides(shape: GridShape): number[] {
  const flat = shape.height === 1;
  const pixels = shape.width * shape.height;
  return [16, 8, 4].map((part) => {
    const side = Math.round(flat ? pixels / part : Math.sqrt(pixels / part));
    return Math.min(Math.max(1, side), largestSide(shape));
  });
}

function largestSide({ width, height }: GridShape): number {
  return height === 1 ? width : Math.min(width, height);
}

/** Returns the feature in the first corner of each position of a window, row by row. */
export function windowCorners(shape: GridShape, window: ScanWindow): Int32Array {
  const corners: number[] = [];
  for (let y = 0; y + window.height <= shape.height; y += window.stride) {
    for (let x = 0; x + window.width <= shape.width; x += window.stride) {
      corners.push((y * shape.width + x) * shape.channels);
    }
  }
  return Int32Array.from(corners);
}

/** Returns the distance of each feature of a window, in the order of the grid, from that in the first corner. */
export function windowOffsets(shape: GridShape, window: ScanWindow): Int32Array {
  const offsets: number[] = [];
  for (let y = 0; y < window.height; y++) {
    const row = y * shape.width * shape.channels;
    for (let k = 0; k < window.width * shape.channels; k++) offsets.push(row + k);
  }
  return Int32Array.from(offsets);
}

/** Values of a byte. */
export const BINS = MISSING_BIN + 1;

/** Cells of a column that are used to find bins. */
const CELLS_PER_COLUMN = 1000;

/**
 * Maps the bins of each column to bins that all pixels of a channel share, because a window sees any position. Element
 * `j * 256 + bin` is the shared bin of that bin of column j.
 */
export function sharedBins(features: BinnedColumns, { channels }: GridShape): Uint8Array {
  const valuesOf = features.features.map(binValues);
  const bins = new Uint8Array(features.columns * BINS).fill(MISSING_BIN);
  for (let channel = 0; channel < channels; channel++) {
    const columns: number[] = [];
    for (let j = channel; j < features.columns; j += channels) columns.push(j);
    const cuts = channelCuts(features, columns, valuesOf);
    for (const j of columns) {
      for (let bin = 0; bin < MISSING_BIN; bin++) {
        const value = valuesOf[j][bin];
        if (!Number.isNaN(value)) bins[j * BINS + bin] = cutsBelow(cuts, value);
      }
    }
  }
  return bins;
}

function channelCuts(
  features: BinnedColumns,
  columns: readonly number[],
  valuesOf: readonly Float64Array[],
): Float64Array {
  const step = Math.max(1, Math.floor(features.rows / CELLS_PER_COLUMN));
  const cells: number[] = [];
  for (const j of columns) {
    const column = features.column(j);
    for (let i = 0; i < column.length; i += step) cells.push(valuesOf[j][column[i]]);
  }
  const values = Float64Array.from(cells);
  return cutPoints(values, rangeOf("The image", { kind: "numeric", name: "pixels", values }), MISSING_BIN);
}

function cutsBelow(cuts: Float64Array, value: number): number {
  let count = 0;
  while (count < cuts.length && cuts[count] < value) count++;
  return count;
}
