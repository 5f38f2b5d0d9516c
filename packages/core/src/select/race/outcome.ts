import { metricFacts } from "../../metrics/metric-name.js";
import { CALIBRATION_FOLDS } from "../../validation/out-of-fold.js";
import type { ClassifiedTest } from "../../validation/trial.js";
import type { CandidateCounts } from "../candidates.js";
import type { Candidate } from "./candidate.js";
import { type EnsembleCandidate, formEnsemble } from "./ensemble.js";
import { meanLoss, projectedLoss } from "./losses.js";
import { byOneStandardError, outranks, rankCandidates } from "./ranking.js";
import { type RaceRecord, writeRaceRecord } from "./record.js";
import type { RaceState } from "./state.js";

/** The ranking of the candidates, and the number of rows for the winner. */
export interface RaceResult extends CandidateCounts {
  /** Candidates that finished, best first; then the rest, latest to leave first. */
  readonly candidates: readonly Candidate[];
  /** Number of rows that there is time to fit the winner to. */
  readonly rows: number;
  /** The test rows of the winner's folds of all rows, from the first fold on; empty if they were not kept. */
  readonly classifiedFolds: readonly ClassifiedTest[];
  /** The ensemble that was tried, whether it won or not; absent if there was nothing to combine. */
  readonly combined?: EnsembleCandidate;
  /** Seconds to classify a row with the winner and with the best single candidate, as measured in their last rounds. */
  readonly secondsPerRow: { readonly winner: number; readonly single: number };
  /** Everything that the clock decided. */
  readonly record: RaceRecord;
  /** Whether the race ended before every candidate was either judged or behind. */
  readonly ended: "decided" | "by time" | "by request";
}

/** What there is time for after the rounds. */
export interface FinalTime {
  /** Returns how many rows a candidate can be fitted to. */
  readonly rowsFor: (candidate: Candidate) => number;
  /** Returns whether candidates can all be fitted to this many rows. */
  readonly affords: (members: readonly Candidate[], rows: number) => boolean;
}

/** How to decide a race. */
export interface OutcomeOptions extends Pick<RaceResult, "ended"> {
  /** An ensemble is not counted, because its models have no certificate. */
  readonly counts: CandidateCounts;
  /** Whether to form an ensemble: of the candidates in the winner's last stage, or of these. */
  readonly ensemble: boolean | readonly Candidate[];
  readonly time: FinalTime;
}

/** Decides a race after its rounds: ranks the candidates and forms an ensemble of the best. */
export async function concludeRace(state: RaceState, options: OutcomeOptions): Promise<RaceResult> {
  const { time, counts, ended } = options;
  const { run, folds } = state.setup;
  const order = finalists(state, time);
  const [single] = order;
  const rows = time.rowsFor(single);
  const { ensemble } = options;
  const comparable = order.filter((one) => one.resultsOf(single.lastStage).length > 0);
  const combined = ensemble
    ? await formEnsemble(comparable, {
        ...state.tests,
        leader: single,
        ...(ensemble !== true && { among: ensemble }),
        place: state.candidates.length,
        affords: (members) => time.affords(members, rows),
        run,
      })
    : undefined;
  const winner = combined?.wins ? combined.candidate : single;
  const others = state.candidates.filter((one) => !order.includes(one)).sort(byProgress(state));
  for (const one of others) one.leave("not tried", "the race ended before its turn");
  const speedOf = (one: Candidate) => state.familyOf(one).secondsPerRow;
  const parts = combined?.wins ? combined.members : [single];
  const record = writeRaceRecord({
    seed: run.seed,
    folds,
    dataRows: state.all,
    candidates: state.candidates.map((candidate) => ({
      candidate,
      ...(order.includes(candidate) && { rows: time.rowsFor(candidate) }),
    })),
    pool: combined?.pool,
    ...counts,
    ended,
  });
  single.finish();
  return {
    candidates: [...(combined?.wins ? [winner] : []), ...order, ...others],
    rows,
    classifiedFolds: classifiedFolds(state, combined?.wins ? foldsOf(combined) : testsOf(single)),
    ...(combined && { combined }),
    ...counts,
    secondsPerRow: { winner: parts.reduce((sum, one) => sum + speedOf(one), 0), single: speedOf(single) },
    record,
    ended,
  };
}

/** Candidates that finished this share of the last stage are compared with those that finished all of it. */
const NEARLY_ALL = 0.8;

