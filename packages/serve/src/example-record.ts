import type { Classifier } from "@vouch/core/internal/train/classifier";

export type ExampleRecord = Readonly<Record<string, string | number | null>>;

/**
 * Makes up a typical record of a model: the median of each numeric and date column, and the most frequent category. The
 * values come from the summary in the model file, which contains no training row.
 */
export function exampleRecord({ encoder, profile }: Classifier): ExampleRecord {
  const cells = encoder.schema.columns.map((column, j): [string, string | number | null] => {
    const known = profile?.columns[j];
    if (column.kind === "categorical") {
      const counts = known?.kind === "levels" ? known.counts : [];
      return [column.name, column.levels[largest(counts, column.levels.length)] ?? null];
    }
    if (column.kind === "text") return [column.name, "some text"];
    const middle = known?.kind === "numbers" ? median(known.cuts, known.counts) : 0;
    if (middle === null || column.kind === "numeric") {
      return [column.name, middle === null ? null : Number(middle.toPrecision(4))];
    }
    // ISO 8601 is accepted for dates of every form.
    return [column.name, new Date(middle).toISOString().slice(0, 10)];
  });
  return Object.fromEntries(cells);
}

/** Finds the first maximum of the first `length` counts. */
function largest(counts: ArrayLike<number>, length: number): number {
  let best = 0;
  for (let k = 1; k < Math.min(counts.length, length); k++) if (counts[k] > counts[best]) best = k;
  return best;
}

/**
 * Finds the first cut point at or above the median; null without cells. `counts` are the cells below the first cut,
 * equal to it, between it and the second, and so on. If many cells are equal, the middle cut can be far from the
 * median.
 */
function median(cuts: Float64Array, counts: ArrayLike<number>): number | null {
  const total = Array.from(counts).reduce((sum, cells) => sum + cells, 0);
  let seen = 0;
  for (let k = 0; k < cuts.length; k++) {
    seen += counts[2 * k] + counts[2 * k + 1];
    if (2 * seen >= total) return cuts[k];
  }
  return null;
}
