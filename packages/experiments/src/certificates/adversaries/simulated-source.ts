import { Random } from "@vouch/core/internal/runtime/maths/random";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { certify } from "@vouch/core/internal/train/certify";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { collectEvidence, evaluateClassifier } from "@vouch/core/internal/train/evaluate-classifier";
import type { HeldOutTest } from "@vouch/core/internal/train/selective-prediction";
import { trainClassifier } from "@vouch/core/internal/train/train";
import type { Training } from "@vouch/core/internal/train/training";
import type { Verdict } from "@vouch/core/internal/train/verdict";
import { isGrave } from "@vouch/core/internal/train/warnings";
import { isFalse, nameOf } from "../simulated-runs.js";
import { TrueMeasures } from "../true-measures.js";
import { CertifiedLaws, freshCases } from "./certified-law.js";
import type { Case, DrawnFiles, Source } from "./source.js";
import { type SourceName, sourceNames, sources } from "./sources.js";

/** Some of the runs of a source. */
export interface SourceInput {
  readonly source: SourceName;
  readonly seed: number;
  readonly firstRun: number;
  readonly runs: number;
  /** Number of fresh cases that the truth is measured on. */
  readonly fresh: number;
  readonly deltas: readonly number[];
}

/** How often a statement was made and how often it was false. */
export interface StatementTally {
  /** The name of a certificate, with its class if it is about one; or another statement of a training. */
  readonly statement: string;
  /** Risk that the statement is false. */
  readonly delta: number;
  /** Number of runs that made it without a warning to excuse it. */
  ticked: number;
  /** Number of these runs in which it was false. */
  falseWithTick: number;
  /** Number of runs in which it was false, regardless of warnings. */
  falseInAll: number;
}

/** Runs of a source. */
export interface SourceTally {
  readonly runs: number;
  /** Number of runs with a grave warning. */
  readonly warned: number;
  readonly statements: readonly StatementTally[];
}

/** Draws files, trains, certifies and compares every statement with the truth, many times. */
export const adversaryTask = definePortableTask(
  "experiments/certificate-adversaries",
  async (input: SourceInput, { checkpoint }): Promise<SourceTally> => {
    const source = sources[input.source];
    const stream = sourceNames.indexOf(input.source);
    const statements = new Map<string, StatementTally>();
    let runs = 0;
    let warned = 0;
    for (let run = input.firstRun; run < input.firstRun + input.runs; run++) {
      await checkpoint();
      const random = new Random(input.seed).fork(stream).fork(run);
      const files = source.draw(random);
      const certified = await certifiedFile(source, files, random.bits());
      if (!certified) continue;
      runs++;
      if (certified.warned) warned++;
      const cases = files.fresh(Math.round(input.fresh * (source.freshShare ?? 1)), random);
      const isExcused = certified.warned && !source.independent;
      const count = countInto(statements, isExcused);
      compare(certified, truthOf(certified, source, files, cases), input.deltas, count);
    }
    return { runs, warned, statements: [...statements.values()] };
  },
  import.meta.url,
);

/** A classifier, the rows that certify it, and the statements about them. */
interface Certified {
  readonly training: Training;
  readonly evidence: HeldOutTest | undefined;
  readonly verdict: Verdict | undefined;
  readonly warned: boolean;
}

/** Trains and tests like a user of the source; undefined if all training rows have one class. */
async function certifiedFile(
  { learner, options, other }: Source,
  files: DrawnFiles,
  seed: number,
): Promise<Certified | undefined> {
  const table = Table.fromRecords("file", files.training);
  const second = files.other && Table.fromRecords("other file", files.other);
  const training = await trainClassifier(table, learner(), {
    target: "label",
    ...options,
    ...(other === "test" && second && { test: second }),
    run: { seed },
  }).catch((error: unknown) => {
    if (error instanceof VouchError && error.code === "data/one-class") return undefined;
    throw error;
  });
  if (!training) return undefined;
  const isLater = other === "certify" && second !== undefined;
  const verdict = isLater
    ? (await evaluateClassifier(training.classifier, second)).verdict
    : training.verdict;
  const evidence = isLater ? await collectEvidence(training.classifier, second) : training.evidence;
  return { training, evidence, verdict, warned: verdict?.warnings.some(isGrave) ?? false };
}

/** Decides whether statements about a training are false. */
interface Truth {
  /** Returns whether a certificate with this value is false by more than `errors` standard errors of the truth. */
  isFalse(certificate: Certificate, value: number, errors: number): boolean;
  /** Returns whether a verdict wrongly claims that the model beats its baseline. */
  isMisjudged(verdict: Verdict): boolean;
}

