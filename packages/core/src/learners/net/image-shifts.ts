import { VouchError } from "../../runtime/vouch-error.js";
import { pixelGrid } from "../pixel-grid.js";
import { randomWord } from "./dropout.js";
import type { UnitRows } from "./unit-rows.js";

/** How images can be moved by a few pixels; structured-cloneable. */
export interface ImageShifts {
  /** For each shift and feature, the feature that moves to its place; −1 if that is outside of the image or constant. */
  readonly sources: Int32Array;
  /** The smallest value of each feature, which is that of an empty pixel. */
  readonly backgrounds: Float32Array;
}

/**
 * Prepares shifts by up to `most` pixels, in both directions, of rows whose features are pixels by their names. Features may have been
 * shifted and scaled by one number: their smallest values are taken to be the same shade.
 */
export function imageShifts(names: readonly string[], values: Float32Array, most: number): ImageShifts {
  const grid = pixelGrid(names);
  if (!grid) {
    throw new VouchError(
      "learner/unsupported",
      "Option shift needs features that are the pixels of an image.",
      {
        hint: "Name the columns by row and column (p3_4) or number them (pixel17), or use shift=0.",
      },
    );
  }
  const { width, height, pixels } = grid;
  const columns = pixels.length;
  const featureAt = new Map(pixels.map((pixel, feature) => [pixel, feature]));
  const sources: number[] = [];
  for (let down = -most; down <= most; down++) {
    for (let right = -most; right <= most; right++) {
      for (const pixel of pixels) {
        const [row, column] = [Math.floor(pixel / width) - down, (pixel % width) - right];
        const isInside = row >= 0 && row < height && column >= 0 && column < width;
        sources.push((isInside ? featureAt.get(row * width + column) : undefined) ?? -1);
      }
    }
  }
  const backgrounds = new Float32Array(columns).fill(Number.POSITIVE_INFINITY);
  for (let k = 0; k < values.length; k++) {
    const column = k % columns;
    if (values[k] < backgrounds[column]) backgrounds[column] = values[k];
  }
  return { sources: Int32Array.from(sources), backgrounds };
}

/** Number of the layer before the input, for random numbers. */
const BEFORE_INPUT = -1;

/** Copies rows of features into the rows from `begin` to `end` − 1 of a batch, each moved by a shift that the seed of the step draws. */
export function copyShiftedRows(
  { sources, backgrounds }: ImageShifts,
  values: Float32Array,
  rows: ArrayLike<number>,
  { view, stride }: Pick<UnitRows, "view" | "stride">,
  begin: number,
  end: number,
  seed: number,
): void {
  const columns = backgrounds.length;
  const shifts = sources.length / columns;
  for (let r = begin; r < end; r++) {
    const from = rows[r] * columns;
    const shift = (randomWord(seed, BEFORE_INPUT, r) % shifts) * columns;
    for (let k = 0; k < columns; k++) {
      const source = sources[shift + k];
      view[r * stride + k] = backgrounds[k] + (source < 0 ? 0 : values[from + source] - backgrounds[source]);
    }
  }
}
