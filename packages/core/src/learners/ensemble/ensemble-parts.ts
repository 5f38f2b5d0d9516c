import * as z from "zod";
import { JointFeatures } from "../../encode/joint-features.js";
import type { Features, Selectable } from "../../encode/sample.js";
import { list, object, transient } from "../../runtime/codec/parts.js";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  proportion,
  realNumber,
} from "../../runtime/codec/schema-numbers.js";
import { jsonText } from "../../runtime/codec/state.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Fitted } from "../learner-definition.js";
import { nestedModel } from "../nested.js";
import { ENSEMBLE, memberEvidence } from "./ensemble-options.js";
import type { Pool } from "./pool.js";

/** More members would take too long to load. */
const MOST_MEMBERS = 200;

export const ensembleParts = {
  combine: z.enum(["average", "log-linear"]),
  /** The loss that weights were selected by. */
  metric: z.enum(["error", "log-loss"]),
  /** Number of features in each encoding; one if all members have the same. */
  widths: z.array(positiveInteger).min(1).max(MOST_MEMBERS).readonly(),
  members: list(
    object({
      model: nestedModel,
      /** The options of its learner that are not the defaults. */
      settings: z.array(z.string()).readonly(),
      weight: nonNegativeNumber,
      /** Decision values become probabilities by softmax(s / T); 1 if scores are probabilities. */
      temperature: z.number().min(Number.MIN_VALUE).max(Number.MAX_VALUE),
      /** The index of its encoding. */
      place: nonNegativeInteger,
      evidence: memberEvidence.optional(),
    }),
    { min: 1, max: MOST_MEMBERS },
  ),
  /** b_k of a log-linear pool; empty in an average. */
  offsets: z.array(realNumber).readonly(),
  /** Losses in the folds that selected the weights, cross-fitted; absent if weights were given. */
  outOfFold: z
    .strictObject({
      rows: positiveInteger,
      folds: positiveInteger,
      error: proportion,
      logLoss: nonNegativeNumber,
    })
    .optional(),
  /** Cross-fitted probabilities of the training rows of positive weight. */
  outOfFoldScores: transient<Matrix>(),
  /** Notices of the fit. */
  warnings: z.array(z.string()).readonly(),
};

export type EnsembleParts = Fitted<typeof ensembleParts>;
export type EnsembleMember = EnsembleParts["members"][number];

/** Describes what does not fit together in parts from a file; undefined if everything does. */
export function faultOfEnsemble(model: EnsembleParts): string | undefined {
  const { members, widths, classes, featureNames, combine, offsets } = model;
  if (widths.reduce((sum, width) => sum + width, 0) !== featureNames.length)
    return "its encodings do not have its features";
  for (const { model: own, place } of members) {
    if (own.learner === ENSEMBLE) return "a member is an ensemble";
    if (jsonText(own.classes) !== jsonText(classes)) return "a member has other classes";
    if (widths[place] !== own.featureNames.length) return "a member takes other features";
  }
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  if (combine === "average" ? !(Math.abs(total - 1) < 1e-9) : !(total > 0))
    return "its weights do not add up";
  const expected = combine === "average" ? 0 : classes.length;
  return offsets.length === expected ? undefined : `it has ${offsets.length} offsets and not ${expected}`;
}

/** Returns how an ensemble pools its members. */
export function poolOf({ combine, members, offsets }: EnsembleParts): Pool {
  const weights = Float64Array.from(members, ({ weight }) => weight);
  return { combine, weights, offsets: Float64Array.from(offsets) };
}

/** Returns the features in one of the encodings of an ensemble. */
export function partAt(
  features: Features,
  place: number,
  encodings: number,
): Features & Selectable<Features> {
  if (!(features instanceof JointFeatures)) {
    if (encodings === 1) return features;
    throw wrongEncodings(encodings, 1);
  }
  if (features.parts.length !== encodings) throw wrongEncodings(encodings, features.parts.length);
  return features.parts[place];
}

function wrongEncodings(expected: number, given: number): VouchError {
  return new VouchError(
    "data/wrong-kind",
    `The members of the ensemble take ${expected} encodings, but the rows have ${given}.`,
    { hint: "Encode the table with the encoding of the learner." },
  );
}
