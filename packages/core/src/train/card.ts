import * as z from "zod";
import { calibrationMethods } from "../metrics/calibrator.js";
import { METRIC_NAMES } from "../metrics/metric-name.js";
import type { Objective } from "../metrics/objective-metric.js";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  proportion,
  realNumber,
} from "../runtime/codec/schema-numbers.js";
import { checkedJson, type Json } from "../runtime/codec/state.js";
import { VERSION } from "../runtime/version.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Choice } from "../select/choose-learner.js";
import { MARGIN_QUANTILES } from "../theory/margins/margin-quantiles.js";
import type { FoldResults } from "../validation/cross-validate.js";
import type { FittedDecision } from "./decide.js";
import type { MeasuredModel } from "./measure.js";
import type { HeldOutTest } from "./selective-prediction.js";
import type { Verdict } from "./verdict.js";
import { WARNING_CODES } from "./warnings.js";

const drawn = z.enum(["random", "stratified", "groups", "time", "separate"]);
const possible = ({ rows, errors }: { readonly rows: number; readonly errors: number }) => errors <= rows;

const heldOutSchema = z
  .strictObject({
    rows: nonNegativeInteger,
    errors: nonNegativeInteger,
    drawn: drawn.optional(),
    repeats: z
      .strictObject({
        rows: nonNegativeInteger,
        errors: nonNegativeInteger,
        newRows: nonNegativeInteger,
        newErrors: nonNegativeInteger,
        natural: z.boolean(),
        different: z
          .strictObject({ rows: nonNegativeInteger, errors: nonNegativeInteger })
          .refine(possible, "more errors than rows")
          .optional(),
        nearness: z.string().optional(),
      })
      .refine(possible, "more errors than rows")
      .refine(({ newRows, newErrors }) => newErrors <= newRows, "more errors than new rows")
      .optional(),
    groups: z
      .array(
        z
          .strictObject({ rows: positiveInteger, errors: nonNegativeInteger, groups: positiveInteger })
          .refine(possible, "more errors than rows"),
      )
      .optional(),
    alike: z.strictObject({ column: z.string(), kind: z.enum(["group", "time"]) }).optional(),
    change: z.string().optional(),
    unchecked: z.boolean().optional(),
    auc: z
      .strictObject({ value: proportion, positives: nonNegativeInteger, negatives: nonNegativeInteger })
      .optional(),
    confusion: z
      .strictObject({ classes: z.array(z.string()), matrix: z.array(z.array(nonNegativeInteger)) })
      .refine(({ classes, matrix }) => {
        const rows = matrix.length;
        const fits = rows === classes.length || rows === classes.length + 1;
        return fits && matrix.every((row) => row.length === rows);
      }, "the matrix does not fit the classes")
      .optional(),
  })
  .refine(possible, "more errors than rows");

const pairedResult = z.strictObject({
  model: realNumber,
  baseline: realNumber,
  gain: realNumber,
  p: proportion,
});

const verdictSchema = z.strictObject({
  better: z.enum(["yes", "no", "unclear"]),
  baseline: z.strictObject({ class: z.string(), error: proportion }),
  error: proportion,
  gain: realNumber,
  p: proportion,
  measuredOn: z.enum(["held-out rows", "new rows", "groups", "folds", "rows"]),
  objective: pairedResult.extend({ metric: z.enum(METRIC_NAMES) }).optional(),
  logLoss: pairedResult.optional(),
  auc: pairedResult.optional(),
  classes: z
    .array(
      z.strictObject({
        class: z.string(),
        rows: nonNegativeInteger,
        found: nonNegativeInteger,
        predicted: nonNegativeInteger,
      }),
    )
    .optional(),
  rare: z
    .strictObject({
      class: z.string(),
      rows: nonNegativeInteger,
      found: nonNegativeInteger.optional(),
      share: proportion,
      other: z.string().optional(),
    })
    .optional(),
  warnings: z.array(z.strictObject({ code: z.enum(WARNING_CODES), message: z.string() })),
});

