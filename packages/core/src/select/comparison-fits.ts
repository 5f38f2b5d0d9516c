import type { Learner } from "../learners/learner.js";
import type { Objective } from "../metrics/objective-metric.js";
import { inlineExecutor } from "../runtime/inline.js";
import { checkpoint, type Run } from "../runtime/run.js";
import { mean } from "../runtime/statistics.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Split, stratifiedSubsample } from "../table/splits.js";
import { type Labelled, type LabelledRows, selectRows } from "../table/target.js";
import { foldLosses } from "../validation/fold-losses.js";
import { canRunInParallel, threadsOf, tryOnThread } from "../validation/run-trials.js";
import {
  type ClassifiedTest,
  type Division,
  type Trial,
  TrialRows,
  tryLearners,
} from "../validation/trial.js";
import { timeLimit } from "./race/runner.js";

/** Measurements of one learner while a comparison runs. */
export class Measured {
  readonly name: string;
  readonly learner: Learner;
  /** Fraction of misclassified rows, by the index of the fold. */
  readonly errors = new Map<number, number>();
  /** The classified rows by the index of the fold; empty if the metric is the error. */
  readonly classified = new Map<number, ClassifiedTest>();
  /** The last model of a fold, and the model of all rows that are not held out. */
  last?: Trial;
  all?: Trial;
  failure?: string;

  readonly #objective: Objective;
  /** The loss of so many folds: plans ask for it often. */
  #known: { readonly folds: number; readonly loss: number } | undefined;

  constructor(name: string, learner: Learner, objective: Objective) {
    this.name = name;
    this.learner = learner;
    this.#objective = objective;
  }

  /** Mean error of the folds that are done; undefined before the first. */
  get error(): number | undefined {
    return this.errors.size === 0 ? undefined : mean([...this.errors.values()]);
  }

  /** Mean loss by the metric of the comparison of the folds that are done; undefined before the first. */
  get loss(): number | undefined {
    const folds = this.errors.size;
    if (folds === 0) return undefined;
    if (this.#known?.folds !== folds) {
      this.#known = { folds, loss: mean(this.losses().map((own) => mean(own))) };
    }
    return this.#known.loss;
  }

  /** The classified rows of the folds that are done, in the order of the folds. */
  get classifiedFolds(): readonly ClassifiedTest[] {
    return inOrder(this.classified);
  }

  /** Returns the losses of the rows of each fold, in the order of the folds. */
  losses(): readonly ArrayLike<number>[] {
    if (this.#objective.metric === "error") return inOrder(this.errors).map((error) => [error]);
    const folds = this.classifiedFolds;
    const [first] = folds;
    return first ? foldLosses(this.#objective, folds, first.scores.length / first.labels.length) : [];
  }
}

function inOrder<T>(folds: ReadonlyMap<number, T>): T[] {
  return [...folds].sort(([a], [b]) => a - b).map(([, value]) => value);
}

/** Reports how far the comparison is, given how much of a fit is done: a fraction, and the fit in words. */
type FitProgress = (within: number, note: string) => void;

/** How to make one fit. */
interface FitOptions {
  /** Seconds after which the fit is stopped. */
  readonly limit: number;
  readonly progress: FitProgress;
}

/** How a fit ended, with the seconds that it took; starting a thread for it does not count. */
export interface FitOutcome {
  readonly end: "done" | "failed" | "stopped";
  readonly seconds: number;
  /** Present if it is done. */
  readonly trial?: Trial;
}

/** Fits to a subsample use this fraction of the training rows, at least so many, and are worth it with four times as many. */
const SUBSAMPLE = 1 / 16;
const MIN_SUBSAMPLE = 50;

/** How the fits of a comparison are made. */
interface ComparisonSettings {
  readonly run: Run;
  readonly seconds: number | undefined;
  readonly objective: Objective;
}

/** Makes the fits of a comparison: on the folds, on all rows, and on a subsample. */
export class ComparisonFits {
  readonly folds: number;
  /** Number of fits that run at the same time. */
  readonly lanes: number;
  /** The fold that predictions of times are about; all folds have the same size, up to a row. */
  readonly sizes: {
    readonly train: number;
    readonly test: number;
    readonly all: number;
    readonly last: number;
  };
  readonly #divisions: readonly Division[];
  readonly #all: Division;
  readonly #run: Run;
  /** Rows × classes of which scores are kept. */
  readonly #scores: number;
  /** The encoded rows that were used last. */
  #recent: { readonly division: Division; readonly rows: TrialRows } | undefined;

  constructor(
    learners: readonly Learner[],
    data: Labelled,
    folds: readonly Split[],
    heldOut: LabelledRows | undefined,
    { run, seconds, objective }: ComparisonSettings,
  ) {
    this.#scores = objective.metric === "error" ? 0 : Number.POSITIVE_INFINITY;
    this.#divisions = folds.map((fold) => ({ data, ...fold }));
    // Without held-out rows, those of a fold are classified to measure the time.
    const last = heldOut ?? selectRows(data, folds[0].test);
    this.#all = { data, test: last };
    this.#run = run;
    this.folds = folds.length;
    this.lanes = canRunInParallel(learners, this.#divisions[0], run, seconds) ? threadsOf(run.executor) : 1;
    const [{ train, test }] = folds;
    const all = data.labels.length;
    this.sizes = { train: train.length, test: test.length, all, last: last.labels.length };
  }

  /** Fits a learner for a fold, on a thread if several fits run at the same time. */
  async fold(one: Measured, fold: number, options: FitOptions): Promise<FitOutcome> {
    const division = this.#divisions[fold];
    // The size of the model of all rows may stay unknown if time is limited.
    const trialOptions = { bytes: Number.isFinite(options.limit), scores: this.#scores };
    const outcome = await this.#fit(one, `fold ${fold + 1} of ${this.folds}`, options, async (run) => {
      const [trial] =
        this.lanes > 1
          ? await tryOnThread([one.learner], division, run, trialOptions)
          : await tryLearners([one.learner], this.#rowsOf(division), run, trialOptions);
      return trial;
    });
    const { trial } = outcome;
    if (trial) {
      one.errors.set(fold, trial.errors / trial.rows);
      if (trial.classified) one.classified.set(fold, trial.classified);
      one.last = trial;
    }
    return outcome;
  }

  /** Fits a learner to all rows, on this thread so that times are comparable, and tests it on the held-out rows. */
  async allRows(one: Measured, options: FitOptions): Promise<FitOutcome> {
    const outcome = await this.#fit(one, "all rows", options, async (run) => {
      const [trial] = await tryLearners([one.learner], this.#rowsOf(this.#all), run, {
        bytes: true,
        scores: this.#scores,
      });
      return trial;
    });
    if (outcome.trial) one.all = outcome.trial;
    return outcome;
  }

