/** A learner of a comparison with a time limit. Times are predicted seconds. */
export interface PlannedLearner {
  /** Mean loss of the folds that are done; absent before the first. */
  readonly loss?: number | undefined;
  /** Number of folds that are not done. */
  readonly folds: number;
  /** Time of one fold; 0 if nothing is known. */
  readonly fold: number;
  /** Time of the fit to all rows and its test; 0 if it is done. */
  readonly all: number;
}

/** The time that is left, and how many folds can be fitted at the same time. */
export interface TimeLeft {
  readonly left: number;
  /** The whole time of the comparison. */
  readonly total: number;
  readonly lanes: number;
}

/** A first fold may use time that its learner and others need as long as this fraction of the whole time is left. */
const TO_COMPLETE = 1 / 2;

/** A first fit may take this many times as long as its learner can afford; its time is known only then. */
const SLACK = 1.1;

/**
 * A fit that is predicted, from a sixteenth of the rows, to take up to this many times the time left may still end in time: that is
 * how far the prediction is off if times grow as m^p with an exponent p that is 0.5 smaller than expected.
 */
export const DOUBT = 4;

/**
 * Predicts the seconds to complete learners. Folds that are fitted in m lanes, in any order, end at the latest after
 *
 *     Σ tᵢ / m + (1 − 1/m) max tᵢ
 *
 * (Graham, "Bounds for certain multiprocessing anomalies", Bell System Technical Journal 45, 1966). Fits to all rows run one
 * after the other.
 */
export function secondsToComplete(learners: readonly PlannedLearner[], lanes: number): number {
  let folds = 0;
  let longest = 0;
  let all = 0;
  for (const one of learners) {
    folds += one.folds * one.fold;
    if (one.folds > 0) longest = Math.max(longest, one.fold);
    all += one.all;
  }
  return folds / lanes + (1 - 1 / lanes) * longest + all;
}

/**
 * Chooses the learners to complete, among those with a first result: the best first, each of them if there is time for it
 * besides the ones chosen before.
 */
export function affordable<L extends PlannedLearner>(learners: readonly L[], { left, lanes }: TimeLeft): L[] {
  const tried = learners.filter(({ loss }) => loss !== undefined);
  const chosen: L[] = [];
  for (const one of tried.sort((a, b) => (a.loss ?? 1) - (b.loss ?? 1))) {
    if (secondsToComplete([...chosen, one], lanes) <= left) chosen.push(one);
  }
  return chosen;
}

/**
 * Returns how long the first fold of a learner may take; 0 if it is predicted to take longer. If there is time to complete it and
 * all learners before it, that time is theirs. Otherwise any of them may turn out to be the best: the first fold then leaves the
 * time to complete the best one so far, and half of the whole time. A learner whose first fold takes more than its share of the
 * time left could not be completed even if it had all of it. As long as there is no other, it may take half of the time left: the
 * very first fit loads and compiles what later ones use, and without it there is no comparison.
 */
export function firstFoldLimit(
  next: PlannedLearner,
  before: readonly PlannedLearner[],
  time: TimeLeft,
): number {
  const { left, total, lanes } = time;
  const best = affordable(before, time).slice(0, 1);
  const holdsAll = secondsToComplete([...before, next], lanes) <= left;
  const reserved = holdsAll
    ? secondsToComplete(before, lanes)
    : Math.max(TO_COMPLETE * total, secondsToComplete(best, lanes));
  const share = (SLACK * left) / (next.folds / lanes + 1);
  if (before.length === 0) return next.fold <= DOUBT * share ? Math.max(share, TO_COMPLETE * left) : 0;
  const limit = Math.min(left - reserved, share);
  return next.fold <= limit ? Math.max(0, limit) : 0;
}

/** Budgets to suggest, in seconds. */
const ROUND_SECONDS = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800];

/** Rounds a duration up to one that a person would choose: 45 s, 2 min, 3 h. */
export function roundedUpSeconds(seconds: number): number {
  return ROUND_SECONDS.find((round) => round >= seconds) ?? 3600 * Math.ceil(seconds / 3600);
}
