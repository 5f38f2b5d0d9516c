import { choosePool, lossesOf } from "../../learners/ensemble/choose-pool.js";
import { ensemble } from "../../learners/ensemble/ensemble.js";
import { type Pool, pooledProbabilities, poolWithout } from "../../learners/ensemble/pool.js";
import { predictionsOf } from "../../learners/scores.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import type { ClassifiedTest } from "../../validation/trial.js";
import { Candidate, type RoundResult } from "./candidate.js";
import {
  dropSpareMembers,
  type NeededMembers,
  type TestedProbabilities,
  type TestSettings,
  testedProbabilities,
  testsOfMembers,
} from "./ensemble-members.js";
import { pairedDifference } from "./losses.js";

/**
 * Maximum number of candidates for an ensemble. With many rows and classes there are fewer, because choosing their
 * weights takes time for every probability.
 */
const MOST_CANDIDATES = 32;
const ENOUGH_CANDIDATES = 12;
const MOST_PROBABILITIES = 2_000_000;

/** Members with a smaller weight add mainly time and size. */
const LEAST_WEIGHT = 0.04;

/** How to form an ensemble. */
export interface CombinationOptions extends TestSettings {
  /** The best single candidate. */
  readonly leader: Candidate;
  /** Possible members; by default the candidates in the tests. */
  readonly among?: readonly Candidate[];
  /** Index of the ensemble in the list of candidates. */
  readonly place: number;
  /** Returns whether there is time to fit these members to all rows. */
  readonly affords: (members: readonly Candidate[]) => boolean;
  readonly run: Run;
}

/** An ensemble of candidates, tested on the same rows. */
export interface EnsembleCandidate {
  readonly candidate: Candidate;
  /**
   * The tested rows as classified by the final weights, round by round; the candidate's own results are cross-fitted.
   */
  readonly classified: readonly ClassifiedTest[];
  /** The candidates that it was formed of, best first; those with a weight are its members. */
  readonly pool: readonly Candidate[];
  readonly members: readonly Candidate[];
  /** Whether it is better than the best candidate. */
  readonly wins: boolean;
  /** Its loss minus the best candidate's loss, and the standard error of the difference. */
  readonly difference: number;
  readonly standardError: number;
}

/**
 * Forms an ensemble of candidates by their tests in the last stage, by greedy selection or a log-linear pool, whichever
 * is better. Its own tests are cross-fitted: the weights that classify the rows of a fold come from the other folds. It
 * leaves out candidates that there is no time to fit again, smallest weights first, constants, which add nothing, and
 * unnecessary members. Returns undefined if fewer than two are left. The ensemble does not win if the leader is as
 * good.
 */
export async function formEnsemble(
  candidates: readonly Candidate[],
  options: CombinationOptions,
): Promise<EnsembleCandidate | undefined> {
  const { leader, among = candidates, groups, run } = options;
  const { lastStage } = leader;
  const { rounds, reached } = commonRounds(candidates, lastStage);
  const different = withoutEqual(reached, lastStage, rounds).filter(
    (one) => !one.isConstant && among.includes(one),
  );
  if (different.length < 2) return undefined;
  let pool: readonly Candidate[] = different.slice(
    0,
    poolSize(different[0], lastStage, rounds, options.classes),
  );
  const all = testedProbabilities(pool, lastStage, rounds, options);
  if (!all) return undefined;
  for (let tests = all; pool.length > 1; ) {
    const { metric } = tests;
    const chosen = await choosePool(tests, { combine: "auto", metric }, run);
    const members = pool.filter((_, m) => chosen.weights[m] >= LEAST_WEIGHT);
    if (!options.affords(members)) {
      const kept = affordable(pool, chosen.weights, options.affords);
      tests = testsOfMembers(tests, pool, kept);
      pool = kept;
      continue;
    }
    if (members.length < 2) return undefined;
    const alone = testedProbabilities([leader], lastStage, rounds, options);
    if (!alone) return undefined;
    const own = testsOfMembers(tests, pool, members);
    const needed = await dropSpareMembers(members, own, { leader: alone, groups, run });
    return combined({ needed, alone, pool, crossFitted: chosen.outOfFold, rounds }, options);
  }
  return undefined;
}

/** Drops candidates with the same scores as an earlier one, such as SVMs with a larger C that no row uses. */
function withoutEqual(candidates: readonly Candidate[], stage: number, rounds: number): Candidate[] {
  const scoresOf = (one: Candidate) =>
    one
      .resultsOf(stage)
      .slice(0, rounds)
      .map(({ classified }) => classified?.scores);
  const equals = (a: Candidate, b: Candidate) => {
    const others = scoresOf(b);
    return scoresOf(a).every((scores, round) => {
      const other = others[round];
      return scores !== undefined && other !== undefined && scores.every((score, i) => score === other[i]);
    });
  };
  return candidates.filter((one, place) => !candidates.slice(0, place).some((before) => equals(one, before)));
}

function poolSize(one: Candidate, stage: number, rounds: number, classes: number): number {
  const results = one.resultsOf(stage).slice(0, rounds);
  const tested = results.reduce((sum, { mistakes }) => sum + mistakes.length, 0);
  const affordable = Math.floor(MOST_PROBABILITIES / (tested * classes));
  return Math.max(ENOUGH_CANDIDATES, Math.min(MOST_CANDIDATES, affordable));
}

