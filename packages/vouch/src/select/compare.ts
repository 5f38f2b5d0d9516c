import { type Encoding, fitEncoderInSteps, labelledSampleInSteps } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import { errorsOn } from "../learners/training-facts.js";
import { checkOptionNames } from "../runtime/option-names.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import { withPauses } from "../runtime/steps.js";
import { VouchError } from "../runtime/vouch-error.js";
import { kFold, type Split } from "../table/splits.js";
import { type Labelled, type LabelledRows, selectRows } from "../table/target.js";
import { type Certificate, confidenceOfEach } from "../theory/certificate.js";
import { type HeldOut, heldOutBinomial, riskOfFailure } from "../theory/held-out/held-out.js";
import { conciseNames } from "./candidates.js";
import { correctedTTest, holm } from "./corrected-t-test.js";
import { timeLimit } from "./time-limit.js";

/** How to compare: on how many folds, with which rows held out, within which time. */
export interface CompareOptions {
  /** 5 if not given. */
  readonly folds?: number;
  /** Rows that the learners do not see before they have been fitted to all others; `stratified` if drawn class by class. */
  readonly heldOut?: { readonly rows: LabelledRows; readonly stratified: boolean };
  /** With which all certificates hold together; 0.95 if not given. */
  readonly confidence?: number;
  /** Seconds for all learners together, of which each gets its part; without it there is no limit. */
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
  /** What tells it from the others: its learner's name, and the options that are not at their defaults. */
  readonly name: string;
  readonly learner: Learner;
  /** Share of misclassified rows of each fold, by models that did not see it. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /**
   * How likely its errors differ as much from those of the best, if only chance makes them differ; corrected for what
   * folds share and for how many learners there are. Absent for the best itself.
   */
  readonly p?: number;
  /** To fit all rows that are not held out, and to classify one row. */
  readonly seconds: { readonly fit: number; readonly row: number };
  /** What the numbers and the structure of the model take in a file. */
  readonly bytes: number;
  /** Of the model fitted to all rows that are not held out. */
  readonly heldOut?: HeldOut;
  /** Holds together with those of all other learners. */
  readonly certificate?: Certificate;
}

/** What a comparison of learners has found. */
export interface Comparison {
  /** The smallest mean error first. */
  readonly compared: readonly Compared[];
  /** Learners of which there is nothing to tell, and why. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  readonly folds: number;
  /** What the user should know: classes with fewer rows than folds. */
  readonly notices: readonly string[];
}

/** What is measured of a learner while the comparison runs. */
class Measured {
  readonly name: string;
  readonly learner: Learner;
  readonly errors: number[] = [];
  seconds = { fit: 0, row: 0 };
  bytes = 0;
  heldOut: HeldOut | undefined;
  failure: string | undefined;

  constructor(name: string, learner: Learner) {
    this.name = name;
    this.learner = learner;
  }
}

/** Rows to fit and rows to test, for all learners in turn. */
interface Part {
  readonly name: string;
  readonly train: () => LabelledRows;
  readonly test: () => LabelledRows;
  /** Takes note of how many of so many test rows a learner got wrong. */
  note(one: Measured, errors: number, rows: number): void;
}

/** The rows of a part, encoded for some learners. */
interface EncodedPart {
  readonly train: Sample<Features>;
  readonly test: Sample<Features>;
}

/**
 * Compares learners on the same folds: each fold is classified by models that were fitted to the others. Then all are
 * fitted to all rows and, where there are held-out rows, tested on these. A learner that cannot be fitted to the data is
 * told apart with the reason, and the others are compared all the same; it is an error only if none can.
 */
export async function compare(
  learners: readonly Learner[],
  data: Labelled,
  options: CompareOptions = {},
): Promise<Comparison> {
  checkOptionNames("compare", options, OPTIONS);
  const { folds: count = 5, heldOut, confidence = 0.95, seconds } = options;
  riskOfFailure(confidence);
  if (seconds !== undefined && !(seconds > 0)) {
    throw new VouchError("option/invalid", `The time to compare is ${seconds} seconds.`, {
      hint: "It must be positive.",
    });
  }
  if (learners.length === 0) throw new VouchError("option/invalid", "There are no learners to compare.");
  learners.forEach(checkLearner);
  const run = completeRun(options.run);
  const names = conciseNames(learners);
  const all = learners.map((learner, i) => new Measured(names[i], learner));
  const { folds, sparse } = kFold(data.labels, count, run.seed);
  const parts = [
    ...folds.map((split, i) => foldPart(data, split, i, count)),
    finalPart(data, folds[0], heldOut),
  ];
  const pace = new Pace(seconds, parts.length * all.length);
  for (const part of parts) await measureAll(all, part, data, pace, run);
  const judged = all.filter(({ failure }) => failure === undefined);
  if (judged.length === 0) throw noneLeft(all);
  return {
    compared: rank(judged, learners.length, confidence),
    failed: all.flatMap(({ name, failure }) => (failure === undefined ? [] : [{ name, reason: failure }])),
    folds: count,
    notices: sparse.map(
      (index) =>
        `Class "${data.classes[index]}" has fewer rows than there are folds: some folds do not test it.`,
    ),
  };
}

