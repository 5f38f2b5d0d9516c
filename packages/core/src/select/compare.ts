import { checkLearner, type Learner } from "../learners/learner.js";
import { errorAgainst, objectiveAgainst, type PairedResult } from "../metrics/baseline.js";
import { applyDecision } from "../metrics/decision.js";
import { groupCounts } from "../metrics/groups.js";
import { metricFacts } from "../metrics/metric-name.js";
import { ERROR, type MetricValues, type Objective } from "../metrics/objective-metric.js";
import { Matrix } from "../runtime/maths/matrix.js";
import { completeRun, type Run } from "../runtime/parallel/run.js";
import { formatDuration } from "../runtime/text/number-format.js";
import { checkOptionNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { foldsOf } from "../table/row-splits.js";
import type { Labelled, LabelledRows } from "../table/target.js";
import { type Certificate, confidenceOfEach, riskOfFailure } from "../theory/certificate.js";
import type { HeldOut, SplitMethod } from "../theory/held-out/held-out.js";
import { heldOutErrorCertificates } from "../theory/held-out/repeats-and-groups.js";
import { holm } from "../theory/multiple-testing.js";
import { sparseNotices } from "../validation/cross-validate.js";
import { fitDecision } from "../validation/fit-decision.js";
import { joinOutOfFold } from "../validation/out-of-fold.js";
import type { Trial } from "../validation/trial.js";
import { conciseNames } from "./candidates.js";
import { type ComparisonBaseline, comparisonBaseline } from "./compare-baseline.js";
import { correctedTTest } from "./corrected-t-test.js";
import type { Candidate } from "./race/candidate.js";
import { ComparisonRace } from "./race/comparison-race.js";

/** How to compare. */
export interface CompareOptions {
  /** Number of folds; the default is 5. */
  readonly folds?: number;
  /** Rows to test the models of all other rows on. */
  readonly heldOut?: { readonly rows: LabelledRows; readonly drawn: SplitMethod };
  /** Confidence that all certificates hold together; default 0.95. */
  readonly confidence?: number;
  /** Metric of the comparison; by default the error. */
  readonly objective?: Objective;
  /** Time limit for all learners together, in seconds; by default none. */
  readonly seconds?: number;
  readonly run?: Partial<Run>;
}

const OPTIONS: Readonly<Record<keyof CompareOptions, true>> = {
  folds: true,
  heldOut: true,
  confidence: true,
  objective: true,
  seconds: true,
  run: true,
};

/** One learner of a comparison: its errors, time, size and certificate. */
export interface Compared {
  /** The learner's name and its changed options. */
  readonly name: string;
  readonly learner: Learner;
  /** Fraction of misclassified rows of each fold, by models that did not see it. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /** The metric of the comparison in each fold. */
  readonly metric: MetricValues;
  /**
   * p-value of the difference from the best learner, corrected for the overlap of folds and for multiple comparisons.
   * Absent for the best learner itself.
   */
  readonly p?: number;
  /** Advantage of the learner's mean metric over the baseline; negative if it is worse. */
  readonly gain: number;
  /** p-value of the difference from the baseline, corrected for the overlap of folds and for multiple comparisons. */
  readonly pBaseline: number;
  /** Time to fit all rows that are not held out, and to classify one row. */
  readonly seconds: { readonly fit: number; readonly row: number };
  /** Size of the model in a file. */
  readonly bytes: number;
  /** Result of the model fitted to all rows that are not held out; absent if there was no time for it. */
  readonly heldOut?: HeldOut;
  /**
   * Gain over the baseline on the held-out rows by the metric, in a paired test; p is not corrected for the number of
   * learners.
   */
  readonly heldOutGain?: PairedResult;
  /** Holds together with the certificates of all other learners. */
  readonly certificate?: Certificate;
}

/** A learner that ran out of time. Its error cannot be compared with learners that completed all folds. */
export interface OutOfTime {
  readonly name: string;
  /** Number of folds that it was tested on. */
  readonly folds: number;
  /** Mean error of these folds; absent without any. */
  readonly error?: number;
}

/** The result of a comparison. */
export interface Comparison {
  /** The metric of the comparison. */
  readonly objective: Objective;
  /** Sorted by the mean metric, best first. */
  readonly compared: readonly Compared[];
  /** Always answering the most common class, on the same folds. */
  readonly baseline: ComparisonBaseline;
  /** Learners that ran out of time; any of them may be better than those compared. */
  readonly outOfTime: readonly OutOfTime[];
  /** Predicted time limit for all learners; absent if none ran out of time, or if it is unknown. */
  readonly secondsForAll?: number;
  /** Learners that could not be compared, and the reasons. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  readonly folds: number;
  /** Warnings: classes with fewer rows than folds. */
  readonly notices: readonly string[];
}

/**
 * Compares learners on the same folds: each fold is classified by models fitted to the other folds. Then all learners
 * are fitted to all rows, one after the other so that times are comparable, and tested on the held-out rows if there
 * are any. A learner that cannot be fitted is listed with the reason; it is an error only if none can. All are compared
 * with the baseline that always answers the most common class.
 *
 * With a time limit, cheap learners come first and leave their remaining time to slow ones; learners that still do not
 * finish are listed as out of time. Which ones these are depends on the machine; all other results do not.
 */
export async function compare(
  learners: readonly Learner[],
  data: Labelled,
  options: CompareOptions = {},
): Promise<Comparison> {
  const { folds: count = 5, heldOut, confidence = 0.95, objective = ERROR, seconds } = options;
  checkOptions(learners, options);
  const run = completeRun(options.run);
  const names = conciseNames(learners);
  const { folds, sparse } = foldsOf(data, count, run.seed);
  const setup = { folds, heldOut: heldOut?.rows, seconds, objective, run };
  const race = new ComparisonRace(learners, names, data, setup);
  await race.run();
  const needed = seconds === undefined ? undefined : race.secondsForAll();
  const secondsForAll = needed === undefined ? undefined : roundedUpSeconds(needed);
  const all = race.candidates;
  const complete = all.filter((one) => one.isIn && one.results.length === count);
  if (complete.length === 0) throw noneComplete(all, seconds, secondsForAll);
  const baseline = comparisonBaseline(data, folds, objective);
  const context = { race, baseline, heldOut, confidence, objective, run };
  return {
    objective,
    compared: await rank(complete, context),
    baseline,
    outOfTime: all.filter((one) => one.isIn && one.results.length < count).map(outOfTime),
    secondsForAll,
    failed: all.flatMap(({ name, exit }) => (exit ? [{ name, reason: exit.reason }] : [])),
    folds: count,
    notices: [...sparseNotices(data, sparse), ...unfittedNotices(complete, race)],
  };
}

/** Warns about learners that could not be fitted to all rows in time. */
function unfittedNotices(complete: readonly Candidate[], { final }: ComparisonRace): string[] {
  const names = complete.filter((one) => !final.has(one)).map(({ name }) => name);
  if (names.length === 0) return [];
  return [`No time was left to fit ${names.join(", ")} to all rows: time and size come from a fold.`];
}

function checkOptions(learners: readonly Learner[], options: CompareOptions): void {
  checkOptionNames("compare", options, OPTIONS);
  const { confidence = 0.95, seconds } = options;
  riskOfFailure(confidence);
  if (seconds !== undefined && !(seconds > 0)) {
    throw new VouchError("option/invalid", `The time limit must be positive, not ${seconds} s.`);
  }
  if (learners.length === 0) throw new VouchError("option/invalid", "There are no learners to compare.");
  learners.forEach(checkLearner);
}

function noneComplete(
  all: readonly Candidate[],
  seconds: number | undefined,
  secondsForAll: number | undefined,
): VouchError {
  const [{ name, exit }] = all;
  if (exit && all.every(({ isIn }) => !isIn)) {
    return new VouchError("learner/unsupported", `No learner can be compared; ${name}: ${exit.reason}`);
  }
  const needed =
    secondsForAll === undefined ? "" : ` All learners need about ${formatDuration(secondsForAll)}.`;
  return new VouchError(
    "run/out-of-time",
    `No learner could be compared within ${formatDuration(seconds ?? 0)}.${needed}`,
    { hint: "Give more time, compare faster learners, or use fewer rows." },
  );
}

function outOfTime(one: Candidate): OutOfTime {
  return { name: one.name, folds: one.results.length, error: one.validation()?.mean };
}

/** Times to suggest, in seconds. */
const ROUND_SECONDS = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800];