/** With fewer candidates, an ensemble has little choice, so rounds that some did not finish are dropped. */
const FEW_CANDIDATES = 4;

/**
 * Chooses the rounds of a stage for forming an ensemble, as many as enough candidates have finished, and these
 * candidates.
 */
function commonRounds(candidates: readonly Candidate[], stage: number) {
  const counts = candidates.map((one) => one.resultsOf(stage).length);
  const enough = Math.min(FEW_CANDIDATES, counts.filter((count) => count > 0).length);
  const rounds = Math.min(counts[0], counts.toSorted((a, b) => b - a)[enough - 1]);
  return { rounds, reached: candidates.filter((_, i) => counts[i] >= rounds) };
}

/** Everything that defines an ensemble. */
interface Combination {
  readonly needed: NeededMembers;
  /** The tests of the best single candidate. */
  readonly alone: TestedProbabilities;
  readonly pool: readonly Candidate[];
  /** Probabilities of the tested rows by the whole pool, with weights fitted to other rows. */
  readonly crossFitted: Float64Array;
  readonly rounds: number;
}

function combined(
  { needed: { members, tests, pool: fitted, isSpare }, alone, pool, crossFitted, rounds }: Combination,
  options: CombinationOptions,
): EnsembleCandidate {
  const { leader, objective, classes } = options;
  const candidate = new Candidate(
    `ensemble of ${members.length}`,
    learnerOf(members, tests, fitted),
    options.place,
    objective,
  );
  candidate.results = testResults(tests, crossFitted, classes);
  const [mine, best] = [candidate, leader].map((one) => one.lossesOf(leader.lastStage, rounds));
  const compared = pairedDifference(mine, best, options.groups);
  const final = pooledProbabilities(fitted, tests.probabilities, classes);
  return {
    candidate,
    classified: testResults(tests, final, classes).flatMap(({ classified }) => classified ?? []),
    pool,
    members,
    wins:
      !isSpare &&
      hasGain(compared, crossFitted, alone.probabilities[0], {
        ...tests,
        hasRareClass: options.hasRareClass,
      }),
    ...compared,
  };
}

/**
 * Returns whether an ensemble is better than the leader: its loss is smaller, or not clearly larger while its log loss
 * is smaller. On few rows, equal numbers of mistakes may be chance, but not equal probabilities. If a class is rare,
 * the log loss must be smaller.
 */
function hasGain(
  { difference, standardError }: { readonly difference: number; readonly standardError: number },
  together: Float64Array,
  alone: Float64Array,
  tests: TestedProbabilities & Pick<TestSettings, "hasRareClass">,
): boolean {
  if (difference < 0 && !tests.hasRareClass) return true;
  if (difference > standardError) return false;
  return lossesOf(together, tests).logLoss < lossesOf(alone, tests).logLoss;
}

/**
 * Creates the learner that fits the members again, with each member's contribution to the loss that chose the weights.
 */
function learnerOf(members: readonly Candidate[], tests: TestedProbabilities, pool: Pool) {
  const { metric } = tests;
  const lossIn = (own: Float64Array) => {
    const { error, logLoss } = lossesOf(own, tests);
    return metric === "error" ? error : logLoss;
  };
  const together = lossIn(pooledProbabilities(pool, tests.probabilities, tests.classes));
  return ensemble({
    members: members.map(({ learner }, m) => {
      const others = poolWithout(pool, m);
      const without = others && lossIn(pooledProbabilities(others, tests.probabilities, tests.classes));
      return {
        learner: learner.name,
        options: learner.options,
        weight: pool.weights[m],
        temperature: tests.temperatures[m],
        evidence: {
          error: lossIn(tests.probabilities[m]),
          ...(without !== undefined && { adds: without - together }),
        },
      };
    }),
    combine: pool.combine,
    ...(pool.combine === "log-linear" && { offsets: Array.from(pool.offsets) }),
    metric,
  });
}

/** Divides classified rows into the rounds that tested them. */
function testResults(
  tests: TestedProbabilities,
  probabilities: Float64Array,
  classes: number,
): RoundResult[] {
  let row = 0;
  return tests.results.map(({ classified, ...result }) => {
    const rows = result.tested.length;
    const scores = probabilities.slice(row * classes, (row + rows) * classes);
    const labels = tests.labels.slice(row, row + rows);
    row += rows;
    const predictions = predictionsOf(new Matrix(rows, classes, scores));
    const own: ClassifiedTest = { labels, predictions, scores, scoring: "probability" };
    return {
      ...result,
      mistakes: Uint8Array.from(labels, (y, i) => Number(predictions[i] !== y)),
      classified: own,
    };
  });
}

/** Keeps the candidates with the largest weights that there is time for. */
function affordable(
  pool: readonly Candidate[],
  weights: Float64Array,
  affords: CombinationOptions["affords"],
): Candidate[] {
  const byWeight = [...pool.keys()].sort((a, b) => weights[b] - weights[a]);
  const kept: number[] = [];
  for (const place of byWeight) {
    if (weights[place] === 0) break;
    if (affords([...kept, place].map((other) => pool[other]))) kept.push(place);
  }
  return pool.filter((_, place) => kept.includes(place));
}
