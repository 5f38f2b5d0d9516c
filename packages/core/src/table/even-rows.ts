import { Random } from "../runtime/maths/random.js";

/**
 * Thins out rows: takes a random row from each of `most` equal stretches, the same in every run; all rows if there are
 * no more.
 */
export function evenRows(rows: number, most: number): Int32Array {
  const count = Math.min(rows, most);
  const random = new Random(0);
  const stretch = rows / count;
  return Int32Array.from({ length: count }, (_, k) =>
    count === rows ? k : Math.floor((k + random.uniform()) * stretch),
  );
}
