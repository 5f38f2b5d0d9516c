import type { Classifier } from "vouch/predict";

/** A record that a client could send. */
export type ExampleRecord = Readonly<Record<string, string | number | null>>;

/** The last day of 2024 in each form of dates. */
const DATES = {
  iso: "2024-12-31",
  "day-first": "31.12.2024",
  "month-first": "12/31/2024",
  "named-month": "31-Dec-2024",
  compact: "20241231",
};

/**
 * Makes a typical record of a model: a number from the middle of each column, and its most frequent category. It is made of the
 * summary in the model file and is no training row.
 */
export function exampleRecord({ encoder, profile }: Classifier): ExampleRecord {
  const cells = encoder.schema.columns.map((column, j): [string, string | number | null] => {
    const known = profile?.columns[j];
    if (column.kind === "date") return [column.name, DATES[column.form]];
    if (column.kind === "text") return [column.name, "some text"];
    if (column.kind === "numeric") {
      return [column.name, known?.kind === "numbers" ? middle(known.cuts) : 0];
    }
    const counts = known?.kind === "levels" ? known.counts : [];
    return [column.name, column.levels[largest(counts, column.levels.length)] ?? null];
  });
  return Object.fromEntries(cells);
}

/** Finds the first of the largest among the first `length` counts. */
function largest(counts: ArrayLike<number>, length: number): number {
  let best = 0;
  for (let k = 1; k < Math.min(counts.length, length); k++) if (counts[k] > counts[best]) best = k;
  return best;
}

function middle(cuts: Float64Array): number | null {
  return cuts.length === 0 ? null : Number(cuts[cuts.length >> 1].toPrecision(4));
}
