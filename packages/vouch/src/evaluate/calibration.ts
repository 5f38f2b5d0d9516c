import type { Predictions } from "./metrics.js";

/** Rows to which the model gives about the same probability, and how often it comes true. */
export interface CalibrationBin {
  /** Probabilities in the bin: from `from`, up to but without `to`; the last bin has 1, too. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** Rows where what the model thought so probable is true. */
  readonly hits: number;
  /** Mean of the probabilities; absent without rows. */
  readonly meanProbability?: number;
}

/** How many bins a reliability diagram usually has. */
const USUAL_BINS = 10;

/**
 * What the probabilities of a model are worth (the reliability diagram of Murphy and Winkler, 1977), in bins of equal
 * width that all rows are in. With two classes the probability of the second one; with more that of the predicted
 * class, which is true where the model is right. Rows of unknown classes never are. Undefined without probabilities.
 */
export function calibrationBins(
  { labels, predictions, scores, scoring }: Predictions,
  bins: number = USUAL_BINS,
): CalibrationBin[] | undefined {
  if (!scores || scoring !== "probability") return undefined;
  const { columns, values } = scores;
  const rows = new Int32Array(bins);
  const hits = new Int32Array(bins);
  const sums = new Float64Array(bins);
  for (let i = 0; i < labels.length; i++) {
    const c = columns === 2 ? 1 : predictions[i];
    // Sums of probabilities may be above one by a rounding error.
    const probability = Math.min(1, Math.max(0, values[i * columns + c]));
    const bin = Math.min(bins - 1, Math.floor(probability * bins));
    rows[bin]++;
    sums[bin] += probability;
    if (labels[i] === c) hits[bin]++;
  }
  return Array.from(rows, (count, b) => ({
    from: b / bins,
    to: (b + 1) / bins,
    rows: count,
    hits: hits[b],
    ...(count > 0 && { meanProbability: sums[b] / count }),
  }));
}

/**
 * The expected calibration error (Naeini, Cooper and Hauskrecht 2015): Σ_b rows_b/rows · |hits_b/rows_b − mean probability_b|;
 * 0 without rows.
 */
export function calibrationError(bins: readonly CalibrationBin[]): number {
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  if (rows === 0) return 0;
  return bins.reduce((sum, { rows: own, hits, meanProbability = 0 }) => {
    return sum + Math.abs(hits - own * meanProbability) / rows;
  }, 0);
}
