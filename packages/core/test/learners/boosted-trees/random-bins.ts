import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import type { Random } from "#core/runtime/maths/random.js";

/** What random rows look like. */
export interface RandomBins {
  readonly rows: number;
  readonly numbers: number;
  readonly categories?: number;
  /** How many columns, from the second on, have two bins and no missing cells; the others have five. */
  readonly twoValued?: number;
  readonly classes?: number;
  /** Share of the cells. */
  readonly missing?: number;
  readonly weighted?: boolean;
}

/** Rows with a few bins in each column, of which the class follows with noise; weights make every sum different. */
export function randomBins(
  random: Random,
  { rows, numbers, categories = 0, twoValued = 0, classes = 2, missing = 0, weighted = true }: RandomBins,
): Sample<BinnedColumns> {
  const features = Array.from({ length: numbers + categories }, (_, j): BinnedFeature => {
    const name = `x${j + 1}`;
    return j < numbers
      ? { kind: "numeric", name, cuts: Float64Array.of(1, 2, 3, 4) }
      : { kind: "categorical", name, levels: ["a", "b", "c", "d", "e"] };
  });
  const bins = Uint8Array.from({ length: rows * features.length }, (_, k) => {
    if (k >= rows && k < (1 + twoValued) * rows) return random.integer(2);
    return random.uniform() < missing ? MISSING_BIN : random.integer(5);
  });
  const columns = new BinnedColumns(rows, features, bins);
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    if (i < classes) return i;
    const sum = bins[i] + (features.length > 1 ? bins[rows + i] : 0);
    return random.uniform() < 0.3 ? random.integer(classes) : (sum >> 1) % classes;
  });
  return new Sample({
    features: columns,
    labels,
    classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    ...(weighted && { weights: Float64Array.from({ length: rows }, () => 0.5 + random.uniform()) }),
  });
}
