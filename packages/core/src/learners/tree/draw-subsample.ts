import { Random } from "../../runtime/random.js";

/** Rows that are drawn from together, so that whoever holds some of the rows draws from these alone. */
const ROWS_PER_DRAW = 65536;

/** The stream that places the numbers of draws; those of the pieces are 0, 1, … */
const PLACING = -1;

/** Random bits of the place: with the number of draws they fit in a double. */
const PLACE_BITS = 20;

/** How to draw some of the rows, without replacement. */
export interface Subsample {
  /** Number of rows to draw from. */
  readonly rows: number;
  /** Number of rows to draw; fewer than there are. */
  readonly draws: number;
  readonly seed: number;
}

/**
 * Draws rows without replacement and counts those of the rows from `first` on, as many as `counts` has: their counts become 1. Every 65,536 rows give
 * the same share of the draws, rounded up or down at random so that each row has the same probability. Within them the draw is uniform
 * (Floyd's algorithm, in Bentley and Floyd 1987).
 */
export function drawSubsample({ rows, draws, seed }: Subsample, first: number, counts: Uint16Array): void {
  const random = new Random(seed);
  const place = (random.fork(PLACING).bits() >>> (32 - PLACE_BITS)) / 2 ** PLACE_BITS;
  const before = (row: number) =>
    row >= rows ? draws : Math.min(draws, Math.floor((draws * row) / rows + place));
  const isDrawn = new Uint8Array(Math.min(rows, ROWS_PER_DRAW));
  const last = Math.ceil((first + counts.length) / ROWS_PER_DRAW);
  for (let piece = Math.floor(first / ROWS_PER_DRAW); piece < last; piece++) {
    const begin = piece * ROWS_PER_DRAW;
    const end = Math.min(rows, begin + ROWS_PER_DRAW);
    drawSome(isDrawn.subarray(0, end - begin).fill(0), before(end) - before(begin), random.fork(piece));
    for (let row = Math.max(begin, first); row < Math.min(end, first + counts.length); row++) {
      counts[row - first] = isDrawn[row - begin];
    }
  }
}

function drawSome(isDrawn: Uint8Array, count: number, random: Random): void {
  for (let last = isDrawn.length - count; last < isDrawn.length; last++) {
    const row = random.integer(last + 1);
    isDrawn[isDrawn[row] === 1 ? last : row] = 1;
  }
}

/** Returns how many draws a fraction of rows is, at least one. */
export function drawsPerTree(rows: number, fraction: number): number {
  return Math.max(1, Math.round(rows * fraction));
}
