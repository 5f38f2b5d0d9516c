import type { Predictions } from "./metrics.js";

/** Rows with about the same predicted probability, and how often the prediction is right. */
export interface CalibrationBin {
  /** The bin holds probabilities in [from, to); the last bin also holds 1. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** Number of rows where the predicted event happened. */
  readonly hits: number;
  /** Mean predicted probability; absent without rows. */
  readonly meanProbability?: number;
}

/** The usual number of bins of a reliability diagram. */
const DEFAULT_BINS = 10;

/**
 * Bins the predicted probabilities of a model in bins of equal width, for a reliability diagram (Murphy and Winkler, 1977).
 * With two classes, the probability of the second one; with more, that of the predicted class, the event that the prediction
 * is right. It never happens for rows of unknown classes. Undefined without probabilities.
 */
export function calibrationBins(
  { labels, predictions, scores, scoring }: Predictions,
  bins: number = DEFAULT_BINS,
): CalibrationBin[] | undefined {
  if (!scores || scoring !== "probability") return undefined;
  const { columns, values } = scores;
  const rows = new Int32Array(bins);
  const hits = new Int32Array(bins);
  const sums = new Float64Array(bins);
  for (let i = 0; i < labels.length; i++) {
    const c = columns === 2 ? 1 : predictions[i];
    // Rounding may take a probability above one.
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
 * Computes the expected calibration error (Naeini, Cooper and Hauskrecht 2015): Σ_b rows_b/rows · |hits_b/rows_b − mean
 * probability_b|; 0 without rows.
 */
export function calibrationError(bins: readonly CalibrationBin[]): number {
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  if (rows === 0) return 0;
  return bins.reduce((sum, { rows: own, hits, meanProbability = 0 }) => {
    return sum + Math.abs(hits - own * meanProbability) / rows;
  }, 0);
}