  /** Returns a stratified subsample of the first fold to measure fit times on; undefined with few rows. */
  subsample(): { readonly train: Int32Array; readonly test: Int32Array } | undefined {
    const { data, train, test } = this.#divisions[0];
    const { labels } = data;
    if (!train || !(test instanceof Int32Array) || train.length < 4 * MIN_SUBSAMPLE) return undefined;
    const rows = Math.max(MIN_SUBSAMPLE, Math.round(SUBSAMPLE * train.length));
    const { seed } = this.#run;
    return {
      train: stratifiedSubsample(train, labels, rows, seed),
      test: stratifiedSubsample(test, labels, rows, seed),
    };
  }

  /** Fits a learner to a subsample on this thread. A fit that fails on few rows may succeed on many: that is no failure. */
  async part(one: Measured, split: Split, options: FitOptions): Promise<FitOutcome> {
    const division = { data: this.#divisions[0].data, ...split };
    const executor = this.lanes > 1 ? inlineExecutor() : this.#run.executor;
    const outcome = await this.#fit(one, "a few rows", options, async (run) => {
      const [trial] = await tryLearners([one.learner], new TrialRows(division), { ...run, executor });
      return trial;
    });
    delete one.failure;
    return outcome;
  }

  #rowsOf(division: Division): TrialRows {
    if (this.#recent?.division !== division) this.#recent = { division, rows: new TrialRows(division) };
    return this.#recent.rows;
  }

  async #fit(
    one: Measured,
    part: string,
    { limit: seconds, progress }: FitOptions,
    work: (run: Run) => Promise<Trial>,
  ): Promise<FitOutcome> {
    const run = this.#run;
    const began = performance.now();
    const since = () => (performance.now() - began) / 1000;
    const limit = timeLimit(1000 * seconds, [run.signal]);
    const report = (within: number) => progress(within, `${one.name}, ${part}`);
    try {
      await checkpoint(run);
      report(0);
      const trial = await work({
        ...run,
        signal: limit.signal,
        progress: ({ done, total }) => report(total ? Math.min(1, done / total) : 0),
      });
      const { encode, fit, test } = trial.seconds;
      return { end: "done", seconds: Math.min(since(), encode + fit + test), trial };
    } catch (error) {
      const concernsAll = error instanceof VouchError && error.code === "file/too-many-open";
      if (run.signal?.aborted || concernsAll || !(error instanceof VouchError)) throw error;
      if (limit.isUp()) return { end: "stopped", seconds: since() };
      one.failure = error.message;
      return { end: "failed", seconds: since() };
    } finally {
      limit.release();
    }
  }
}

/** Waits until lanes of work are done; each calls `next` until there is nothing left to do. */
export async function inLanes(lanes: number, next: () => Promise<void> | undefined): Promise<void> {
  const lane = async () => {
    for (let work = next(); work; work = next()) await work;
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
