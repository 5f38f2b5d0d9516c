import { type BinnedColumns, type BinnedFeature, MISSING_BIN } from "../data/binned-columns.js";
import { VouchError } from "../error.js";

/**
 * A number for each bin of a numeric feature: the middle of the bin, for the first and the last as far beyond their
 * cut as the middle of the neighbouring bin is before it (0.5 if there is only one cut). Of the bin for missing cells
 * and of bins that there are none of it is NaN.
 */
export function binValues(feature: BinnedFeature): Float64Array {
  const values = new Float64Array(MISSING_BIN + 1).fill(Number.NaN);
  if (feature.kind === "categorical") {
    throw new VouchError("data/wrong-kind", `Column "${feature.name}" holds categories, not numbers.`);
  }
  const { cuts } = feature;
  const last = cuts.length;
  for (let bin = 1; bin < last; bin++) values[bin] = cuts[bin - 1] / 2 + cuts[bin] / 2;
  values[0] = last === 0 ? 0 : cuts[0] - (last === 1 ? 0.5 : values[1] - cuts[0]);
  if (last > 0) values[last] = cuts[last - 1] + (last === 1 ? 0.5 : cuts[last - 1] - values[last - 1]);
  return values;
}

/** The cells of a numeric column as the values of their bins; NaN where they are missing. */
export function columnValues(columns: BinnedColumns, j: number): Float64Array {
  const values = binValues(columns.features[j]);
  return Float64Array.from(columns.column(j), (bin) => values[bin]);
}
