import { VouchError } from "../error.js";
import type { Suprema } from "./rademacher.js";

/**
 * The suprema over all threshold functions x ↦ ±sgn(c(x) − θ) on some columns c, the two constants among them: stumps
 * on features, or thresholds on monomials. On a sorted column a threshold splits the rows into a prefix and the rest,
 *
 *     Σ_i σ_i h(x_i) = ±(Σ_i σ_i − 2 Σ_{c(x_i) ≤ θ} σ_i),
 *
 * so one pass over the prefix sums finds the best one exactly. Each column is sorted once for all draws, and no two
 * columns are held at a time.
 *
 * Node questions x ↦ 1[c(x) ≤ θ] and their complements are (1 + h)/2 of these functions h, so their complexity is
 * exactly half as large.
 */
export function thresholdSuprema(columns: () => Iterable<ArrayLike<number>>): Suprema {
  return (draws) => {
    const largest = new Float64Array(draws.length);
    const totals = draws.map(total);
    draws.forEach((_, d) => {
      largest[d] = Math.abs(totals[d]);
    });
    for (const column of columns()) {
      const { order, lastOfValue } = sorted(column);
      draws.forEach((signs, d) => {
        largest[d] = Math.max(largest[d], bestOfColumn(signs, totals[d], order, lastOfValue));
      });
    }
    return largest;
  };
}

/** max over thresholds of |Σσ − 2 Σ_{left} σ|; cuts are only between different values. */
function bestOfColumn(signs: Int8Array, all: number, order: Uint32Array, lastOfValue: Uint8Array): number {
  let left = 0;
  let best = 0;
  for (let k = 0; k < order.length; k++) {
    left += signs[order[k]];
    if (lastOfValue[k]) best = Math.max(best, Math.abs(all - 2 * left));
  }
  return best;
}

/** The rows in ascending order of their values, and where the last row of each value stands. */
function sorted(column: ArrayLike<number>): { order: Uint32Array; lastOfValue: Uint8Array } {
  const order = new Uint32Array(column.length);
  for (let i = 0; i < order.length; i++) {
    if (Number.isNaN(column[i])) throw notANumber(i);
    order[i] = i;
  }
  order.sort((a, b) => (column[a] < column[b] ? -1 : column[a] > column[b] ? 1 : 0));
  const lastOfValue = new Uint8Array(order.length).fill(1);
  for (let k = 0; k + 1 < order.length; k++) {
    lastOfValue[k] = column[order[k]] === column[order[k + 1]] ? 0 : 1;
  }
  return { order, lastOfValue };
}

function notANumber(row: number): VouchError {
  return new VouchError(
    "data/not-a-number",
    `Row ${row + 1} of a column has no number, so it cannot be sorted.`,
  );
}

function total(signs: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < signs.length; i++) sum += signs[i];
  return sum;
}
