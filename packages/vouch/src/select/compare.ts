import { sparseNotices } from "../evaluate/cross-validate.js";
import { canRunInParallel, tryOnThread } from "../evaluate/run-trials.js";
import { type Division, type Trial, TrialRows, tryLearners } from "../evaluate/trial.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import { checkOptionNames } from "../runtime/names.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import { VouchError } from "../runtime/vouch-error.js";
import { foldsOf } from "../table/row-splits.js";
import { type Labelled, type LabelledRows, selectRows } from "../table/target.js";
import { type Certificate, confidenceOfEach, riskOfFailure } from "../theory/certificate.js";
import { type Draw, type HeldOut, heldOutBinomial } from "../theory/held-out/held-out.js";
import { conciseNames } from "./candidates.js";
import { correctedTTest, holm } from "./corrected-t-test.js";
import { timeLimit } from "./time-limit.js";

/** How to compare. */
export interface CompareOptions {
  /** Number of folds; the default is 5. */
  readonly folds?: number;
  /** Rows to test the models of all other rows on. */
  readonly heldOut?: { readonly rows: LabelledRows; readonly drawn: Draw };
  /** Confidence that all certificates hold together; the default is 0.95. */
  readonly confidence?: number;
  /** Time limit for all learners together, in seconds; none by default. */
  readonly seconds?: number;
  readonly run?: Partial<Run>;
}

const OPTIONS: Readonly<Record<keyof CompareOptions, true>> = {
  folds: true,
  heldOut: true,
  confidence: true,
  seconds: true,
  run: true,
};

/** One learner of a comparison: its errors, time, size and certificate. */
export interface Compared {
  /** The learner's name, and the options that are not at their defaults. */
  readonly name: string;
  readonly learner: Learner;
  /** Fraction of misclassified rows of each fold, by models that did not see it. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /**
   * p-value of the difference from the best learner, corrected for the overlap of folds and for multiple comparisons. Absent
   * for the best itself.
   */
  readonly p?: number;
  /** Time to fit all rows that are not held out, and to classify one row. */
  readonly seconds: { readonly fit: number; readonly row: number };
  /** Size of the model in a file. */
  readonly bytes: number;
  /** Result of the model fitted to all rows that are not held out. */
  readonly heldOut?: HeldOut;
  /** Holds together with those of all other learners. */
  readonly certificate?: Certificate;
}

/** The result of a comparison. */
export interface Comparison {
  /** Sorted by mean error. */
  readonly compared: readonly Compared[];
  /** Learners that could not be compared, and why. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  readonly folds: number;
  /** Warnings: classes with fewer rows than folds. */
  readonly notices: readonly string[];
}

/** Measurements of one learner while the comparison runs. */
interface Measured {
  readonly name: string;
  readonly learner: Learner;
  readonly errors: number[];
  seconds: { readonly fit: number; readonly row: number };
  bytes: number;
  heldOut?: HeldOut;
  failure?: string;
}

/**
 * Compares learners on the same folds: each fold is classified by models that were fitted to the others. Then all learners are
 * fitted to all rows, one after the other so that times are comparable, and tested on the held-out rows if there are any. A
 * learner that cannot be fitted to the data is listed with the reason; it is an error only if none can.
 */
export async function compare(
  learners: readonly Learner[],
  data: Labelled,
  options: CompareOptions = {},
): Promise<Comparison> {
  const { folds: count = 5, heldOut, confidence = 0.95, seconds } = options;
  checkOptions(learners, options);
  const run = completeRun(options.run);
  const names = conciseNames(learners);
  const all = learners.map(
    (learner, i): Measured => ({
      name: names[i],
      learner,
      errors: [],
      seconds: { fit: 0, row: 0 },
      bytes: 0,
    }),
  );
  const { folds, sparse } = foldsOf(data, count, run.seed);
  const pace = new Pace(seconds, (folds.length + 1) * all.length, run);
  for (const [i, fold] of folds.entries()) {
    await measureFold(all, { data, ...fold }, `fold ${i + 1} of ${count}`, pace, run);
  }
  await measureAllRows(all, data, folds[0].test, heldOut, pace);
  const judged = all.filter(({ failure }) => failure === undefined);
  if (judged.length === 0) throw noneLeft(all);
  return {
    compared: rank(judged, learners.length, confidence),
    failed: all.flatMap(({ name, failure }) => (failure === undefined ? [] : [{ name, reason: failure }])),
    folds: count,
    notices: sparseNotices(data, sparse),
  };
}

