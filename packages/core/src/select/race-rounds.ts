import { sumsByGroup } from "../metrics/groups.js";
import { mean } from "../runtime/statistics.js";
import type { RowsToSplit } from "../table/row-splits.js";
import { type Split, stratifiedSubsample } from "../table/splits.js";
import { calibrationFolds, MOST_TEST_ROWS } from "../validation/out-of-fold.js";
import { type Contender, meanLoss, type RoundLosses } from "./contender.js";

/** A split of the rows on which all candidates that are still in the race are compared. */
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

/** Training rows of the first stage; every later one has four times as many, the last one all. */
const FIRST_ROWS = 2000;
const GROWTH = 4;

/** A stage on a subsample is worth its time if there are at least this many times as many rows in all. */
const MIN_REDUCTION = 2;

/** Test rows of the first stages. */
const MIN_TEST_ROWS = 2000;

/** Folds are drawn several times if there are few rows, until this many rows have been tested, since few rows decide little. */
const FEW_TESTS = 3000;
const MAX_REPEATS = 6;

/** With many rows, not all folds are needed: so many tested rows tell any difference that matters. */
const ENOUGH_TESTS = 20_000;

/**
 * Yields the rounds of a race, the cheap ones first: with many rows, single splits with 2,000, 8,000, … training rows; then the
 * folds of all rows, not all of them if there are many rows; with few rows, further folds. Folds by time come latest first, since
 * those train on most rows; there are fewer folds if there are few groups or times.
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

/** Differences of more than this many standard errors are not chance, even though many are tested. */
const CLEAR_ERRORS = 2.5;

/** The change that more rows may bring after a subsample, as a fraction of the leader's loss. */
const MAY_CATCH_UP = 0.25;

/** The order of contenders, and the rounds that it is based on. */
export interface StageStanding {
  /** Undefined before every contender has had a round. */
  readonly stage: number | undefined;
  /** Number of rounds of the stage that all of them took part in. */
  readonly rounds: number;
  /** Best first, by their losses in these rounds, then by their place in the list. */
  readonly order: readonly Contender[];
}

/**
 * Orders the contenders that are still in the race. They are compared by the last stage of which all of them have finished a
 * round, and by the rounds that all of them have finished, so that the order depends only on the results, not on when the clock
 * stopped the race in the middle of a round.
 */
export function standingOf(contenders: readonly Contender[]): StageStanding {
  const stages = new Set(contenders.flatMap(({ results }) => results.map(({ stage }) => stage)));
  const common = (stage: number) => Math.min(...contenders.map((one) => one.resultsOf(stage).length));
  const stage = [...stages].sort((a, b) => b - a).find((stage) => common(stage) > 0);
  if (stage === undefined) return { stage, rounds: 0, order: contenders };
  const rounds = common(stage);
  const losses = new Map(contenders.map((one) => [one, meanLoss(one.lossesOf(stage, rounds))]));
  const lossOf = (one: Contender) => losses.get(one) ?? Number.POSITIVE_INFINITY;
  const order = [...contenders].sort((a, b) => lossOf(a) - lossOf(b) || a.place - b.place);
  return { stage, rounds, order };
}

/** Finds the contenders that are clearly behind the leader; rows of the same group are not independent evidence. */
export function laggards(
  { stage, rounds, order }: StageStanding,
  full: boolean,
  groups?: Int32Array,
): Contender[] {
  if (stage === undefined) return [];
  const leading = order[0].lossesOf(stage, rounds);
  const allowance = full ? 0 : MAY_CATCH_UP * meanLoss(leading);
  return order.slice(1).filter((one) => {
    const { difference, standardError } = pairedDifference(one.lossesOf(stage, rounds), leading, groups);
    return difference > CLEAR_ERRORS * standardError + allowance;
  });
}

/** Finds the best contender of each kind of learner, if its loss is at most `helpful` times that of the leader: other mistakes help an ensemble. */
export function bestOfKinds({ stage, rounds, order }: StageStanding, helpful: number): Contender[] {
  if (stage === undefined) return [];
  const lossOf = (one: Contender) => meanLoss(one.lossesOf(stage, rounds));
  const most = helpful * lossOf(order[0]);
  const kinds = new Set(order.map(({ learner }) => learner.name));
  return [...kinds].flatMap((kind) => {
    const best = order.find(({ learner }) => learner.name === kind);
    return best && lossOf(best) <= most ? [best] : [];
  });
}

/**
 * Computes the difference of two mean losses on the same rows, and its standard error. Each of n rows counts once, with the mean d
 * of its differences, for errors 1, 0 or −1: tests of a row by several models are no further evidence about other rows. The
 * variance is Σ (d − d̄)²/n²; for errors of rows that are tested once it is McNemar's, for AUC that of DeLong. With groups, it is Σ_g (Σ_{row in g} (d − d̄))²/n²,
 * since rows of a group may be right or wrong together.
 */
export function pairedDifference(
  one: readonly RoundLosses[],
  other: readonly RoundLosses[],
  groups?: Int32Array,
): { readonly difference: number; readonly standardError: number } {
  const last = one.reduce((most, { tested }) => tested.reduce((a, b) => Math.max(a, b), most), 0);
  const tests = new Uint32Array(last + 1);
  const excess = new Float64Array(last + 1);
  one.forEach(({ tested, losses }, round) => {
    const others = other[round].losses;
    tested.forEach((row, i) => {
      tests[row]++;
      excess[row] += losses[i] - others[i];
    });
  });
  const rows = Int32Array.from(tests.keys()).filter((row) => tests[row] > 0);
  const differences = Float64Array.from(rows, (row) => excess[row] / tests[row]);
  const difference = mean(differences);
  const deviations = differences.map((d) => d - difference);
  const sums = groups
    ? sumsByGroup(
        deviations,
        rows.map((row) => groups[row]),
      )
    : deviations;
  const squares = sums.reduce((sum, deviation) => sum + deviation ** 2, 0);
  // Zero variance on a handful of rows does not mean certainty: at least one row may have been chance.
  const oneRow = largest(differences) ** 2;
  return { difference, standardError: Math.sqrt(Math.max(oneRow, squares)) / differences.length };
}

/** Returns the largest absolute value. */
function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
