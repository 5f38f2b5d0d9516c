import { binomialAtMost, binomialMeanDeviation } from "../theory/distributions.js";
import { binomialInterval } from "../theory/held-out/binomial-interval.js";
import type { Predictions } from "./evaluation.js";

/** Rows with about the same predicted probability, and how often the event happened. */
export interface CalibrationBin {
  /** The bin holds probabilities in [from, to); the last bin also holds 1. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** Number of rows for which the predicted event happened. */
  readonly hits: number;
  /** Mean predicted probability; absent without rows. */
  readonly meanProbability?: number;
}

/** How to bin predicted probabilities. */
export interface CalibrationOptions {
  /** Number of bins of equal width; 10 by default. */
  readonly bins?: number;
  /** Index of the class of two whose probability is binned; the second by default. */
  readonly positive?: number | undefined;
}

/** The usual number of bins of a reliability diagram. */
const DEFAULT_BINS = 10;

/**
 * Bins the predicted probabilities of a model for a reliability diagram (Murphy and Winkler, 1977), in bins of equal
 * width. With two classes, it bins the probability of the positive one. With more, it bins the probability of the
 * predicted class; the event is that the prediction is right, which never happens for rows of unknown classes.
 * Undefined without probabilities.
 */
export function calibrationBins(
  { labels, predictions, scores, scoring }: Predictions,
  { bins = DEFAULT_BINS, positive = 1 }: CalibrationOptions = {},
): CalibrationBin[] | undefined {
  if (!scores || scoring !== "probability") return undefined;
  const { columns, values } = scores;
  const rows = new Int32Array(bins);
  const hits = new Int32Array(bins);
  const sums = new Float64Array(bins);
  for (let i = 0; i < labels.length; i++) {
    const c = columns === 2 ? positive : predictions[i];
    // Rounding may produce a probability above one.
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
    ...(count > 0 && { meanProbability: Math.min(1, sums[b] / count) }),
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

/**
 * Computes the calibration error that calibrated probabilities have by chance, Σ_b E|X_b − rows_b · mean probability_b|
 * / rows with binomial X_b, because the hits of a few rows rarely match their expectation. 0 without rows.
 */
export function chanceCalibrationError(bins: readonly CalibrationBin[]): number {
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  if (rows === 0) return 0;
  return bins.reduce((sum, { rows: own, meanProbability = 0 }) => {
    return sum + binomialMeanDeviation(own, meanProbability) / rows;
  }, 0);
}

/** A bin with rows, and the band for its observed frequency. */
export interface ReliabilityBin extends CalibrationBin {
  readonly meanProbability: number;
  /** Ends of the confidence band. */
  readonly lower: number;
  readonly upper: number;
}

/** How well predicted probabilities agree with observed frequencies. */
export interface Reliability {
  /** All bins, including empty ones. */
  readonly bins: readonly CalibrationBin[];
  /** The non-empty bins with their bands. */
  readonly bands: readonly ReliabilityBin[];
  /** The probability with which all bands together hold. */
  readonly confidence: number;
  /** Expected calibration error; see `calibrationError`. */
  readonly error: number;
  /** Error of calibrated probabilities by chance; see `chanceCalibrationError`. */
  readonly chanceError: number;
  /**
   * Error above chance, at least 0. It is too small if the probabilities are far off, because chance then adds less.
   */
  readonly debiasedError: number;
  /** Upper bound on the probability of frequencies at least this far off, if the probabilities are calibrated. */
  readonly p: number;
}

/**
 * Compares predicted probabilities with observed frequencies, with exact simultaneous bands. With B non-empty bins,
 * each band is the interval of Clopper and Pearson at level 1 − δ/B, so that with probability ≥ 1 − δ all of them hold
 * (Bonferroni).
 *
 * If the probabilities are calibrated, the hits of a bin are a sum of independent events with different probabilities.
 * The tails of such a sum are at most the tails of the binomial distribution with the same mean (Hoeffding 1956, Theorem
 * 4). So every band contains its mean probability, and p = B · min_b 2 · min(P(X_b ≤ hits_b), P(X_b ≥ hits_b)) is a
 * valid p-value. Undefined without probabilities or rows.
 */
export function reliability(
  predicted: Predictions,
  { confidence = 0.95, ...options }: CalibrationOptions & { readonly confidence?: number } = {},
): Reliability | undefined {
  const bins = calibrationBins(predicted, options);
  const filled = bins?.filter(hasRows);
  if (!bins || !filled || filled.length === 0) return undefined;
  const each = 1 - (1 - confidence) / filled.length;
  const error = calibrationError(bins);
  const chanceError = chanceCalibrationError(bins);
  const smallest = Math.min(
    ...filled.map(({ hits, rows, meanProbability }) => tailOf(hits, rows, meanProbability)),
  );
  return {
    bins,
    bands: filled.map((bin) => {
      const [lower, upper] = binomialInterval(bin.hits, bin.rows, each);
      return { ...bin, lower, upper };
    }),
    confidence,
    error,
    chanceError,
    debiasedError: Math.max(0, error - chanceError),
    p: Math.min(1, 2 * filled.length * smallest),
  };
}

function hasRows(bin: CalibrationBin): bin is CalibrationBin & { readonly meanProbability: number } {
  return bin.meanProbability !== undefined;
}

/** Computes the smaller of P(X ≤ hits) and P(X ≥ hits) for binomial X. */
function tailOf(hits: number, rows: number, p: number): number {
  return Math.min(binomialAtMost(hits, rows, p), binomialAtMost(rows - hits, rows, 1 - p));
}
