import { Random } from "../numeric/random.js";

/** The fewest rows of a class that colourings are sought on, if it has so many. */
const FEWEST = 8;

/**
 * Some rows of each class, drawn at random, ascending: as many of each as keep the sum at `most`, but all of a class that
 * has fewer, and not fewer than eight.
 */
export function searchRows(rowsOf: readonly Int32Array[], most: number, seed: number): Int32Array[] {
  const each = rowsOfEach(
    rowsOf.map((rows) => rows.length),
    most,
  );
  const seeds = new Random(seed);
  return rowsOf.map((rows, k) =>
    rows.length <= each ? rows : seeds.fork(k).shuffle(rows.slice()).slice(0, each).sort(),
  );
}

/** The largest n with Σ min(n, size) ≤ most, at least eight. */
function rowsOfEach(sizes: readonly number[], most: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = most;
  for (const [i, size] of ascending.entries()) {
    const share = Math.floor(left / (sizes.length - i));
    if (size > share) return Math.max(FEWEST, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