/**
 * Orders the candidates that can win, best first: those that finished the last stage, or nearly, by their losses in it.
 * Candidates without time to reach it come first if their learning curves project a smaller loss with the affordable
 * rows, and they can be fitted to more rows than the best of these or were better before. No constant comes before a
 * candidate that makes no more mistakes and has scores that rank rows, however few tests it has.
 */
function finalists(state: RaceState, { rowsFor }: FinalTime): Candidate[] {
  const { candidates } = state;
  const able = candidates.filter((one) => one.canWin);
  const last = Math.max(...able.map(({ lastStage }) => lastStage));
  const reached = able.filter(({ lastStage }) => lastStage === last);
  const rounds = Math.max(...reached.map((one) => one.resultsOf(last).length));
  const finished = reached.filter((one) => one.isIn || one.resultsOf(last).length >= NEARLY_ALL * rounds);
  const order = byOneStandardError(rankCandidates(finished), state.tests);
  const projected = (one: Candidate) => projectedLoss(one.learningCurve(), rowsFor(one));
  const unfinished = reached.filter((one) => !order.includes(one));
  const earlier = able
    .filter(({ lastStage }) => lastStage < last)
    .map((one) => ({ one, loss: projected(one) }))
    .sort((a, b) => a.loss - b.loss || a.one.place - b.one.place);
  const [best] = order;
  const rest = [...unfinished, ...earlier.map(({ one }) => one)];
  const rivals = best.isConstant ? rest.filter((one) => outranks(one, best, state.tests)) : [];
  if (rivals.length > 0) {
    const ranked = byOneStandardError(rankCandidates(rivals), state.tests);
    return [...ranked, ...order, ...rest.filter((one) => !ranked.includes(one))];
  }
  if (earlier.length === 0) return [...order, ...unfinished];
  const promised = projected(best);
  // A projection is rough, so it overrules results on more rows only for more rows, or for a better result on the same
  // rows.
  const isAhead = ({ one, loss }: (typeof earlier)[number]) =>
    loss < promised && (rowsFor(one) > rowsFor(best) || wasBetter(one, order));
  return [
    ...earlier.filter(isAhead).map(({ one }) => one),
    ...order,
    ...unfinished,
    ...earlier.filter((each) => !isAhead(each)).map(({ one }) => one),
  ];
}

/**
 * Returns whether a candidate had a smaller loss in its last stage than the best of the others there. Proposals of a
 * search did not.
 */
function wasBetter(one: Candidate, others: readonly Candidate[]): boolean {
  const stage = one.lastStage;
  const other = others.find((each) => each.resultsOf(stage).length > 0);
  if (!other) return true;
  const rounds = Math.min(one.resultsOf(stage).length, other.resultsOf(stage).length);
  return meanLoss(one.lossesOf(stage, rounds)) < meanLoss(other.lossesOf(stage, rounds));
}

/** Orders candidates that cannot win: most rounds first. */
function byProgress({ setup }: RaceState): (a: Candidate, b: Candidate) => number {
  const sign = metricFacts(setup.objective.metric).larger ? -1 : 1;
  const loss = (one: Candidate) => {
    const value = one.validation()?.metric.mean;
    return value === undefined ? Number.POSITIVE_INFINITY : sign * value;
  };
  return (a, b) => b.results.length - a.results.length || loss(a) - loss(b) || a.place - b.place;
}

/** Returns the classified test rows of a candidate's folds of all rows. */
function testsOf(one: Candidate): (ClassifiedTest | undefined)[] {
  return one.results.filter(({ full }) => full).map(({ classified }) => classified);
}

/** Returns the classified test rows of an ensemble's folds of all rows; none if it was formed by tests on a subsample. */
function foldsOf({ candidate, classified }: EnsembleCandidate): readonly ClassifiedTest[] {
  return candidate.results.every(({ full }) => full) ? classified : [];
}

/** Returns the classified test rows of the winner's folds up to the first that was not kept, if the race was run on all rows. */
function classifiedFolds(
  { data, all, setup }: RaceState,
  folds: readonly (ClassifiedTest | undefined)[],
): ClassifiedTest[] {
  if (data.labels.length < all || setup.folds !== CALIBRATION_FOLDS) return [];
  const missing = folds.indexOf(undefined);
  return folds.slice(0, missing < 0 ? folds.length : missing).flatMap((fold) => fold ?? []);
}
