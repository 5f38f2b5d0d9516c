import * as real from "../runtime/maths/portable-math.js";
import { logHypergeometricAtMost } from "../theory/log-tails.js";

/** Levels expected in fewer rows of the smaller part are pooled. */
const MIN_EXPECTED = 5;

/** A number of rows in each of the two parts. */
export type Counts = readonly [ours: number, theirs: number];

/** The difference between the shares of levels in two parts. */
export interface ShareTest {
  /** Total variation distance, in [0, 1]. */
  readonly distance: number;
  /** Probability of at least as clear a difference if both parts come from the same distribution. */
  readonly p: number;
}

/**
 * Compares the shares of levels in two parts of the given sizes by Fisher's exact test of each level against all
 * others. The smallest p-value is doubled for two sides and multiplied by the number of levels. Undefined if fewer than
 * two levels occur.
 */
export function compareShares(counts: readonly Counts[], [ours, theirs]: Counts): ShareTest | undefined {
  const levels = counts.filter(([our, their]) => our + their > 0);
  if (levels.length < 2) return undefined;
  let variation = 0;
  let smallest = 0;
  for (const [our, their] of levels) {
    variation += Math.abs(our / ours - their / theirs) / 2;
    smallest = Math.min(smallest, logFisher(our, ours, their, theirs));
  }
  // With two levels, both tests are the same.
  const tests = levels.length === 2 ? 1 : levels.length;
  return { distance: variation, p: Math.min(1, 2 * tests * real.exp(smallest)) };
}

/** Pools rare levels by their number in both parts together, which favours neither. */
export function poolRare(counts: readonly Counts[], [ours, theirs]: Counts): Counts[] {
  const share = Math.min(ours, theirs) / (ours + theirs);
  const levels: Counts[] = [];
  const rare: [number, number] = [0, 0];
  for (const [our, their] of counts) {
    if (counts.length <= 2 || (our + their) * share >= MIN_EXPECTED) levels.push([our, their]);
    else {
      rare[0] += our;
      rare[1] += their;
    }
  }
  return [...levels, rare];
}

/** Computes ln P of one side of Fisher's exact test, for a share at least as extreme as in our rows. */
export function logFisher(our: number, ours: number, their: number, theirs: number): number {
  const marked = our + their;
  return our * theirs <= their * ours
    ? logHypergeometricAtMost(our, ours, theirs, marked)
    : logHypergeometricAtMost(their, theirs, ours, marked);
}