function checkOptions(learners: readonly Learner[], options: CompareOptions): void {
  checkOptionNames("compare", options, OPTIONS);
  const { confidence = 0.95, seconds } = options;
  riskOfFailure(confidence);
  if (seconds !== undefined && !(seconds > 0)) {
    throw new VouchError("option/invalid", `The time to compare is ${seconds} seconds.`, {
      hint: "It must be positive.",
    });
  }
  if (learners.length === 0) throw new VouchError("option/invalid", "There are no learners to compare.");
  learners.forEach(checkLearner);
}

function noneLeft([first]: readonly Measured[]): VouchError {
  return new VouchError("learner/unsupported", `No learner can be compared; ${first.name}: ${first.failure}`);
}

/** Tries all learners on one fold, in parallel if possible. */
async function measureFold(
  all: readonly Measured[],
  division: Division,
  part: string,
  pace: Pace,
  run: Run,
): Promise<void> {
  const parallel = canRunInParallel(
    all.map(({ learner }) => learner),
    division,
    run,
    pace.seconds,
  );
  const rows = new TrialRows(division);
  const queue = [...all];
  const lane = async () => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      const { learner, errors } = one;
      await pace.measure(one, part, async (within) => {
        const [trial] = parallel
          ? await tryOnThread([learner], division, within)
          : await tryLearners([learner], rows, within);
        errors.push(trial.errors / trial.rows);
      });
    }
  };
  await Promise.all(Array.from({ length: parallel ? run.executor.threads : 1 }, lane));
}

/** Fits all rows and tests on the held-out rows; without these, the rows of a fold are classified to measure the time. */
async function measureAllRows(
  all: readonly Measured[],
  data: Labelled,
  fold: Int32Array,
  heldOut: CompareOptions["heldOut"],
  pace: Pace,
): Promise<void> {
  const rows = new TrialRows({ data, test: heldOut?.rows ?? selectRows(data, fold) });
  for (const one of all) {
    await pace.measure(one, "all rows", async (within) => {
      const [trial] = await tryLearners([one.learner], rows, within, { bytes: true });
      note(one, trial, heldOut);
    });
  }
}

function note(
  one: Measured,
  { seconds, bytes = 0, rows, errors }: Trial,
  heldOut: CompareOptions["heldOut"],
): void {
  one.seconds = { fit: seconds.fit, row: seconds.test / rows };
  one.bytes = bytes;
  if (heldOut) one.heldOut = { rows, errors, drawn: heldOut.drawn };
}

/** Divides the time among learners, reports progress, and notes which learners fail. */
class Pace {
  readonly #began = performance.now();
  /** Seconds for the whole comparison; infinite without a limit. */
  readonly seconds: number;
  readonly #total: number;
  readonly #run: Run;
  #started = 0;

  constructor(seconds: number | undefined, total: number, run: Run) {
    this.seconds = seconds ?? Number.POSITIVE_INFINITY;
    this.#total = total;
    this.#run = run;
  }

  /** Measures a learner; it is out if that fails or takes more than twice its share of the remaining time. */
  async measure(one: Measured, part: string, work: (run: Run) => Promise<void>): Promise<void> {
    const before = this.#started++;
    if (one.failure !== undefined) return;
    const run = this.#run;
    const left = this.seconds - (performance.now() - this.#began) / 1000;
    const limit = timeLimit((2000 * left) / (this.#total - before), [run.signal]);
    const progress: Run["progress"] = ({ done, total }) => {
      const within = total ? Math.min(1, done / total) : 0;
      run.progress({
        stage: "comparing",
        done: before + within,
        total: this.#total,
        note: `${one.name}, ${part}`,
      });
    };
    try {
      await checkpoint(run);
      progress({ stage: "", done: 0 });
      await work({ ...run, signal: limit.signal, progress });
    } catch (error) {
      if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
      one.failure = limit.isUp() ? "It takes more time than its share of the budget." : error.message;
    } finally {
      limit.release();
    }
  }
}

/** Sorts by mean error, tests against the best, and gives each certificate an equal share of δ. */
function rank(judged: readonly Measured[], asked: number, confidence: number): Compared[] {
  const order = [...judged].sort((a, b) => mean(a.errors) - mean(b.errors));
  const [best, ...others] = order;
  const tests = holm(others.map(({ errors }) => correctedTTest(errors, best.errors)));
  return order.map(({ name, learner, errors, seconds, bytes, heldOut }, i) => ({
    name,
    learner,
    errors,
    mean: mean(errors),
    sd: standardDeviation(errors),
    ...(i > 0 && { p: tests[i - 1] }),
    seconds,
    bytes,
    ...(heldOut && {
      heldOut,
      certificate: heldOutBinomial({ ...heldOut, confidence: confidenceOfEach(confidence, asked) }),
    }),
  }));
}