/** Rounds a duration up to a usual one: 45 s, 2 min, 3 h. */
export function roundedUpSeconds(seconds: number): number {
  return ROUND_SECONDS.find((round) => round >= seconds) ?? 3600 * Math.ceil(seconds / 3600);
}

/** Data for the ranking in addition to the measurements. */
interface RankContext {
  readonly race: ComparisonRace;
  readonly baseline: ComparisonBaseline;
  readonly heldOut: CompareOptions["heldOut"];
  readonly confidence: number;
  readonly objective: Objective;
  readonly run: Run;
}

/** Sorts by the metric, tests against the best and the baseline, and gives each certificate an equal share of δ. */
async function rank(complete: readonly Candidate[], context: RankContext): Promise<Compared[]> {
  const { race, baseline, heldOut, confidence } = context;
  const { name: metric } = baseline.metric;
  const sign = metricFacts(metric).larger ? -1 : 1;
  const tested = complete.flatMap((one) => {
    const validation = one.validation();
    return validation ? [{ one, validation }] : [];
  });
  const order = tested.sort((a, b) => sign * (a.validation.metric.mean - b.validation.metric.mean));
  const [best, ...others] = order.map(({ validation }) => validation.metric);
  const tests = holm(others.map(({ values }) => correctedTTest(values, best.values)));
  const rows = baseline.errors.length / race.rows;
  const againstBaseline = holm(
    [best, ...others].map(({ values }) =>
      correctedTTest(values, baseline.metric.values, metric === "error" ? rows : 0),
    ),
  );
  const each = confidenceOfEach(confidence, race.candidates.length);
  const ranked: Compared[] = [];
  for (const [i, { one, validation }] of order.entries()) {
    const { errors, mean, sd, metric } = validation;
    const { fit, row, bytes } = race.costsOf(one);
    const final = race.final.get(one);
    ranked.push({
      name: one.name,
      learner: one.learner,
      errors,
      mean,
      sd,
      metric,
      p: i > 0 ? tests[i - 1] : undefined,
      gain: sign * (baseline.metric.mean - metric.mean),
      pBaseline: againstBaseline[i],
      seconds: { fit, row },
      bytes,
      ...(heldOut && final && (await onHeldOut(one, final, heldOut, each, context))),
    });
  }
  return ranked;
}

