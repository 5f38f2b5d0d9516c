import type { Random } from "../../runtime/maths/random.js";

/** Rows that are drawn from together, so that threads can draw from different ones. */
const ROWS_PER_DRAW = 65536;

/** Draws `count` of the numbers begin … end − 1, ascending, uniformly (Knuth, algorithm 3.4.2 S). */
function drawNumbers(begin: number, end: number, count: number, random: Random): Int32Array {
  const drawn = new Int32Array(count);
  for (let i = begin, found = 0; found < count; i++) {
    if ((end - i) * random.uniform() < count - found) drawn[found++] = i;
  }
  return drawn;
}

/** A fraction of the numbers 0 … `rows` − 1, at least one, to be drawn in pieces: the same fraction of each, rounded. */
export class RowDraw {
  readonly #rows: number;
  /** How many are drawn in all. */
  readonly count: number;

  constructor(rows: number, fraction: number) {
    this.#rows = rows;
    this.count = sizeOf(rows, fraction);
  }

  get pieces(): number {
    return Math.ceil(this.#rows / ROWS_PER_DRAW);
  }

  /** Draws from a piece; `place` is the number of those drawn from earlier pieces. */
  draw(piece: number, random: Random): { readonly drawn: Int32Array; readonly place: number } {
    const begin = piece * ROWS_PER_DRAW;
    const end = Math.min(this.#rows, begin + ROWS_PER_DRAW);
    const place = this.#before(begin);
    return { drawn: drawNumbers(begin, end, this.#before(end) - place, random), place };
  }

  /** Draws those of begin … end − 1, which may begin and end within pieces; `randomOf` gives the random numbers of a piece. */
  drawRange(begin: number, end: number, randomOf: (piece: number) => Random): Int32Array {
    const drawn: number[] = [];
    const last = Math.ceil(end / ROWS_PER_DRAW);
    for (let piece = Math.floor(begin / ROWS_PER_DRAW); piece < last; piece++) {
      for (const row of this.draw(piece, randomOf(piece)).drawn)
        if (row >= begin && row < end) drawn.push(row);
    }
    return Int32Array.from(drawn);
  }

  #before(row: number): number {
    return Math.round((this.count * row) / this.#rows);
  }
}

function sizeOf(count: number, fraction: number): number {
  return Math.max(1, Math.round(count * fraction));
}

/** Draws a fraction of the features that a mask allows, at least one. */
export function drawMask(mask: Uint8Array, fraction: number, random: Random): Uint8Array {
  const allowed: number[] = [];
  for (let j = 0; j < mask.length; j++) if (mask[j]) allowed.push(j);
  const drawn = new Uint8Array(mask.length);
  const places = drawNumbers(0, allowed.length, sizeOf(allowed.length, fraction), random);
  for (const place of places) drawn[allowed[place]] = 1;
  return drawn;
}
