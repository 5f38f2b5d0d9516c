import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { keepsTarget } from "@vouch/core/internal/theory/conformal/abstention-rule";
import { keepsLevel } from "@vouch/core/internal/theory/conformal/set-rule";
import { heldOutBinomial } from "@vouch/core/internal/theory/held-out/held-out";
import type { Training } from "@vouch/core/internal/train/training";
import * as z from "zod";

/** A promise on fresh rows: kept, missed by chance or by little, or missed significantly. */
interface Judgement {
  readonly missed: boolean;
  readonly significantly: boolean;
}

/** A miss is significant if a true promise would be missed by as much with less than this probability. */
export const SIGNIFICANCE = 0.05;

const outcomeFields = {
  /** Numbers of seeds, of seeds with a rule, and of seeds whose rule reaches the requested target. */
  seeds: z.int().min(0),
  ruled: z.int().min(0),
  met: z.int().min(0),
  missed: z.int().min(0),
  significantly: z.int().min(0),
};

const tallyOfAnswers = z.strictObject({
  ...outcomeFields,
  target: z.number(),
  /** Sums over the seeds with a rule: certified error, fresh error, certified and fresh answer rate. */
  certified: z.number(),
  error: z.number(),
  leastRate: z.number(),
  rate: z.number(),
  /** Seeds with fewer answered fresh rows than certified, and with significantly fewer. */
  fewer: z.int().min(0),
  significantlyFewer: z.int().min(0),
});

const tallyOfSets = z.strictObject({
  ...outcomeFields,
  level: z.number(),
  perClass: z.boolean(),
  /** Sums over the seeds: coverage of fresh rows, or the lowest coverage of a class, and mean size. */
  coverage: z.number(),
  size: z.number(),
});

/** Results of all seeds on a data set. */
export const talliesSchema = z.strictObject({
  dataset: z.string(),
  training: z.int(),
  heldOut: z.int(),
  fresh: z.int(),
  answers: z.array(tallyOfAnswers),
  sets: z.array(tallyOfSets),
});

/** Results of one target over the seeds. */
export type AnswersTally = z.infer<typeof tallyOfAnswers>;
/** Results of one kind of sets over the seeds. */
export type SetsTally = z.infer<typeof tallyOfSets>;

/** Starts the tally of a target. */
export function noAnswers(target: number): AnswersTally {
  const sums = { certified: 0, error: 0, leastRate: 0, rate: 0 };
  return { ...noOutcomes(), target, ...sums, fewer: 0, significantlyFewer: 0 };
}

/** Starts the tally of a kind of sets. */
export function noSets(level: number, perClass: boolean): SetsTally {
  return { ...noOutcomes(), level, perClass, coverage: 0, size: 0 };
}

function noOutcomes() {
  return { seeds: 0, ruled: 0, met: 0, missed: 0, significantly: 0 };
}

/** Fresh rows as a classifier answers them. */
export interface FreshAnswers {
  readonly classes: readonly string[];
  readonly labels: Int32Array;
  /** Predicted classes; "" for a row without an answer. */
  readonly predictions: readonly string[];
  /** Prediction set of each row. */
  readonly sets: readonly (readonly string[])[];
}

/** Judges the answers to fresh rows, and adds the outcome to the tally. */
export function addAnswers(
  tally: AnswersTally,
  { classifier, certificates }: Pick<Training, "classifier" | "certificates">,
  { classes, labels, predictions }: FreshAnswers,
): AnswersTally {
  const { abstention } = classifier.decision;
  const certified = certificates.find(({ measure }) => measure === "answer-rate");
  const seeds = tally.seeds + 1;
  if (!abstention || !certified) return { ...tally, seeds };
  const rows = labels.length;
  const answers = Array.from(predictions.keys()).filter((row) => predictions[row] !== "");
  const answered = answers.length;
  const errors = answers.filter((row) => predictions[row] !== classes[labels[row]]).length;
  const error = judged(errors, answered, abstention.target);
  const rate = judged(rows - answered, rows, 1 - certified.value);
  return {
    ...tally,
    ...counted(tally, keepsTarget(abstention), error),
    seeds,
    certified: tally.certified + abstention.target,
    error: tally.error + (answered === 0 ? 0 : errors / answered),
    leastRate: tally.leastRate + certified.value,
    rate: tally.rate + answered / rows,
    fewer: tally.fewer + Number(rate.missed),
    significantlyFewer: tally.significantlyFewer + Number(rate.significantly),
  };
}

/** Judges the sets of fresh rows, and adds the outcome to the tally. */
export function addSets(
  tally: SetsTally,
  { classifier }: Pick<Training, "classifier">,
  { classes, labels, sets }: FreshAnswers,
): SetsTally {
  const rule = classifier.decision.sets;
  const seeds = tally.seeds + 1;
  if (!rule) return { ...tally, seeds };
  const all = Array.from(labels.keys());
  const parts = rule.perClass ? classes.map((_, k) => all.filter((row) => labels[row] === k)) : [all];
  const counts = parts
    .filter((rows) => rows.length > 0)
    .map((rows) => ({
      rows: rows.length,
      misses: rows.filter((row) => !sets[row].includes(classes[labels[row]])).length,
    }));
  // All classes must be covered at once, so each gets a share of the significance level.
  const outcomes = counts.map(({ rows, misses }) => judged(misses, rows, 1 - rule.level, counts.length));
  const outcome = {
    missed: outcomes.some(({ missed }) => missed),
    significantly: outcomes.some(({ significantly }) => significantly),
  };
  return {
    ...tally,
    ...counted(tally, keepsLevel(rule), outcome),
    seeds,
    coverage: tally.coverage + Math.min(...counts.map(({ rows, misses }) => 1 - misses / rows)),
    size: tally.size + mean(sets.map((set) => set.length)),
  };
}

function counted(
  { ruled, met, missed, significantly }: Pick<AnswersTally, "ruled" | "met" | "missed" | "significantly">,
  isMet: boolean,
  outcome: Judgement,
) {
  return {
    ruled: ruled + 1,
    met: met + Number(isMet),
    missed: missed + Number(outcome.missed),
    significantly: significantly + Number(outcome.significantly),
  };
}

/**
 * Judges a promise that at most a share of rows are misses. It is missed if more fresh rows are, and significantly so
 * if the lower Clopper–Pearson bound on their probability exceeds the share.
 */
export function judged(misses: number, rows: number, most: number, promises = 1): Judgement {
  if (rows === 0) return { missed: false, significantly: false };
  const confidence = 1 - SIGNIFICANCE / promises;
  const { value: hits } = heldOutBinomial({ rows, errors: rows - misses, confidence });
  // Rounding may affect the last bit of equal shares.
  return { missed: misses > most * rows * (1 + 1e-12), significantly: 1 - hits > most };
}
