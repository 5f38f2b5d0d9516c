import type { Learner } from "../../learners/learner.js";
import type { Objective } from "../../metrics/objective-metric.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Split, stratifiedSubsample } from "../../table/splits.js";
import { type Labelled, type LabelledRows, selectRows } from "../../table/target.js";
import { canRunInParallel, countThreads } from "../../validation/run-trials.js";
import { type TrainTestSplit, type Trial, TrialRows, tryLearners } from "../../validation/trial.js";
import { RaceBudget } from "./budget.js";
import type { Candidate } from "./candidate.js";
import type { CandidateFamily } from "./candidate-family.js";
import { affordable } from "./drop-candidates.js";
import { meanLoss } from "./losses.js";
import type { RaceRound } from "./rounds.js";
import { RaceRunner } from "./runner.js";
import { RACE_SETTINGS } from "./settings.js";
import { RaceState } from "./state.js";

const { comparison, limits, prediction } = RACE_SETTINGS;

/** Rows, folds and time of a comparison. */
export interface ComparisonSetup {
  readonly folds: readonly Split[];
  /**
   * Rows to test the models of all other rows on; without them, the rows of a fold are classified to measure the time.
   */
  readonly heldOut?: LabelledRows | undefined;
  /** Time limit; none by default. */
  readonly seconds?: number | undefined;
  readonly objective: Objective;
  readonly run: Run;
}

/** A fold to test a family on, and its time limit in seconds. */
interface NextFit {
  readonly family: CandidateFamily;
  readonly round: RaceRound;
  readonly seconds: number;
}

/**
 * A race for `compare`. Candidates leave it only if they cannot be fitted. A candidate is complete once every fold has
 * tested it, and is then fitted to all rows. Within a time limit, as many candidates as possible are completed, best
 * ones first:
 *
 * 1. Each family of candidates is fitted to a few rows, to predict its times.
 * 2. All are tested on the first fold, cheapest first; a family that would take the time of others waits.
 * 3. The best ones that there is time for are completed: the other folds, then all rows, one after the other so that
 *    times are comparable.
 * 4. The remaining time is for those that cannot be completed: first folds, then others.
 */
export class ComparisonRace {
  /** Models of all rows. */
  readonly final = new Map<Candidate, Trial>();
  readonly #setup: ComparisonSetup;
  readonly #state: RaceState;
  readonly #budget: RaceBudget;
  readonly #runner: RaceRunner;
  readonly #isParallel: boolean;
  readonly #all: TrainTestSplit & { readonly test: LabelledRows };
  /** Running fits of folds, and their progress from 0 to the number of their candidates. */
  readonly #running = new Map<string, number>();