const cardSchema = z.strictObject({
  /** Version of vouch that trained the model. */
  vouch: z.string(),
  learner: z.string(),
  /** All options of the learner, including defaults. */
  options: z.record(z.string(), z.json()),
  seed: realNumber,
  /** Numbers of training rows, raw feature columns and classes. */
  data: z.strictObject({
    name: z.string(),
    rows: nonNegativeInteger,
    features: nonNegativeInteger,
    classes: nonNegativeInteger,
    /** Number of training rows of each class; absent if another program trained the model. */
    counts: z.array(nonNegativeInteger).optional(),
  }),
  /** The metric that the model was trained for; absent if another program trained it. */
  objective: z
    .strictObject({
      metric: z.enum(METRIC_NAMES),
      costs: z.array(z.array(nonNegativeNumber)).optional(),
      positive: z.int().min(0).max(1).optional(),
    })
    .refine(({ metric, costs }) => (metric === "cost") === (costs !== undefined), "costs without the metric")
    .optional(),
  /** How the probabilities were calibrated, and on how many out-of-fold or out-of-bag rows; absent if they were not. */
  calibration: z
    .strictObject({
      method: z.enum(calibrationMethods),
      rows: nonNegativeInteger,
      from: z.enum(["folds", "bags"]),
    })
    .optional(),
  /** Weight of each class in training; absent if all are 1. */
  classWeights: z.array(nonNegativeNumber).optional(),
  /** Fraction of misclassified rows. */
  error: z.strictObject({
    /** On the training rows; absent if another program trained the model. */
    train: proportion.optional(),
    /** On the held-out rows. */
    test: proportion.optional(),
    /** In each fold of a cross-validation, by models that did not see the fold. */
    folds: z.array(proportion).optional(),
  }),
  /**
   * How the held-out rows were drawn, if there are any, and the column that groups or orders rows; absent without
   * either.
   */
  split: z
    .strictObject({ drawn: drawn.optional(), group: z.string().optional(), time: z.string().optional() })
    .optional(),
  /** Counts for the held-out certificates; absent if the model was trained on all rows. */
  heldOut: heldOutSchema.optional(),
  /** Why the training rows are not independent draws; absent if nothing is known against it. */
  dependentRows: z.string().optional(),
  /** Whether the model is worth using; absent if its error was not measured. */
  verdict: verdictSchema.optional(),
  /**
   * If the training rows chose the learner: the number of candidates, and the results of those tried, chosen one first.
   */
  choice: z
    .strictObject({
      among: positiveInteger,
      /**
       * Number of candidates whose models may have a certificate from the training rows; absent if all may, and in
       * older files.
       */
      certifiable: nonNegativeInteger.optional(),
      candidates: z.array(
        z.strictObject({
          /** The learner's name and its changed options. */
          name: z.string(),
          /** Mean error in its rounds, by models that were fitted to `rows` rows. */
          error: proportion,
          /** Mean of the metric to optimise, if that is not the error. */
          metric: realNumber.optional(),
          rounds: nonNegativeInteger,
          rows: nonNegativeInteger,
          fate: z.enum(["finished", "behind", "slow", "failed", "not tried"]),
        }),
      ),
    })
    .optional(),
  /** Percentiles 0, 1, … 100 of the training margins; absent if `error.train` is. */
  margins: z.array(z.number().min(-1).max(1)).length(MARGIN_QUANTILES).optional(),
  /** Warnings about the training. */
  notices: z.array(z.string()),
});

/**
 * Describes the training of a model in its file. It contains neither times nor the number of threads, so that the same
 * seed gives the same file.
 */
export type Card = z.output<typeof cardSchema>;

/** The card of a model that vouch trained, with error and margins on the training rows. */
export interface TrainedCard extends Card {
  readonly error: Card["error"] & { readonly train: number };
  readonly margins: number[];
}

/** Reads a card from JSON; otherwise throws `model/corrupt`. */
export function readCard(json: Json | undefined): Card {
  return checkedJson("card", json, cardSchema);
}

