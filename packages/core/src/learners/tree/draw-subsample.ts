import { Random } from "../../runtime/maths/random.js";

/** Rows that are drawn from together, so that the marks of drawn rows stay in the cache. */
const ROWS_PER_DRAW = 65536;

/** The stream that places the numbers of draws; those of the pieces are 0, 1, … */
const PLACING = -1;

/** Random bits of the place: with the number of draws they fit in a double. */
const PLACE_BITS = 20;

/**
 * Draws fewer rows than there are, without replacement, and writes 1 for drawn rows and 0 for the others. Every 65,536 rows give the same share of the
 * draws, rounded up or down at random so that each row has the same probability. Within them the draw is uniform (Floyd's algorithm, in Bentley and
 * Floyd 1987).
 */
export function drawSubsample(draws: number, seed: number, counts: Uint16Array): void {
  const rows = counts.length;
  const random = new Random(seed);
  const place = (random.fork(PLACING).bits() >>> (32 - PLACE_BITS)) / 2 ** PLACE_BITS;
  const before = (row: number) =>
    row >= rows ? draws : Math.min(draws, Math.floor((draws * row) / rows + place));
  const isDrawn = new Uint8Array(Math.min(rows, ROWS_PER_DRAW));
  for (let begin = 0, piece = 0; begin < rows; begin += ROWS_PER_DRAW, piece++) {
    const end = Math.min(rows, begin + ROWS_PER_DRAW);
    const drawn = isDrawn.subarray(0, end - begin).fill(0);
    drawSome(drawn, before(end) - before(begin), random.fork(piece));
    counts.set(drawn, begin);
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
