import { thinned } from "./thinned.js";

/** A point of a cumulative distribution: the fraction of rows with a margin of at most `margin`. */
export interface CumulativePoint {
  readonly margin: number;
  readonly fraction: number;
}

/**
 * The empirical distribution of the finite margins: F(x) = |{i : margin_i ≤ x}| / n, one point per distinct
 * margin, in order. Of very many points an evenly spaced part is kept, each with its exact height.
 */
export function cumulativeMargins(margins: ArrayLike<number>): readonly CumulativePoint[] {
  const sorted = Float64Array.from(margins).filter(Number.isFinite).sort();
  const points: CumulativePoint[] = [];
  sorted.forEach((margin, i) => {
    if (margin !== sorted[i + 1]) points.push({ margin, fraction: (i + 1) / sorted.length });
  });
  return thinned(points);
}
