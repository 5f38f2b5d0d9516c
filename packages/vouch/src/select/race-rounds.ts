import { mean } from "../runtime/statistics.js";
import { holdout, kFold, type Split } from "../table/splits.js";
import type { Contender, RoundResult } from "./contender.js";

/** A division of the rows on which all candidates that are still in the race are compared. */
export interface RaceRound {
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
export function* raceRounds(labels: Int32Array, folds: number, seed: number): Generator<RaceRound, void> {
  const first = kFold(labels, folds, seed).folds;
  let stage = 0;
  for (let rows = FIRST_ROWS; rows * WORTHWHILE <= first[0].train.length; rows *= GROWTH) {
    const split = {
      train: stratifiedSubsample(first[0].train, labels, rows, seed),
      test: stratifiedSubsample(first[0].test, labels, Math.max(LEAST_TEST_ROWS, rows), seed),
    };
    yield { stage, full: false, rows, split };
    stage++;
  }
  const repeats = Math.max(1, Math.min(MOST_REPEATS, Math.floor(ENOUGH_TESTS / labels.length)));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const { train, test } of repeat === 0 ? first : kFold(labels, folds, seed + repeat).folds) {
      const split = { train, test: stratifiedSubsample(test, labels, MOST_TEST_ROWS, seed) };
      yield { stage, full: true, rows: train.length, split };
    }
  }
}

/** How many of the given rows at most, the same share of each class; at least one of each. All, if they are no more. */
export function stratifiedSubsample(
  rows: Int32Array,
  labels: Int32Array,
  most: number,
  seed: number,
): Int32Array {
  if (rows.length <= most) return rows;
  const own = rows.map((row) => labels[row]);
  return holdout(own, 1 - most / rows.length, seed).train.map((i) => rows[i]);
}

/** Differences beyond so many standard errors are not chance: the rule is asked many times. */
const CLEARLY = 2.5;

/** In stages with a part of the rows: what more rows may change, as a share of the leader's error. */
const MAY_CATCH_UP = 0.25;

/** The rounds by which contenders are compared, and their order in them. */
interface Standing {
  /** Undefined before every contender has had a round. */
  readonly stage: number | undefined;
  /** How many rounds of the stage all of them have taken part in. */
  readonly rounds: number;
  /** Best first: by their errors in these rounds, equal ones by their place in the list. */
  readonly order: readonly Contender[];
}

/**
 * The order of the contenders that are still in the race. They are compared by the last stage of which all of them have
 * finished a round, and by the rounds that all of them have finished: so the order depends on the results alone, and not on
 * when the clock stopped the race in the middle of a round.
 */
export function standingOf(contenders: readonly Contender[]): Standing {
  const stages = new Set(contenders.flatMap(({ results }) => results.map(({ stage }) => stage)));
  const common = (stage: number) => Math.min(...contenders.map((one) => one.resultsOf(stage).length));
  const stage = [...stages].sort((a, b) => b - a).find((stage) => common(stage) > 0);
  if (stage === undefined) return { stage, rounds: 0, order: contenders };
  const rounds = common(stage);
  const errors = new Map(contenders.map((one) => [one, errorIn(one.resultsOf(stage).slice(0, rounds))]));
  const errorOf = (one: Contender) => errors.get(one) ?? Number.POSITIVE_INFINITY;
  const order = [...contenders].sort((a, b) => errorOf(a) - errorOf(b) || a.place - b.place);
  return { stage, rounds, order };
}

/** Those that are clearly behind the first of the standing. */
export function laggards({ stage, rounds, order }: Standing, full: boolean): Contender[] {
  if (stage === undefined) return [];
  const resultsOf = (one: Contender) => one.resultsOf(stage).slice(0, rounds);
  const leading = resultsOf(order[0]);
  const allowance = full ? 0 : MAY_CATCH_UP * errorIn(leading);
  return order.slice(1).filter((one) => {
    const { difference, standardError } = pairedDifference(resultsOf(one), leading);
    return difference > CLEARLY * standardError + allowance;
  });
}

/** The share of wrong rows in all rounds together. */
function errorIn(results: readonly RoundResult[]): number {
  const wrong = results.reduce((sum, { mistakes }) => sum + total(mistakes), 0);
  return wrong / results.reduce((sum, { mistakes }) => sum + mistakes.length, 0);
}

/**
 * By how much more of the same rows are wrong in the one than in the other, and the standard error of that. Each of n rows
 * counts once, with the mean d of its differences, which are 1, 0 or −1: tests of a row by several models are no further
 * evidence about other rows. The variance is Σ (d − d̄)²/n²; for rows that are tested once this is McNemar's.
 */
export function pairedDifference(
  one: readonly RoundResult[],
  other: readonly RoundResult[],
): { readonly difference: number; readonly standardError: number } {
  const last = one.reduce((most, { tested }) => tested.reduce((a, b) => Math.max(a, b), most), 0);
  const tests = new Uint32Array(last + 1);
  const excess = new Float64Array(last + 1);
  one.forEach(({ tested, mistakes }, round) => {
    const others = other[round].mistakes;
    tested.forEach((row, i) => {
      tests[row]++;
      excess[row] += mistakes[i] - others[i];
    });
  });
  const differences = excess.map((sum, row) => sum / tests[row]).filter((_, row) => tests[row] > 0);
  const difference = mean(differences);
  const squares = differences.reduce((sum, d) => sum + (d - difference) ** 2, 0);
  // A variance of zero from a handful of rows is no certainty: at least one row may have been chance.
  return { difference, standardError: Math.sqrt(Math.max(1, squares)) / differences.length };
}

function total(mistakes: Uint8Array): number {
  let sum = 0;
  for (const mistake of mistakes) sum += mistake;
  return sum;
}
