import { z } from "zod";
import type { CrossValidation } from "../evaluate/cross-validate.js";
import { checkedJson, type Json } from "../runtime/state.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Choice } from "../select/choose-learner.js";
import { MARGIN_QUANTILES } from "../theory/margins/margin-statistics.js";
import type { TestedModel } from "./test.js";
import { VERSION } from "./version.js";

const count = z.int().min(0);
const share = z.number().min(0).max(1);

const cardSchema = z.strictObject({
  /** Version of vouch that trained it. */
  vouch: z.string(),
  learner: z.string(),
  /** All options of the learner, defaults filled in. */
  options: z.record(z.string(), z.json()),
  seed: z.number(),
  /** What it was trained on: rows, raw feature columns and classes are counts; held-out rows are not among the rows. */
  data: z.strictObject({ name: z.string(), rows: count, features: count, classes: count }),
  /** Share of misclassified rows. */
  error: z.strictObject({
    /** On the training rows; absent if another program has trained the model. */
    train: share.optional(),
    /** On the held-out rows. */
    test: share.optional(),
    /** In each fold of a cross-validation, by models that did not see the fold. */
    folds: z.array(share).optional(),
  }),
  /** What the held-out certificates need; absent when the model was trained on all rows. */
  heldOut: z
    .strictObject({ rows: count, errors: count, stratified: z.boolean().optional() })
    .refine(({ rows, errors }) => errors <= rows, "more errors than rows")
    .optional(),
  /** Where the training rows chose the learner: among how many, and how those did that were tried, the chosen one first. */
  choice: z
    .strictObject({
      among: z.int().min(1),
      candidates: z.array(
        z.strictObject({
          /** The learner and its options that are not at their defaults. */
          name: z.string(),
          /** Mean share of misclassified rows in its rounds, by models that were fitted to so many rows. */
          error: share,
          rounds: count,
          rows: count,
          fate: z.enum(["finished", "behind", "slow", "failed", "not tried"]),
        }),
      ),
    })
    .optional(),
  /** Ascending quantiles of the margins of the training rows, at 0 %, 1 %, … 100 %; absent like the error on them. */
  margins: z.array(z.number().min(-1).max(1)).length(MARGIN_QUANTILES).optional(),
  /** What the user should know of the training. */
  notices: z.array(z.string()),
});

/**
 * What a model file says of its own training. Neither times nor the number of threads belong here: the same
 * seed gives the same file.
 */
export type Card = z.output<typeof cardSchema>;

/** The card of a model that was trained here: what is known of its training rows is there. */
export interface TrainedCard extends Card {
  readonly error: Card["error"] & { readonly train: number };
  readonly margins: number[];
}

/** The card behind JSON from a file; throws `model/corrupt` for anything else. */
export function readCard(json: Json | undefined): Card {
  return checkedJson("card", json, cardSchema);
}

/** A learner's options as a card keeps them; options that are not set are left out. */
export function cardOptions(options: Readonly<Record<string, unknown>>): Card["options"] {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const parsed = cardSchema.shape.options.safeParse(Object.fromEntries(set));
  if (parsed.success) return parsed.data;
  const name = String(parsed.error.issues[0].path[0]);
  throw new VouchError("option/invalid", `Option ${name} of the learner has a value that no file can keep.`, {
    hint: "The options of a learner are numbers, texts, true, false, null, and lists and objects of these.",
  });
}

const CHOSEN_ON_THE_SAME_ROWS =
  "The folds tested the learner on the same rows that chose it: its error on new rows is likely a little larger.";

/** Everything that a card is written from. */
interface CardSources {
  readonly learner: Pick<Card, "options"> & { readonly name: string };
  readonly seed: number;
  readonly data: Card["data"];
  readonly tested: TestedModel;
  readonly validation: CrossValidation | undefined;
  readonly choice: Choice | undefined;
  readonly notices: readonly string[];
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
}: CardSources): TrainedCard {
  const { training, heldOut } = tested;
  return {
    vouch: VERSION,
    learner: learner.name,
    options: learner.options,
    seed,
    data,
    error: {
      train: training.errors / training.rows,
      ...(heldOut && { test: heldOut.evaluation.error }),
      ...(validation && { folds: [...validation.errors] }),
    },
    ...(heldOut && heldOut.counts.dependence === undefined && { heldOut: heldOut.counts }),
    ...(choice && { choice: choiceOnCard(choice) }),
    margins: Array.from(training.margins),
    notices: [
      ...notices,
      ...(validation?.notices ?? []),
      ...(validation && choice ? [CHOSEN_ON_THE_SAME_ROWS] : []),
    ],
  };
}

/** The choice as the card keeps it. Candidates that were not tried could have been chosen, too. */
function choiceOnCard({ candidates, untried }: Choice): NonNullable<Card["choice"]> {
  return {
    among: candidates.length + untried.length,
    candidates: candidates.map(({ name, validation, rows, fate }) => ({
      name,
      error: validation.mean,
      rounds: validation.errors.length,
      rows,
      fate,
    })),
  };
}
