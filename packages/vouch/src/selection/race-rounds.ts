import { holdout, kFold, type Split } from "../data/splits.js";

/** A division of the rows on which all candidates that are still in the race are compared. */
export interface Round {
  /** Rounds of the same stage have equally many rows to fit; only the results of one stage are compared. */
  readonly stage: number;
  /** Whether its rounds are folds of all rows; before it, candidates are fitted to a part of them. */
  readonly full: boolean;
  /** How many rows candidates are fitted to. */
  readonly rows: number;
  readonly split: Split;
}

/** Rows of the first stage; every further one has four times as many, the last one all. */
const FIRST_ROWS = 2000;
const GROWTH = 4;

/** A stage that is less than this times smaller than all rows would tell little that these do not tell. */
const WORTHWHILE = 1.5;

/** More test rows than this make no estimate that is better to the purpose. */
const MOST_TEST_ROWS = 20_000;
const LEAST_TEST_ROWS = 2000;

/** Folds are drawn twice where there are at most half of so many rows: few rows decide little. */
const ENOUGH_TESTS = 3000;
const MOST_REPEATS = 2;

/**
 * The rounds of a race, the cheap ones first: single divisions with 2,000, 8,000, … rows to fit, where there are many
 * more, then the folds of all rows; where there are few, further folds of them.
 */
export function* raceRounds(labels: Int32Array, folds: number, seed: number): Generator<Round, void> {
  const first = kFold(labels, folds, seed).folds;
  let stage = 0;
  for (let rows = FIRST_ROWS; rows * WORTHWHILE <= first[0].train.length; rows *= GROWTH) {
    const split = {
      train: sampleOf(first[0].train, labels, rows, seed),
      test: sampleOf(first[0].test, labels, Math.max(LEAST_TEST_ROWS, rows), seed),
    };
    yield { stage, full: false, rows, split };
    stage++;
  }
  const repeats = Math.max(1, Math.min(MOST_REPEATS, Math.floor(ENOUGH_TESTS / labels.length)));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const { train, test } of repeat === 0 ? first : kFold(labels, folds, seed + repeat).folds) {
      const split = { train, test: sampleOf(test, labels, MOST_TEST_ROWS, seed) };
      yield { stage, full: true, rows: train.length, split };
    }
  }
}

/** How many of the given rows at most, the same share of each class; at least one of each. All, if they are no more. */
export function sampleOf(rows: Int32Array, labels: Int32Array, most: number, seed: number): Int32Array {
  if (rows.length <= most) return rows;
  const own = rows.map((row) => labels[row]);
  return holdout(own, 1 - most / rows.length, seed).train.map((i) => rows[i]);
}
