import { MARGIN_QUANTILES } from "./card.js";

/** The margins at 0 %, 1 %, … 100 % of their ascending order; each is one of the margins. */
export function marginQuantiles(margins: Float64Array): number[] {
  const sorted = margins.slice().sort();
  const last = MARGIN_QUANTILES - 1;
  return Array.from(
    { length: MARGIN_QUANTILES },
    (_, percent) => sorted[Math.floor((percent * (sorted.length - 1)) / last)],
  );
}