/** Converts a learner's options for the card, without undefined ones. */
export function cardOptions(options: Readonly<Record<string, unknown>>): Card["options"] {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const parsed = cardSchema.shape.options.safeParse(Object.fromEntries(set));
  if (parsed.success) return parsed.data;
  const name = String(parsed.error.issues[0].path[0]);
  throw new VouchError("option/invalid", `The value of the option ${name} cannot be saved as JSON.`, {
    hint: "Options must be numbers, strings, booleans, null, or arrays and objects of these.",
  });
}

const CHOSEN_ON_THE_SAME_ROWS =
  "The folds tested the learner on the rows that chose it: its error on new rows is likely a little larger.";

/** Sources of a card. */
interface CardSources {
  readonly learner: Pick<Card, "options"> & { readonly name: string };
  readonly seed: number;
  readonly data: Card["data"];
  readonly tested: MeasuredModel;
  readonly validation: FoldResults | undefined;
  readonly choice: Card["choice"];
  readonly notices: readonly string[];
  readonly split: Card["split"];
  readonly dependentRows: string | undefined;
  readonly verdict: Verdict | undefined;
  readonly objective: Objective;
  readonly decided: FittedDecision;
  readonly classWeights: Float64Array | undefined;
}

/** Writes the card of a model that was just trained and tested. */
export function writeCard({
  learner,
  seed,
  data,
  tested,
  validation,
  choice,
  notices,
  split,
  dependentRows,
  verdict,
  objective,
  decided,
  classWeights,
}: CardSources): TrainedCard {
  const { training, heldOut } = tested;
  return {
    vouch: VERSION,
    learner: learner.name,
    options: learner.options,
    seed,
    data,
    objective: objectiveOnCard(objective),
    ...calibrationOnCard(decided),
    ...(classWeights && { classWeights: Array.from(classWeights) }),
    error: {
      train: training.errors / training.rows,
      ...(heldOut && { test: heldOut.evaluation.error }),
      ...(validation && { folds: [...validation.errors] }),
    },
    ...(split && { split }),
    ...(heldOut && heldOut.evidence.dependence === undefined && { heldOut: countsOf(heldOut.evidence) }),
    ...(dependentRows !== undefined && { dependentRows }),
    ...(verdict && { verdict: verdictSchema.parse(verdict) }),
    ...(choice && { choice }),
    margins: Array.from(training.margins),
    notices: [
      ...notices,
      ...(validation?.notices ?? []),
      ...(validation && choice ? [CHOSEN_ON_THE_SAME_ROWS] : []),
    ],
  };
}

function objectiveOnCard({ metric, costs, positive }: Objective): NonNullable<Card["objective"]> {
  return {
    metric,
    ...(costs && { costs: costs.map((row) => [...row]) }),
    ...(positive !== undefined && { positive }),
  };
}

function calibrationOnCard({ decision, outOfFold }: FittedDecision): Pick<Card, "calibration"> {
  const { calibrator } = decision;
  if (!calibrator || !outOfFold) return {};
  return {
    calibration: { method: calibrator.method, rows: outOfFold.labels.length, from: outOfFold.from },
  };
}

/** Drops the losses of single rows, which would be too large for a card, and evidence that the decision keeps. */
function countsOf({
  losses,
  dependence,
  answers,
  coverage,
  findings,
  ...counts
}: HeldOutTest): NonNullable<Card["heldOut"]> {
  return heldOutSchema.parse(counts);
}

/**
 * Converts a choice for the card. If the caller chose before on the same rows, only the number of candidates is known.
 */
export function choiceOnCard(choice: Choice | undefined, chosenAmong = 1): Card["choice"] {
  if (!choice) return chosenAmong > 1 ? { among: chosenAmong, candidates: [] } : undefined;
  const { candidates, among, certifiable } = choice;
  return {
    among: chosenAmong * among,
    ...(certifiable < among && { certifiable: chosenAmong * certifiable }),
    candidates: candidates.map(({ name, validation, rows, fate }) => ({
      name,
      error: validation.mean,
      ...(validation.metric.name !== "error" && { metric: validation.metric.mean }),
      rounds: validation.errors.length,
      rows,
      fate,
    })),
  };
}