function noneLeft([first]: readonly Measured[]): VouchError {
  return new VouchError("learner/unsupported", `No learner can be compared; ${first.name}: ${first.failure}`);
}

function foldPart(data: Labelled, { train, test }: Split, fold: number, folds: number): Part {
  return {
    name: `fold ${fold + 1} of ${folds}`,
    train: () => selectRows(data, train),
    test: () => selectRows(data, test),
    note: ({ errors }, wrong, rows) => errors.push(wrong / rows),
  };
}

/** All rows; without held-out rows those of a fold are classified again, to know how long that takes. */
function finalPart(data: Labelled, { test }: Split, heldOut: CompareOptions["heldOut"]): Part {
  return {
    name: "all rows",
    train: () => data,
    test: () => heldOut?.rows ?? selectRows(data, test),
    note: (one, errors, rows) => {
      if (heldOut) one.heldOut = { rows, errors, stratified: heldOut.stratified };
    },
  };
}

/** Fits all learners to a part of the rows and tests them on the others; each encoding is made once. */
async function measureAll(
  all: readonly Measured[],
  part: Part,
  data: Labelled,
  pace: Pace,
  run: Run,
): Promise<void> {
  const encoded = new Map<string, EncodedPart>();
  for (const one of all) {
    await pace.work(one, part, run, async (within) => {
      const { encoding } = one.learner;
      const key = JSON.stringify(encoding);
      const samples = encoded.get(key) ?? (await encode(part, data, encoding, within));
      encoded.set(key, samples);
      await measure(one, samples, part, within);
    });
  }
}

/** Hands out the time, reports progress, and takes note of learners that fail. */
class Pace {
  readonly #began = performance.now();
  readonly #seconds: number;
  readonly #works: number;
  #done = 0;

  constructor(seconds: number | undefined, works: number) {
    this.#seconds = seconds ?? Number.POSITIVE_INFINITY;
    this.#works = works;
  }

  /** Does a piece of work for a learner; if it fails, or takes more than twice its part of the time left, it is out. */
  async work(one: Measured, { name }: Part, run: Run, work: (run: Run) => Promise<void>): Promise<void> {
    const before = this.#done++;
    if (one.failure !== undefined) return;
    const left = this.#seconds - (performance.now() - this.#began) / 1000;
    const limit = timeLimit((2000 * left) / (this.#works - before), [run.signal]);
    const note = `${one.name}, ${name}`;
    const progress: Run["progress"] = ({ done, total }) => {
      const within = total ? Math.min(1, done / total) : 0;
      run.progress({ stage: "comparing", done: before + within, total: this.#works, note });
    };
    try {
      await checkpoint(run);
      await work({ ...run, signal: limit.signal, progress });
    } catch (error) {
      if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
      one.failure = limit.isUp() ? "It takes more time than its part of the budget." : error.message;
    } finally {
      limit.release();
    }
  }
}

async function encode(
  { train, test }: Part,
  target: Labelled,
  encoding: Encoding,
  { signal }: Run,
): Promise<EncodedPart> {
  const rows = train();
  const encoder = await withPauses(fitEncoderInSteps(rows.features, target, encoding), signal);
  return {
    train: await withPauses(labelledSampleInSteps(encoder, rows), signal),
    test: await withPauses(labelledSampleInSteps(encoder, test()), signal),
  };
}

async function measure(one: Measured, { train, test }: EncodedPart, part: Part, run: Run): Promise<void> {
  run.progress({ stage: "", done: 0 });
  const began = performance.now();
  const model = await one.learner.fit(train, run);
  const fitted = performance.now();
  const errors = errorsOn(model, test);
  const row = (performance.now() - fitted) / 1000 / test.rows;
  one.seconds = { fit: (fitted - began) / 1000, row };
  one.bytes = bytesOf(model);
  part.note(one, errors, test.rows);
}

function bytesOf(model: Model): number {
  const { json, tensors } = model.toState();
  const numbers = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  return numbers + new TextEncoder().encode(JSON.stringify(json)).length;
}

/** The best first, with tests against it, and certificates of which each has its share of the risk. */
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
