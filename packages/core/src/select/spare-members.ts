import { type ChosenPool, choosePool, rowLossesOf } from "../learners/ensemble/choose-pool.js";
import type { Run } from "../runtime/run.js";
import type { Contender } from "./contender.js";
import { pairedDifference } from "./race-rounds.js";
import { type TestedProbabilities, testsOfMembers } from "./tested-probabilities.js";

/** A smaller ensemble may exceed the losses of all members by at most this many standard errors of the difference. */
const TOLERANCE = 0.5;

/** How to drop members. */
export interface SpareOptions {
  /** The tests of the best single contender. */
  readonly leader: TestedProbabilities;
  readonly groups: Int32Array | undefined;
  readonly run: Pick<Run, "executor" | "signal">;
}

/** Members that an ensemble needs, with their tests and the pool that combines them. */
export interface NeededMembers {
  readonly members: readonly Contender[];
  readonly tests: TestedProbabilities;
  readonly pool: ChosenPool;
  /** Whether the best single contender does as well as all members. */
  readonly isSpare: boolean;
}

/**
 * Drops members that an ensemble does not need, the largest models first. Without such a member, weights are chosen anew, and the
 * cross-fitted errors and log losses are compared with those of all members, row by row: comparing with all members keeps small
 * losses from adding up. Sizes decide the order, not times, so a replayed race drops the same members. If the best single contender
 * does as well as all members, none is dropped.
 */
export async function dropSpareMembers(
  members: readonly Contender[],
  tests: TestedProbabilities,
  { leader, groups, run }: SpareOptions,
): Promise<NeededMembers> {
  const poolOf = (own: TestedProbabilities) => choosePool(own, { combine: "auto", metric: own.metric }, run);
  const all = await poolOf(tests);
  const suffices = (own: TestedProbabilities, pool: ChosenPool) =>
    isAsGood({ own, pool, tests, all }, groups);
  const isSpare = suffices(leader, await poolOf(leader));
  let needed: NeededMembers = { members, tests, pool: all, isSpare };
  if (isSpare) return needed;
  for (const spare of largestFirst(members)) {
    if (needed.members.length === 2) break;
    const left = needed.members.filter((one) => one !== spare);
    const own = testsOfMembers(tests, members, left);
    const pool = await poolOf(own);
    if (suffices(own, pool)) needed = { members: left, tests: own, pool, isSpare };
  }
  return needed;
}

/** A smaller pool beside the pool of all members, with their tests. */
interface ComparedPools {
  readonly own: TestedProbabilities;
  readonly pool: ChosenPool;
  readonly tests: TestedProbabilities;
  readonly all: ChosenPool;
}

function isAsGood({ own, pool, tests, all }: ComparedPools, groups: Int32Array | undefined): boolean {
  const smaller = roundLosses(own, pool);
  const whole = roundLosses(tests, all);
  return (["errors", "logLosses"] as const).every((kind) => {
    const { difference, standardError } = pairedDifference(smaller[kind], whole[kind], groups);
    return difference <= TOLERANCE * standardError;
  });
}

/** Computes the cross-fitted losses of a pool, round by round. */
function roundLosses({ labels, classes, results }: TestedProbabilities, { outOfFold }: ChosenPool) {
  const { errors, logLosses } = rowLossesOf(outOfFold, labels, classes);
  let row = 0;
  const rounds = results.map(({ tested }) => {
    const [from, to] = [row, row + tested.length];
    row = to;
    return { tested, errors: errors.subarray(from, to), logLosses: logLosses.subarray(from, to) };
  });
  return {
    errors: rounds.map(({ tested, errors: losses }) => ({ tested, losses })),
    logLosses: rounds.map(({ tested, logLosses: losses }) => ({ tested, losses })),
  };
}

function largestFirst(members: readonly Contender[]): Contender[] {
  return members.toSorted((a, b) => b.modelBytes - a.modelBytes || b.place - a.place);
}
