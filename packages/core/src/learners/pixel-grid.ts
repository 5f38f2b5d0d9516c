/** Features that are the pixels of an image. */
export interface PixelGrid {
  readonly width: number;
  readonly height: number;
  /** The pixel of each feature, counted row by row; some pixels have no feature because they are constant. */
  readonly pixels: readonly number[];
}

/** Images are not smaller than this, in pixels to a side; nor are larger ones drawn. */
const LEAST_SIDE = 4;
const MOST_SIDE = 64;

/** Most sides of images are multiples of this: 8, 16, 20, 28, 32, 64. */
const SIDE_STEP = 4;

/** Fraction of the pixels that have a feature at least. */
const LEAST_PRESENT = 0.5;

/** Names of pixels: a word, then one number, or row and column, such as `pixel17`, `p3_4`, `p34` and `3x4`. */
const SINGLE = /^(?:pixel|pix|px|p)[ _.-]?(\d+)$/i;
const PAIR = /^(?:pixel|pix|px|p)?[ _.-]?(\d+)[ _.x-](\d+)$/i;
const DIGITS = /^(?:pixel|pix|px|p)[ _.-]?((?:\d\d)+)$/i;

/**
 * Finds the image whose pixels are the features, by their names; returns undefined if there is none. A single number counts the
 * pixels of a square.
 */
export function pixelGrid(names: readonly string[]): PixelGrid | undefined {
  if (names.length < LEAST_SIDE ** 2 || names.length > MOST_SIDE ** 2) return undefined;
  const grids = [gridOf(pairs(names)), squareOf(numbers(names))].filter((grid) => grid !== undefined);
  const [fullest] = grids.toSorted((a, b) => a.width * a.height - b.width * b.height);
  return fullest;
}

/** Reads rows and columns; undefined if a name has none. */
function pairs(names: readonly string[]): readonly (readonly [number, number])[] | undefined {
  const found = names.flatMap((name): [number, number][] => {
    const pair = PAIR.exec(name);
    if (pair) return [[Number(pair[1]), Number(pair[2])]];
    const digits = DIGITS.exec(name)?.[1];
    const half = digits === undefined ? 0 : digits.length / 2;
    return digits === undefined ? [] : [[Number(digits.slice(0, half)), Number(digits.slice(half))]];
  });
  return found.length === names.length ? found : undefined;
}

function numbers(names: readonly string[]): readonly number[] | undefined {
  const found = names.flatMap((name) => SINGLE.exec(name)?.[1] ?? []).map(Number);
  return found.length === names.length ? found : undefined;
}

/** Counts rows and columns from 0 or 1, whichever is the smaller of all. */
function gridOf(pairs: readonly (readonly [number, number])[] | undefined): PixelGrid | undefined {
  if (!pairs) return undefined;
  const start = Math.min(1, ...pairs.flat());
  const height = Math.max(...pairs.map(([row]) => row)) - start + 1;
  const width = Math.max(...pairs.map(([, column]) => column)) - start + 1;
  const pixels = pairs.map(([row, column]) => (row - start) * width + column - start);
  return checkedGrid({ width, height, pixels });
}

function squareOf(numbers: readonly number[] | undefined): PixelGrid | undefined {
  if (!numbers) return undefined;
  const start = Math.min(1, ...numbers);
  const last = Math.ceil(Math.sqrt(Math.max(...numbers) - start + 1));
  // If pixels are missing, whole rows at the end may be, too; sides are then mostly multiples of 4.
  const side = numbers.length === last ** 2 ? last : SIDE_STEP * Math.ceil(last / SIDE_STEP);
  return checkedGrid({ width: side, height: side, pixels: numbers.map((number) => number - start) });
}

function checkedGrid(grid: PixelGrid): PixelGrid | undefined {
  const { width, height, pixels } = grid;
  const isImage = Math.min(width, height) >= LEAST_SIDE && Math.max(width, height) <= MOST_SIDE;
  const isDistinct = new Set(pixels).size === pixels.length;
  return isImage && isDistinct && pixels.length >= LEAST_PRESENT * width * height ? grid : undefined;
}
