import * as real from "../runtime/maths/portable-math.js";
import { exceedsShare } from "./chernoff.js";

/** A number of occurrences, and the number of kinds with exactly that number. */
export interface KindFrequency {
  readonly occurrences: number;
  readonly kinds: number;
}

/** Counts how many values of an ascending list occur once, twice and so on; occurrences ascend. */
export function frequenciesOf(ascending: Float64Array): KindFrequency[] {
  const kindsOf = new Map<number, number>();
  for (let start = 0, end = 0; start < ascending.length; start = end) {
    while (end < ascending.length && ascending[end] === ascending[start]) end++;
    kindsOf.set(end - start, (kindsOf.get(end - start) ?? 0) + 1);
  }
  return [...kindsOf]
    .map(([occurrences, kinds]) => ({ occurrences, kinds }))
    .sort((a, b) => a.occurrences - b.occurrences);
}

/**
 * Returns whether the frequencies of kinds are impossible for independent rows, whatever the probabilities of the
 * kinds; rows were then copied. A kind of probability q occurs in about Poisson(nq) of n independent rows, and such
 * counts vary. Copies do not: if every row was written ten times, all kinds occur ten times.
 */
export function areImpossible(frequencies: readonly KindFrequency[]): boolean {
  return lackHigherCounts(frequencies) || areConcentrated(frequencies);
}

/** Allowed standard deviations of a count. */
const DEVIATIONS = 4;

/**
 * With f_k kinds that occur k times, k! f_k are about the moments of a measure, the mixture of e^−λ over the rates λ of the kinds.
 * Moments are log-convex: (k! f_k)² ≤ (k−1)! f_{k−1} · (k+1)! f_{k+1}, that is
 *
 *     f_{k+1} ≥ k/(k + 1) · f_k² / f_{k−1}.
 *
 * If some rows were copied, many kinds occur exactly twice and none three times.
 */
function lackHigherCounts(frequencies: readonly KindFrequency[]): boolean {
  const kindsOf = new Map(frequencies.map(({ occurrences, kinds }) => [occurrences, kinds]));
  const spread = (count: number) => DEVIATIONS * Math.sqrt(Math.max(1, count));
  return frequencies.some(({ occurrences: k, kinds }) => {
    const own = kinds - spread(kinds);
    if (k < 2 || own <= 0) return false;
    const fewer = kindsOf.get(k - 1) ?? 0;
    const expected = ((k / (k + 1)) * own ** 2) / (fewer + spread(fewer));
    return (kindsOf.get(k + 1) ?? 0) < expected - spread(expected);
  });
}

/** Probability of mistaking independent rows for copies because counts happen to concentrate. */
const FALSE_ALARM = 1e-3;

/**
 * Returns whether counts are more concentrated than for any kinds. Given that a Poisson count with rate λ is in the
 * wide window [A, B], it is in the window [a, b] inside with probability at most
 *
 *     ρ = max_λ Σ_{k=a..b} λᵏ/k! / Σ_{k=A..B} λᵏ/k!,
 *
 * so of N kinds in the wide window, the number M in the inner one is stochastically below Binomial(N, ρ) for any rates.
 * The Chernoff bound exp(−N kl(M/N ‖ ρ)) on its tail decides. Inner windows have 1, 2, 4, … values, and wide ones reach
 * two standard deviations further. A union bound pays for all windows: those from a have the share 1/(a(a − 1)) of the
 * false alarms, and the shares sum to one.
 */
function areConcentrated(frequencies: readonly KindFrequency[]): boolean {
  const kindsIn = counterOf(frequencies);
  return frequencies.some(({ occurrences: a }) => {
    if (a < 2) return false;
    const ends = windowsFrom(a);
    const limit = real.log((ends.length * a * (a - 1)) / FALSE_ALARM);
    const A = Math.max(1, Math.floor(a - 2 * Math.sqrt(a)));
    return ends.some((b) => {
      const B = Math.ceil(b + 2 * Math.sqrt(b));
      const all = kindsIn(A, B);
      const inner = kindsIn(a, b);
      if (inner * (B - A + 1) <= all * (b - a + 1)) return false; // Clearly ordinary.
      return exceedsShare(inner, all, largestShare(a, b, A, B), limit);
    });
  });
}

/** Lists the last values of windows from `a`, up to four standard deviations of a count wide. */
function windowsFrom(a: number): number[] {
  const ends = [a];
  for (let width = 2; width * width <= 16 * a; width *= 2) ends.push(a + width - 1);
  return ends;
}

/** Returns a function that counts the kinds that occur `from` to `to` times. */
function counterOf(frequencies: readonly KindFrequency[]): (from: number, to: number) => number {
  const sums = [0];
  for (const { kinds } of frequencies) sums.push(sums[sums.length - 1] + kinds);
  const below = (count: number) => {
    let low = 0;
    let high = frequencies.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (frequencies[middle].occurrences < count) low = middle + 1;
      else high = middle;
    }
    return sums[low];
  };
  return (from, to) => below(to + 1) - below(from);
}

/** Number of halvings of the interval when searching for the rate. */
const HALVINGS = 40;

/**
 * Maximises the probability of a window given the wide one around it. The logarithm of Σ λᵏ/k! has the derivative E[K]/λ, so that
 * the ratio is largest where both windows have the same mean. The wide window has the smaller one for small rates, since it begins
 * below, and the larger one for large rates.
 */
export function largestShare(a: number, b: number, A: number, B: number): number {
  let low = 0;
  let high = 4 * B;
  for (let halving = 0; halving < HALVINGS; halving++) {
    const rate = (low + high) / 2;
    const { innerMean, wideMean } = momentsAt(rate);
    if (wideMean < innerMean) low = rate;
    else high = rate;
  }
  return momentsAt(high).share;

  function momentsAt(rate: number) {
    let [inner, innerSum, wide, wideSum] = [0, 0, 0, 0];
    const add = (k: number, term: number) => {
      wide += term;
      wideSum += k * term;
      if (k < a || k > b) return;
      inner += term;
      innerSum += k * term;
    };
    // Relative to the term of a, so that no factorial overflows.
    for (let k = a, term = 1; k <= B; k++, term *= rate / k) add(k, term);
    for (let k = a - 1, term = a / rate; k >= A; term *= k / rate, k--) add(k, term);
    return { share: inner / wide, innerMean: innerSum / inner, wideMean: wideSum / wide };
  }
}