  constructor(learners: readonly Learner[], names: string[], data: Labelled, setup: ComparisonSetup) {
    const { folds, objective, run, seconds = Number.POSITIVE_INFINITY } = setup;
    const [first] = folds;
    this.#setup = setup;
    this.#all = { data, test: setup.heldOut ?? selectRows(data, first.test) };
    this.#isParallel = canRunInParallel(learners, { data, ...first }, run, seconds);
    this.#state = new RaceState(data, { folds: folds.length, objective, run, splits: folds });
    this.#state.add(learners, names);
    const final = { fits: 1, heldOutRows: this.#all.test.labels.length };
    const clock = () => performance.now() / 1000;
    this.#budget = new RaceBudget(seconds, clock, final, (one) => this.#state.familyOf(one));
    this.#runner = new RaceRunner(this.#state, this.#budget, {
      report: (family, round, within) => {
        this.#running.set(keyOf(family, round), within * family.inRace.length);
        this.#report(family, `fold ${round.index + 1} of ${folds.length}`);
      },
    });
  }

  get candidates(): readonly Candidate[] {
    return this.#state.candidates;
  }

  /** Number of rows that are not held out. */
  get rows(): number {
    return this.#all.data.labels.length;
  }

  /**
   * Seconds to fit a candidate and to classify a row, and the size of its model. They come from a fold if there was no
   * time for all rows.
   */
  costsOf(one: Candidate): { readonly fit: number; readonly row: number; readonly bytes: number } {
    const final = this.final.get(one);
    if (final)
      return { fit: final.seconds.fit, row: final.seconds.test / final.rows, bytes: final.bytes ?? 0 };
    const { fitSeconds = 0, secondsPerRow } = this.#state.familyOf(one);
    return { fit: fitSeconds, row: secondsPerRow, bytes: one.modelBytes };
  }

  async run(): Promise<void> {
    if (Number.isFinite(this.#budget.seconds)) await this.#probe();
    let isOver: boolean;
    do {
      const wasPlanned = await this.#runAll(() => this.#firstFold() ?? this.#plannedFold());
      await this.#fitAllRows();
      const hadRest = await this.#runAll(() => this.#foldOfRest());
      isOver = !wasPlanned && !hadRest;
    } while (!isOver);
  }

  /**
   * Predicts a sufficient time limit for all candidates; undefined if all are complete, or if some times are unknown.
   */
  secondsForAll(): number | undefined {
    const { families, rounds } = this.#state;
    const isTimed = (family: CandidateFamily) =>
      family.isTried || (family.fitSeconds !== undefined && !family.failsWithin(this.rows, 0));
    if (families.every((family) => missing(family, rounds) === 0) || !families.every(isTimed))
      return undefined;
    const needed = families.map((family) => this.#secondsFor(family, rounds.length, family.inRace.length));
    return Math.max(sum(needed), prediction.safetyFactor * this.#budget.seconds);
  }

  /**
   * Fits all families to a few rows. A slow one is predicted to be slow; one that fails on few rows may succeed on
   * many.
   */
  async #probe(): Promise<void> {
    const { data, families, rounds, setup } = this.#state;
    const [{ split }] = rounds;
    const { leastProbeRows, leastProbeReduction } = comparison;
    if (split.train.length < leastProbeReduction * leastProbeRows) return;
    const rows = Math.max(leastProbeRows, Math.round(comparison.probeShareOfRows * split.train.length));
    const { run } = setup;
    const train = stratifiedSubsample(split.train, data.labels, rows, run.seed);
    const test = stratifiedSubsample(split.test, data.labels, rows, run.seed);
    const total = this.#budget.seconds;
    const seconds = Math.min(
      (comparison.allProbesShareOfTime * total) / families.length,
      Math.max(comparison.leastProbeSeconds, comparison.probeShareOfTime * total),
    );
    const executor = this.#isParallel ? inlineExecutor() : run.executor;
    for (const family of families) {
      const [{ learner }] = family.inRace;
      const end = await this.#runner.within(
        seconds,
        async (limited) => {
          const division = new TrialRows({ data, train, test });
          const [trial] = await tryLearners([learner], division, { ...limited, executor });
          family.timed(train.length, [
            { ...trial, seconds: { ...trial.seconds, fit: withoutWarmUp(trial.seconds.fit) } },
          ]);
        },
        (within) => this.#report(family, "a few rows", within),
      );
      if (end === "stopped") family.aborted(train.length, withoutWarmUp(seconds));
    }
  }

  /** Runs fits until `next` finds none, in parallel if possible; returns whether there was any. */
  async #runAll(next: () => NextFit | undefined): Promise<boolean> {
    let isAny = false;
    await this.#state.inLanes(this.#isParallel, async () => {
      for (let fit = next(); fit; fit = next()) {
        isAny = true;
        const { family, round, seconds } = fit;
        const key = keyOf(family, round);
        this.#running.set(key, 0);
        try {
          await this.#runner.fitAndTest(family, round, seconds, this.#isParallel);
        } finally {
          this.#running.delete(key);
        }
      }
    });
    return isAny;
  }

  /**
   * Finds the first fold of the cheapest untested family. If there is time to complete all, it leaves what the others
   * need; otherwise the time to complete the best one so far. A family that needs more waits for the remaining time.
   */
  #firstFold(): NextFit | undefined {
    const { families, rounds } = this.#state;
    const { left } = this.#budget;
    const begun = families.filter((family) => this.#hasBegun(family));
    const waiting = families.filter((family) => !begun.includes(family));
    const seconds = (some: readonly CandidateFamily[]) =>
      sum(some.map((family) => this.#secondsToComplete(family)));
    // A family whose first fold takes a larger share could not be completed. The very first one loads what later ones
    // use.
    const share = begun.length === 0 ? left / 2 : left / (rounds.length / this.#lanes + 1);
    for (const family of sortedBy(waiting, (one) => this.#foldSeconds(one))) {
      const isEnoughForAll = seconds([...begun, family]) <= left;
      const reserved = seconds(isEnoughForAll ? begun : this.#affordable(begun).slice(0, 1));
      const limit = Math.min(share, left - reserved);
      const needed = prediction.safetyFactor * this.#foldSeconds(family);
      if (limit > 0 && needed <= limit) return { family, round: rounds[0], seconds: limit };
    }
    return undefined;
  }

  /**
   * Finds the next fold of the families that can be completed: the earliest, so that its rows are encoded once, of the
   * best family.
   */
  #plannedFold(): NextFit | undefined {
    const chosen = this.#affordable(this.#state.families);
    let found: Omit<NextFit, "seconds"> | undefined;
    for (const family of chosen) {
      const round = this.#nextRound(family);
      if (round && round.index < (found?.round.index ?? Number.POSITIVE_INFINITY)) found = { family, round };
    }
    if (!found) return undefined;
    const better = chosen.slice(0, chosen.indexOf(found.family));
    const reserved = sum(better.map((family) => this.#secondsToComplete(family)));
    return { ...found, seconds: this.#budget.left - reserved };
  }

  /**
   * Finds a fold of a family that cannot be completed: a first one if possible, then one of the best, then one that
   * will probably take too long. There is none if a family can be completed after all.
   */
  #foldOfRest(): NextFit | undefined {
    const left = this.#rest;
    const open = this.#state.families.filter((family) => this.#nextRound(family) !== undefined);
    if (left <= 0 || this.#affordable(open).length > 0) return undefined;
    const byTime = sortedBy(open, (family) => this.#foldSeconds(family));
    const within = (seconds: number) => byTime.filter((family) => this.#foldSeconds(family) <= seconds);
    const untried = (family: CandidateFamily) => !this.#hasBegun(family);
    // Without a complete candidate, there is nothing to compare further folds with.
    const others = this.final.size > 0 ? byLoss(within(left).filter(({ isTried }) => isTried)) : [];
    const doubtful = within(limits.overrunFactor * left).filter(untried);
    const [family] = [...within(left).filter(untried), ...others, ...doubtful];
    const round = family && this.#nextRound(family);
    return round && { family, round, seconds: left };
  }

  /** Fits complete candidates to all rows, best first. */
  async #fitAllRows(): Promise<void> {
    const { families, rounds } = this.#state;
    const complete = byLoss(families.filter((family) => missing(family, rounds) === 0));
    const grace = comparison.graceShareOfTime * this.#budget.seconds;
    const scores = this.#setup.objective.metric === "error" ? 0 : Number.POSITIVE_INFINITY;
    const division = new TrialRows(this.#all);
    for (const family of complete) {
      for (const one of family.inRace) {
        if (this.final.has(one) || this.#rest <= 0) continue;
        const end = await this.#runner.within(
          Number.isFinite(grace) ? this.#rest + grace : grace,
          async (run) => {
            const [trial] = await tryLearners([one.learner], division, run, { bytes: true, scores });
            this.final.set(one, trial);
          },
          (within) => this.#report(family, "all rows", within),
        );
        if (end instanceof VouchError) one.leave("failed", end.message);
      }
    }
  }

  /**
   * Chooses the families to complete among those with a result: best first, each if the time left by the previous ones
   * suffices.
   */
  #affordable(families: readonly CandidateFamily[]): CandidateFamily[] {
    return affordable(byLoss(families.filter(({ isTried }) => isTried)), 1, {
      secondsOf: (family) => this.#secondsToComplete(family),
      seconds: this.#budget.left,
      lanes: 1,
    });
  }

  /** All remaining seconds, because little work follows a comparison. */
  get #rest(): number {
    return this.#budget.seconds - this.#budget.spent;
  }

  /** Number of fits that run at the same time. */
  get #lanes(): number {
    return this.#isParallel ? countThreads(this.#setup.run.executor) : 1;
  }

  #hasBegun(family: CandidateFamily): boolean {
    return family.isTried || this.#state.rounds.some((round) => this.#running.has(keyOf(family, round)));
  }

  /** Finds the first fold that has not tested a family and is not testing it. */
  #nextRound(family: CandidateFamily): RaceRound | undefined {
    return this.#state.rounds.find(
      (round) => !isTested(family, round) && !this.#running.has(keyOf(family, round)),
    );
  }

  /** Predicts the seconds of a fold, with a margin if a fit was aborted, which may take longer in any case. */
  #foldSeconds(family: CandidateFamily): number {
    const [{ rows, split }] = this.#state.rounds;
    const factor = family.failsWithin(rows, 0) && !family.isTried ? prediction.safetyFactor : 1;
    return factor * (family.roundSeconds(rows, split.test.length) ?? 0);
  }

  #secondsToComplete(family: CandidateFamily): number {
    const unfitted = family.inRace.filter((one) => !this.final.has(one)).length;
    return this.#secondsFor(family, missing(family, this.#state.rounds), unfitted);
  }

  /** Predicts the seconds of a number of folds and of fits to all rows. */
  #secondsFor(family: CandidateFamily, folds: number, fits: number): number {
    const [{ rows, split }] = this.#state.rounds;
    const fold = family.roundSeconds(rows, split.test.length) ?? 0;
    const all = family.roundSeconds(this.rows, this.#all.test.labels.length) ?? 0;
    return prediction.safetyFactor * ((folds * fold) / this.#lanes + fits * all);
  }

  /**
   * Reports the elapsed time, or without a limit how many fits are done; `within` is the progress of a fit that is not
   * counted as running.
   */
  #report(family: CandidateFamily, part: string, within = 0): void {
    const { candidates, rounds, setup } = this.#state;
    const { seconds, spent } = this.#budget;
    const [one] = [...family.inRace, ...family.candidates];
    const note = `${one.name}, ${part}`;
    if (Number.isFinite(seconds)) {
      setup.run.progress({
        stage: "comparing",
        done: Math.min(seconds, spent),
        total: seconds,
        unit: "s",
        note,
      });
      return;
    }
    const fits = rounds.length + 1;
    const doneOf = (one: Candidate) => (one.isIn ? one.results.length + (this.final.has(one) ? 1 : 0) : fits);
    const done = sum(candidates.map(doneOf)) + sum([...this.#running.values()]) + within;
    setup.run.progress({ stage: "comparing", done, total: fits * candidates.length, note });
  }
}

/** The seconds of a first fit that count. */
function withoutWarmUp(seconds: number): number {
  const { leastCountedShareOfProbe, warmUpSeconds } = comparison;
  return Math.max(leastCountedShareOfProbe * seconds, seconds - warmUpSeconds);
}

function keyOf({ candidates: [{ place }] }: CandidateFamily, { index }: RaceRound): string {
  return `${place} ${index}`;
}

function isTested({ inRace }: CandidateFamily, { index }: RaceRound): boolean {
  return inRace.every(({ results }) => results.some(({ round }) => round === index));
}

/** Counts the rounds that have not tested a family. */
function missing(family: CandidateFamily, rounds: readonly RaceRound[]): number {
  return rounds.filter((round) => !isTested(family, round)).length;
}

/** Sorts families by the mean loss of their best candidate on its own rounds. */
function byLoss(families: readonly CandidateFamily[]): CandidateFamily[] {
  return sortedBy(families, ({ inRace }) =>
    Math.min(...inRace.map((one) => meanLoss(one.lossesOf(one.lastStage, one.results.length)))),
  );
}

function sortedBy(
  families: readonly CandidateFamily[],
  key: (family: CandidateFamily) => number,
): CandidateFamily[] {
  const keys = new Map(families.map((family) => [family, key(family)]));
  return [...families].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
