import { selectGreedily } from "../../learners/ensemble/greedy-selection.js";
import type { Candidate } from "./candidate.js";
import type { CandidateFamily } from "./candidate-family.js";
import { type TestSettings, testedProbabilities } from "./ensemble-members.js";
import { meanLoss, pairedDifference } from "./losses.js";
import { bestOfKinds, type StageRanking } from "./ranking.js";
import type { RaceRound } from "./rounds.js";
import { RACE_SETTINGS } from "./settings.js";
import type { RaceState } from "./state.js";

const { dropping, limits, search } = RACE_SETTINGS;

// Candidates leave a race in four ways. Three are decided here: after a round, those that are clearly behind
// (`dropBehind`); before a stage, those that there is no time for (`promote`); in the search, proposals that are behind
// (`dropProposals`). The fourth is a fit that would take more time than is left: `RaceRunner.allowedSeconds`.

/** Takes candidates out of the race that are clearly behind the leader after a round, unless an ensemble may need them. */
export function dropBehind(state: RaceState, { stage, full }: RaceRound, combines: boolean): void {
  const ranking = state.ranking();
  // An unfinished round judges nobody, and an earlier one already has.
  if (ranking.stage !== stage) return;
  const behind = clearlyBehind(ranking, full, state.data.groups);
  if (behind.length === 0) return;
  const [leader] = ranking.order;
  const spared = combines
    ? [
        ...ensembleCandidates(ranking, state.tests),
        ...bestOfKinds(ranking, full ? dropping.closeLossFactor : dropping.closeLossFactorOnSubsample),
      ]
    : [];
  for (const one of behind) if (!spared.includes(one)) one.leave("behind", `clearly behind ${leader.name}`);
}

/** Finds the candidates that are clearly behind the leader; rows of the same group are not independent evidence. */
export function clearlyBehind(
  { stage, rounds, order }: StageRanking,
  full: boolean,
  groups?: Int32Array,
): Candidate[] {
  if (stage === undefined) return [];
  const leading = order[0].lossesOf(stage, rounds);
  const allowance = full ? 0 : dropping.catchUpShareOfLoss * meanLoss(leading);
  return order.slice(1).filter((one) => {
    const { difference, standardError } = pairedDifference(one.lossesOf(stage, rounds), leading, groups);
    return difference > dropping.clearStandardErrors * standardError + allowance;
  });
}

/**
 * Finds the candidates, clearly behind the leader or not, that an ensemble may need: those that get a weight if the
 * best of each kind of learner are combined by their tests. The log loss selects them, because mistakes on few rows are
 * few.
 */
export function ensembleCandidates(ranking: StageRanking, settings: TestSettings): Candidate[] {
  const kinds = bestOfKinds(ranking, dropping.mayHelpLossFactor);
  const { stage, rounds } = ranking;
  if (stage === undefined || kinds.length < 2) return kinds;
  const tests = testedProbabilities(kinds, stage, rounds, settings);
  if (!tests) return kinds;
  const { probabilities, labels, classes } = tests;
  const weights = selectGreedily(probabilities, { kind: "log-loss", labels, classes });
  return kinds.filter((_, place) => weights[place] >= dropping.leastEnsembleWeight);
}

/**
 * Finds the candidates to promote first: those that an ensemble may need, or without one those that may be better on
 * more rows.
 */
export function worthPromoting(state: RaceState, ranking: StageRanking, combines: boolean): Candidate[] {
  return combines ? ensembleCandidates(ranking, state.tests) : bestOfKinds(ranking, dropping.closeLossFactor);
}

/** Families that continue to the next stage, and the number of its rounds that there is time for. */
export interface Promotion {
  readonly families: readonly CandidateFamily[];
  readonly rounds: number;
}

/** What a stage costs and what there is. */
interface StageTime {
  /** Predicts the seconds of a round for a family. */
  readonly secondsOf: (family: CandidateFamily) => number;
  /** Seconds for the whole stage. */
  readonly seconds: number;
  /** Number of fits that run at the same time. */
  readonly lanes: number;
  /** Largest and smallest number of rounds. */
  readonly rounds: { readonly most: number; readonly least: number };
}

/** Families of the stage before. */
interface StageFamilies {
  /** All of them, best first. */
  readonly ranked: readonly CandidateFamily[];
  /** The best of kinds of learners that help an ensemble. */
  readonly forEnsemble: readonly CandidateFamily[];
  /** The best of each kind of learner that is not far behind, helpful or not. */
  readonly bestOfKinds: readonly CandidateFamily[];
}

/**
 * Promotes families to the next stage like successive halving: as many as there is time for. The leader comes first,
 * then the best of each kind of learner that helps, then fast ones of other kinds, because an ensemble gains more from
 * another kind of learner than from a variant of the leader, and then the rest by rank. If the time does not suffice
 * for several families and kinds in all rounds, there are fewer rounds. A slow family does not stop faster ones, not
 * even if it leads, because more rows may bring these ahead.
 */
export function promote({ ranked, forEnsemble, bestOfKinds }: StageFamilies, time: StageTime): Promotion {
  const { most, least } = time.rounds;
  const isQuick = (family: CandidateFamily) =>
    (most * time.secondsOf(family)) / time.lanes <= limits.quickKindShareOfStage * time.seconds;
  const inOrder = [
    ...new Set([...ranked.slice(0, 1), ...forEnsemble, ...bestOfKinds.filter(isQuick), ...ranked]),
  ];
  const possible = forEnsemble.filter((family) => affordable([family], least, time).length > 0);
  const enough = Math.min(dropping.enoughKinds, possible.length);
  for (let rounds = most; ; rounds--) {
    const families = affordable(inOrder, rounds, time);
    const promoted = forEnsemble.filter((family) => families.includes(family)).length;
    const isEnough =
      promoted >= enough && families.length >= Math.min(dropping.enoughFamilies, inOrder.length);
    if (isEnough || rounds <= least) return { families, rounds };
  }
}

/** Takes families in order, skipping those that there is no time for in this many rounds. */
export function affordable(
  inOrder: readonly CandidateFamily[],
  rounds: number,
  { secondsOf, seconds, lanes }: Omit<StageTime, "rounds">,
): CandidateFamily[] {
  let left = seconds;
  return inOrder.filter((family) => {
    const cost = (rounds * secondsOf(family)) / lanes;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** Takes proposals of the search out of the race that are behind the leader, or the best of their learner, in the first rounds of a stage. */
export function dropProposals(
  proposals: readonly Candidate[],
  { leader, model }: { readonly leader: Candidate; readonly model: Candidate },
  { stage, rounds }: { readonly stage: number; readonly rounds: number },
  groups?: Int32Array,
): void {
  const isBehind = (one: Candidate, other: Candidate, errors: number) => {
    const [own, others] = [one, other].map((each) => each.lossesOf(stage, rounds));
    const { difference, standardError } = pairedDifference(own, others, groups);
    return difference > errors * standardError;
  };
  for (const one of proposals) {
    if (isBehind(one, leader, search.behindLeaderStandardErrors))
      one.leave("behind", `behind ${leader.name}`);
    else if (isBehind(one, model, search.behindLearnerStandardErrors))
      one.leave("behind", `behind ${model.name}`);
  }
}
