import type { RowsToSplit } from "../../table/row-splits.js";
import { type Split, stratifiedSubsample } from "../../table/splits.js";
import { calibrationFolds, MOST_TEST_ROWS } from "../../validation/out-of-fold.js";

/** A split of the rows on which all remaining candidates are compared. */
export interface RaceRound {
  /** 0, 1, 2, … */
  readonly index: number;
  /** Rounds of a stage have equally many training rows; only results of the same stage are compared. */
  readonly stage: number;
  /** Whether the rounds of its stage are folds of all rows; earlier stages use subsamples. */
  readonly full: boolean;
  /** Number of training rows. */
  readonly rows: number;
  readonly split: Split;
}

/** Training rows of the first stage; each later one has four times as many, the last one all. */
const FIRST_ROWS = 2000;
const GROWTH = 4;

/** Minimum ratio of all rows to a subsample for a stage to be worth its time. */
const MIN_REDUCTION = 2;

/** Test rows of the first stages. */
const MIN_TEST_ROWS = 2000;

/** With few rows, folds are drawn several times until this many rows have been tested. */
const FEW_TESTS = 3000;
const MAX_REPEATS = 6;

/** With many rows, this many tested rows suffice for any difference that matters. */
const ENOUGH_TESTS = 20_000;

/**
 * Yields the rounds of a race, cheap ones first: with many rows, single splits with 2,000, 8,000, … training rows; then
 * the folds of all rows, not all of them if there are many rows; with few rows, further folds. Folds by time come
 * latest first, because those train on most rows; there are fewer folds if there are few groups or times.
 */
export function* raceRounds(rows: RowsToSplit, folds: number, seed: number): Generator<RaceRound, void> {
  const { labels, times } = rows;
  const first = calibrationFolds(rows, folds, seed);
  let stage = 0;
  let index = 0;
  for (let count = FIRST_ROWS; count * MIN_REDUCTION <= first[0].train.length; count *= GROWTH) {
    const split = {
      train: stratifiedSubsample(first[0].train, labels, count, seed),
      test: stratifiedSubsample(first[0].test, labels, Math.max(MIN_TEST_ROWS, count), seed),
    };
    yield { index, stage, full: false, rows: count, split };
    stage++;
    index++;
  }
  // Folds by time would be the same again.
  const mostRepeats = times ? 1 : MAX_REPEATS;
  const repeats = Math.max(1, Math.min(mostRepeats, Math.floor(FEW_TESTS / labels.length)));
  let tested = 0;
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const { train, test } of repeat === 0 ? first : calibrationFolds(rows, folds, seed + repeat)) {
      if (tested >= ENOUGH_TESTS) return;
      const split = { train, test: stratifiedSubsample(test, labels, MOST_TEST_ROWS, seed) };
      yield { index, stage, full: true, rows: train.length, split };
      index++;
      tested += split.test.length;
    }
  }
}

/** Makes the rounds of one stage, in which candidates are tested on given splits of all rows. */
export function roundsFrom(splits: readonly Split[]): RaceRound[] {
  return splits.map((split, index) => ({ index, stage: 0, full: true, rows: split.train.length, split }));
}
