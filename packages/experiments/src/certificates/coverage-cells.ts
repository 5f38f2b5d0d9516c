import { binomialProbabilities } from "../model-selection/binomial-probabilities.js";
import { DELTAS, type Setting, type Tally } from "./simulated-runs.js";

/** The failures of one certificate of one setting at one δ. */
export interface CoverageCell extends Setting {
  readonly certificate: string;
  readonly delta: number;
  /** Number of runs in which no premise was reported violated. */
  readonly runs: number;
  /** Number of these runs in which the certificate was not vacuous. */
  readonly claims: number;
  readonly failures: number;
  readonly rate: number;
  /** δ plus two standard errors. */
  readonly limit: number;
}

/** Lists the cells of settings; there is none for a certificate whose premises were always violated. */
export function coverageCells(
  settings: readonly (Setting & { readonly tallies: readonly Tally[] })[],
): CoverageCell[] {
  return settings.flatMap(({ tallies, ...setting }) =>
    tallies.flatMap(({ certificate, runs, claims, failures }) =>
      DELTAS.flatMap((delta, d) =>
        runs[d] === 0
          ? []
          : {
              ...setting,
              certificate,
              delta,
              runs: runs[d],
              claims: claims[d],
              failures: failures[d],
              rate: failures[d] / runs[d],
              limit: limitOf(delta, runs[d]),
            },
      ),
    ),
  );
}

/** Returns δ plus two standard errors of a failure rate of δ. */
export function limitOf(delta: number, runs: number): number {
  return delta + 2 * Math.sqrt((delta * (1 - delta)) / runs);
}

/** Returns whether a certificate failed more often than δ plus two standard errors. */
export function isOver({ rate, limit }: CoverageCell): boolean {
  return rate > limit;
}

/** Returns the cell that exceeds its limit most, or is nearest to it, in standard errors. */
export function worstOf(cells: readonly CoverageCell[]): CoverageCell {
  return cells.reduce((worst, cell) => (excess(cell) > excess(worst) ? cell : worst));
}

function excess({ rate, delta, limit }: CoverageCell): number {
  return (rate - delta) / (limit - delta);
}

/**
 * Computes the p-value of a cell: the probability of at least this many failures if each run fails with probability δ.
 * Among n cells some exceed the limit by chance; a p-value below 0.01/n is not chance.
 */
export function pValueOf({
  runs,
  failures,
  delta,
}: Pick<CoverageCell, "runs" | "failures" | "delta">): number {
  const probabilities = binomialProbabilities(runs, delta);
  return probabilities.subarray(failures).reduce((sum, probability) => sum + probability, 0);
}
