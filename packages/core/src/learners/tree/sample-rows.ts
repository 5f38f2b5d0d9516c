import { Random } from "../../runtime/maths/random.js";

/**
 * Samples of rows without replacement. Rows are drawn in pieces of 65,536, each of which gives the same share of the sample: threads
 * can draw from different pieces, and the marks of a piece stay in the cache.
 */
const ROWS_PER_PIECE = 65536;

/** Lists the numbers of all rows. */
export function allRows(rows: number): Int32Array {
  return Int32Array.from({ length: rows }, (_, row) => row);
}

/** Returns how many rows a fraction is, at least one. */
export function sampleSize(rows: number, fraction: number): number {
  return Math.max(1, Math.round(rows * fraction));
}

/** A fraction of the numbers 0 … `rows` − 1, at least one, to be drawn in pieces: the same fraction of each, rounded. */
export class RowDraw {
  readonly #rows: number;
  /** How many are drawn in all. */
  readonly count: number;

  constructor(rows: number, fraction: number) {
    this.#rows = rows;
    this.count = sampleSize(rows, fraction);
  }

  get pieces(): number {
    return Math.ceil(this.#rows / ROWS_PER_PIECE);
  }

  /** Draws from a piece; `place` is the number of those drawn from earlier pieces. */
  draw(piece: number, random: Random): { readonly drawn: Int32Array; readonly place: number } {
    const begin = piece * ROWS_PER_PIECE;
    const end = Math.min(this.#rows, begin + ROWS_PER_PIECE);
    const place = this.#before(begin);
    return { drawn: drawNumbers(begin, end, this.#before(end) - place, random), place };
  }

  /** Draws those of begin … end − 1, which may begin and end within pieces; `randomOf` gives the random numbers of a piece. */
  drawRange(begin: number, end: number, randomOf: (piece: number) => Random): Int32Array {
    const drawn: number[] = [];
    const last = Math.ceil(end / ROWS_PER_PIECE);
    for (let piece = Math.floor(begin / ROWS_PER_PIECE); piece < last; piece++) {
      for (const row of this.draw(piece, randomOf(piece)).drawn)
        if (row >= begin && row < end) drawn.push(row);
    }
    return Int32Array.from(drawn);
  }

  #before(row: number): number {
    return Math.round((this.count * row) / this.#rows);
  }
}

/** Draws a fraction of the features that a mask allows, at least one. */
export function drawMask(mask: Uint8Array, fraction: number, random: Random): Uint8Array {
  const allowed: number[] = [];
  for (let j = 0; j < mask.length; j++) if (mask[j]) allowed.push(j);
  const drawn = new Uint8Array(mask.length);
  const places = drawNumbers(0, allowed.length, sampleSize(allowed.length, fraction), random);
  for (const place of places) drawn[allowed[place]] = 1;
  return drawn;
}

/** Draws `count` of the numbers begin … end − 1, ascending, uniformly (Knuth, algorithm 3.4.2 S). */
function drawNumbers(begin: number, end: number, count: number, random: Random): Int32Array {
  const drawn = new Int32Array(count);
  for (let i = begin, found = 0; found < count; i++) {
    if ((end - i) * random.uniform() < count - found) drawn[found++] = i;
  }
  return drawn;
}

/** The stream that places the numbers of draws; the streams of the pieces are 0, 1, … */
const PLACING = -1;

/** Random bits of the place: with the number of draws they fit in a double. */
const PLACE_BITS = 20;

/**
 * Draws fewer rows than there are, and writes 1 for drawn rows and 0 for others: for trees, which need these marks. The draws of a
 * piece are rounded up or down at random so that each row has the same probability. Within a piece the draw is uniform (Floyd's
 * algorithm, in Bentley and Floyd 1987), and takes time for the drawn rows only.
 */
export function markSample(draws: number, seed: number, counts: Uint16Array): void {
  const rows = counts.length;
  const random = new Random(seed);
  const place = (random.fork(PLACING).bits() >>> (32 - PLACE_BITS)) / 2 ** PLACE_BITS;
  const before = (row: number) =>
    row >= rows ? draws : Math.min(draws, Math.floor((draws * row) / rows + place));
  const isDrawn = new Uint8Array(Math.min(rows, ROWS_PER_PIECE));
  for (let begin = 0, piece = 0; begin < rows; begin += ROWS_PER_PIECE, piece++) {
    const end = Math.min(rows, begin + ROWS_PER_PIECE);
    const drawn = isDrawn.subarray(0, end - begin).fill(0);
    markNumbers(drawn, before(end) - before(begin), random.fork(piece));
    counts.set(drawn, begin);
  }
}

function markNumbers(isDrawn: Uint8Array, count: number, random: Random): void {
  for (let last = isDrawn.length - count; last < isDrawn.length; last++) {
    const row = random.integer(last + 1);
    isDrawn[isDrawn[row] === 1 ? last : row] = 1;
  }
}
