import { VouchError } from "../error.js";

/**
 * How the features of a row lie: pixel after pixel, row of pixels after row, the channels of a pixel together. A sequence
 * is an image of height 1.
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

/** The shape behind the option `shape`: length, or width and height, or these and channels. */
export function gridShape(learner: string, shape: readonly number[], features: number): GridShape {
  const [width, height = 1, channels = 1] = shape;
  if (width * height * channels === features) return { width, height, channels };
  throw new VouchError(
    "option/invalid",
    `Option shape of ${learner} is ${shape.join(",")}, which makes ${width * height * channels} features, but the rows have ${features}.`,
    {
      hint: "The shape is the length of a sequence, or width and height of an image, or width, height and channels. Columns that are the same in all rows are left out on loading and shift the others: add shape only where none is.",
    },
  );
}

/**
 * Windows of the given sides, or those of gcForest: a sixteenth, an eighth and a quarter of the grid. Windows of an image
 * are square, those of a sequence have height 1.
 */
export function scanWindows(
  learner: string,
  shape: GridShape,
  sides: readonly number[],
  stride: number | "half",
): ScanWindow[] {
  const wanted = sides.length > 0 ? sides : usualSides(shape);
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

function usualSides(shape: GridShape): number[] {
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

/** For each position of the window, row after row, the feature in its first corner. */
export function windowCorners(shape: GridShape, window: ScanWindow): Int32Array {
  const corners: number[] = [];
  for (let y = 0; y + window.height <= shape.height; y += window.stride) {
    for (let x = 0; x + window.width <= shape.width; x += window.stride) {
      corners.push((y * shape.width + x) * shape.channels);
    }
  }
  return Int32Array.from(corners);
}

/** For each feature of a window, in the order of the grid, how far its column is from that of the first corner. */
export function windowOffsets(shape: GridShape, window: ScanWindow): Int32Array {
  const offsets: number[] = [];
  for (let y = 0; y < window.height; y++) {
    const row = y * shape.width * shape.channels;
    for (let k = 0; k < window.width * shape.channels; k++) offsets.push(row + k);
  }
  return Int32Array.from(offsets);
}