/** Describes the result on the held-out rows. */
async function onHeldOut(
  one: Candidate,
  { rows, errors, mistakes, classified }: Trial,
  { rows: { labels, groups }, drawn }: NonNullable<CompareOptions["heldOut"]>,
  confidence: number,
  { baseline, objective, run }: RankContext,
): Promise<Pick<Compared, "heldOut" | "heldOutGain" | "certificate">> {
  const heldOut = { rows, errors, drawn, ...(groups && { groups: groupCounts(mistakes, groups) }) };
  const [certificate] = heldOutErrorCertificates({ ...heldOut, confidence });
  if (!classified) {
    return { heldOut, heldOutGain: errorAgainst(baseline, { labels, mistakes, groups }), certificate };
  }
  const classes = baseline.shares.length;
  const folds = one.results.flatMap(({ classified }) => (classified ? [classified] : []));
  const known = joinOutOfFold(folds, classes);
  const { predictions } = classified;
  const own = { predictions, scores: new Matrix(rows, classes, classified.scores) };
  if (!known) return { heldOut, certificate };
  const decision = await fitDecision(objective, known, classes, run);
  const tested = { labels, ...applyDecision(decision, own), scoring: "probability" as const, groups };
  return { heldOut, heldOutGain: objectiveAgainst(objective, baseline, tested), certificate };
}