function truthOf(
  { training, evidence }: Certified,
  { options }: Source,
  files: DrawnFiles,
  cases: readonly Case[],
): Truth {
  const { classifier, tables } = training;
  const fresh = freshCases(cases, classifier, options.group);
  const measures = new TrueMeasures(classifier, fresh, costsOf(classifier));
  const labels = files.training.map(({ label }) => String(label));
  const laws = new CertifiedLaws({ fresh, training: tables.training, evidence, labels });
  return {
    isFalse(certificate, value, errors) {
      const law = laws.of(certificate);
      const truth = law && measures.of(certificate, law);
      if (!law || truth === undefined || !isFalse(certificate, value, truth)) return false;
      const values = laws.partsOf(law).map((part) => measures.of(certificate, part));
      const allowance = errors * standardError(values.filter((one) => one !== undefined));
      return isFalse(
        certificate,
        value,
        certificate.bound === "lower" ? truth + allowance : truth - allowance,
      );
    },
    isMisjudged({ better, objective, baseline, measuredOn }) {
      if (better !== "yes" || objective) return false;
      const law = laws.of({ statement: measuredOn, measure: "error", terms: {} });
      const constant = fresh.classes.indexOf(baseline.class);
      const error = law && measures.of({ measure: "error" }, law);
      return error !== undefined && error >= constantError(law ?? fresh.law, constant, fresh.classes.length);
    },
  };
}

/** Computes the standard error of a mean of independent values; Infinity for fewer than two. */
function standardError(values: readonly number[]): number {
  const { length } = values;
  if (length < 2) return Number.POSITIVE_INFINITY;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (length - 1) / length);
}

/** Computes the error of always answering one class. */
function constantError(law: Float64Array, label: number, classes: number): number {
  return law.reduce((sum, p, i) => (i % classes === label ? sum : sum + p), 0);
}

/**
 * Returns the costs that a classifier was trained for; a class that it lacks costs as much as the most expensive error.
 */
function costsOf({ card, classes }: Classifier): ((actual: number, predicted: number) => number) | undefined {
  const costs = card.objective?.costs;
  if (!costs) return undefined;
  const most = Math.max(...costs.flat());
  return (actual, predicted) => (actual < classes.length ? costs[actual][predicted] : most);
}

/** With more classes, statements about the remaining ones are skipped. */
const MOST_CLASSES = 3;
/** The risk of a wrong verdict of `trainClassifier` and `evaluateClassifier` by default. */
const VERDICT_RISK = 0.05;
/**
 * Number of standard errors of the truth by which a bound must be off. With one, chance in the truth makes no valid
 * bound fail more often than δ as long as there are more fresh cases than held-out rows. For several bounds together,
 * each truth can be unlucky.
 */
const ERRORS_OF_ONE = 1;
const ERRORS_OF_SEVERAL = 3;

/** Counts a statement that was made, or not made. */
type Count = (statement: string, delta: number, isMade: boolean, isWrong: () => boolean) => void;

function countInto(statements: Map<string, StatementTally>, isExcused: boolean): Count {
  return (statement, delta, isMade, isWrong) => {
    const key = `${statement} at ${delta}`;
    const tally = statements.get(key) ?? { statement, delta, ticked: 0, falseWithTick: 0, falseInAll: 0 };
    statements.set(key, tally);
    const failed = isMade && isWrong();
    if (isMade && !isExcused) tally.ticked++;
    if (failed) tally.falseInAll++;
    if (failed && !isExcused) tally.falseWithTick++;
  };
}

/** Compares all statements about a training with the truth. */
function compare(
  { training: { classifier }, evidence, verdict }: Certified,
  truth: Truth,
  deltas: readonly number[],
  count: Count,
): void {
  const classes = new Set([undefined, ...classifier.classes.slice(0, MOST_CLASSES)]);
  for (const delta of deltas) {
    const given = evidence && { heldOut: evidence };
    const certificates = certify(classifier, { confidence: 1 - delta, ...given });
    const counted = certificates.filter((one) => one.holds && classes.has(one.class));
    const isMade = (one: Certificate) => one.holds && one.reason === undefined;
    const isWrong = (one: Certificate) => truth.isFalse(one, one.value, ERRORS_OF_ONE);
    for (const one of counted) count(nameOf(one), delta, isMade(one), () => isWrong(one));
    for (const one of certificates.slice(0, 1)) count("quoted", delta, isMade(one), () => isWrong(one));
    const together = counted.filter((one) => one.together !== undefined && isMade(one));
    count("all together", delta, together.length > 0, () =>
      together.some((one) => truth.isFalse(one, one.together ?? one.value, ERRORS_OF_SEVERAL)),
    );
  }
  if (!verdict) return;
  count("better than the baseline", VERDICT_RISK, verdict.better === "yes", () => truth.isMisjudged(verdict));
}
