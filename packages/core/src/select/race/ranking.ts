import { lossesOf } from "../../learners/ensemble/choose-pool.js";
import { metricFacts } from "../../metrics/metric-name.js";
import type { Candidate } from "./candidate.js";
import { type TestSettings, testedProbabilities } from "./ensemble-members.js";
import { meanLoss, pairedDifference } from "./losses.js";

/** The order of candidates, and the rounds that it is based on. */
export interface StageRanking {
  /** Undefined before every candidate has had a round. */
  readonly stage: number | undefined;
  /** Number of rounds of the stage that all took part in. */
  readonly rounds: number;
  /** Best first, by their losses in these rounds, then by list order. */
  readonly order: readonly Candidate[];
}

/**
 * Orders the candidates that are still in the race. They are compared by the last stage in which all of them have
 * finished a round, and by the rounds that all have finished. The order therefore depends only on the results, not on
 * when the clock stopped the race within a round.
 */
export function rankCandidates(candidates: readonly Candidate[]): StageRanking {
  const stages = new Set(candidates.flatMap(({ results }) => results.map(({ stage }) => stage)));
  const common = (stage: number) => Math.min(...candidates.map((one) => one.resultsOf(stage).length));
  const stage = [...stages].sort((a, b) => b - a).find((stage) => common(stage) > 0);
  if (stage === undefined) return { stage, rounds: 0, order: candidates };
  const rounds = common(stage);
  const losses = new Map(candidates.map((one) => [one, meanLoss(one.lossesOf(stage, rounds))]));
  const lossOf = (one: Candidate) => losses.get(one) ?? Number.POSITIVE_INFINITY;
  const order = [...candidates].sort((a, b) => lossOf(a) - lossOf(b) || a.place - b.place);
  return { stage, rounds, order };
}

/**
 * Finds the best candidate of each kind of learner, if its loss is at most `helpful` times the leader's, because
 * different mistakes help an ensemble.
 */
export function bestOfKinds({ stage, rounds, order }: StageRanking, helpful: number): Candidate[] {
  if (stage === undefined) return [];
  const lossOf = (one: Candidate) => meanLoss(one.lossesOf(stage, rounds));
  const most = helpful * lossOf(order[0]);
  const kinds = new Set(order.map(({ learner }) => learner.name));
  return [...kinds].flatMap((kind) => {
    const best = order.find(({ learner }) => learner.name === kind);
    return best && lossOf(best) <= most ? [best] : [];
  });
}

/** With more tested rows the number of mistakes alone decides, unless a class is rare or the leader is a constant. */
const MOST_ROWS = 5000;

/** Maximum number of candidates compared with calibrated probabilities, because calibrations take time. */
const MOST_CALIBRATED = 6;

/** Candidates, best first, and the rounds for comparing them. */
interface ComparedCandidates {
  readonly order: readonly Candidate[];
  readonly stage: number;
  readonly rounds: number;
}

/**
 * Applies the one-standard-error rule to candidates, best first: of those whose loss is within one standard error of
 * the smallest, the one with the smallest log loss comes first. Mistakes on few rows differ by chance, and the smallest
 * number of them among many candidates is largely luck; probabilities are more informative about each row. The same
 * holds for many rows if a class is rare: a model that never predicts it makes as few mistakes as one that ranks its
 * rows well. Only for metrics that judge predictions.
 */
export function byOneStandardError(
  { order, stage, rounds }: StageRanking,
  settings: TestSettings,
): readonly Candidate[] {
  if (stage === undefined || !judgesPredictions(settings)) return order;
  const [leader] = order;
  const tested = leader.lossesOf(stage, rounds).reduce((sum, { losses }) => sum + losses.length, 0);
  const calibrates = settings.hasRareClass || leader.isConstant;
  if (tested > MOST_ROWS && !calibrates) return order;
  const compared = { order, stage, rounds };
  const close = closeToBest(compared, settings);
  const [likeliest] = calibrates
    ? byCalibratedLogLoss({ ...compared, order: close })
    : byTestedLogLoss({ ...compared, order: close }, settings);
  return likeliest ? [likeliest, ...order.filter((one) => one !== likeliest)] : order;
}

/** Sorts the close candidates of a race with a rare class by log loss; other races keep their order. */
export function closeByLogLoss(ranking: StageRanking, settings: TestSettings): StageRanking {
  const { order, stage, rounds } = ranking;
  if (stage === undefined || !settings.hasRareClass || !judgesPredictions(settings)) return ranking;
  const close = byRoughLogLoss({ order: closeToBest({ order, stage, rounds }, settings), stage, rounds });
  return { stage, rounds, order: [...close, ...order.filter((one) => !close.includes(one))] };
}

/**
 * Checks whether a candidate is preferred to a constant one: in its last stage its loss is not clearly larger, and its
 * log loss is smaller, so that its scores rank rows.
 */
export function outranks(one: Candidate, constant: Candidate, settings: TestSettings): boolean {
  const stage = one.lastStage;
  const rounds = Math.min(one.resultsOf(stage).length, constant.resultsOf(stage).length);
  if (one.isConstant || rounds === 0 || !judgesPredictions(settings)) return false;
  const close = closeToBest({ order: [constant, one], stage, rounds }, settings);
  return close.includes(one) && byCalibratedLogLoss({ order: [constant, one], stage, rounds })[0] === one;
}

function judgesPredictions({ objective }: TestSettings): boolean {
  return metricFacts(objective.metric).judges === "predictions";
}

/** Returns the candidates whose loss is within one standard error of the first one's. */
function closeToBest(
  { order, stage, rounds }: ComparedCandidates,
  { groups }: TestSettings,
): readonly Candidate[] {
  const leading = order[0].lossesOf(stage, rounds);
  return order.filter((one) => {
    const { difference, standardError } = pairedDifference(one.lossesOf(stage, rounds), leading, groups);
    return difference <= standardError;
  });
}

function byTestedLogLoss(
  { order, stage, rounds }: ComparedCandidates,
  settings: TestSettings,
): readonly Candidate[] {
  return sortedBy(order, (one) => {
    const tests = testedProbabilities([one], stage, rounds, settings);
    return tests ? lossesOf(tests.probabilities[0], tests).logLoss : Number.NaN;
  });
}

/** Sorts by log-loss without a calibration. */
function byRoughLogLoss({ order, stage, rounds }: ComparedCandidates): readonly Candidate[] {
  return sortedBy(order, (one) => meanLoss(one.logLossesOf(stage, rounds)));
}

/** Sorts the best candidates by log loss with calibrated probabilities, as the chosen one will have them. */
function byCalibratedLogLoss(compared: ComparedCandidates): readonly Candidate[] {
  const { stage, rounds } = compared;
  const best = byRoughLogLoss(compared);
  const constants = best.filter(({ isConstant }) => isConstant).slice(0, 1);
  const others = best.filter(({ isConstant }) => !isConstant).slice(0, MOST_CALIBRATED);
  return sortedBy([...constants, ...others], (one) => one.calibratedLogLoss(stage, rounds));
}

/** Sorts by a loss, with ties in list order; drops candidates whose loss is unknown. */
function sortedBy(
  candidates: readonly Candidate[],
  lossOf: (one: Candidate) => number,
): readonly Candidate[] {
  return candidates
    .map((one) => ({ one, loss: lossOf(one) }))
    .filter(({ loss }) => Number.isFinite(loss))
    .sort((a, b) => a.loss - b.loss || a.one.place - b.one.place)
    .map(({ one }) => one);
}
