import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import {
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "@vouch/core/internal/table/target";
import type { LoadedDataset } from "@vouch/datasets";
import type { Scale } from "../experiment.js";

/**
 * Data sets of the experiment; scale quick uses shipped ones. Of near copies, such as the two versions of splice, only
 * one is listed.
 */
export const choiceSets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere", "iris"],
  paper: [
    "a1a",
    "adult",
    "breastcancer",
    "diatoms",
    "digits",
    "german",
    "german-categorical",
    "imclef07a",
    "imclef07d",
    "ionosphere",
    "iris",
    "isolet",
    "landuse21",
    "leaves100",
    "letter",
    "mnist",
    "omniglot8",
    "optdigits",
    "pendigits",
    "satimage",
    "splice",
    "usps",
    "vowel",
    "wdbc",
    "wine",
    "yeast",
  ],
};

/** Seed of the first split in the recorded results of the scikit-learn expert; the seeds of further splits follow. */
export const EXPERT_SEED = 1;

/** Number of random splits of a data set without official test rows. */
export const choiceDivisions: Readonly<Record<Scale, number>> = { quick: 2, paper: 5 };

/** Fraction of the rows that is held out if there is no official test part. */
export const CHOICE_HOLDOUT = 0.2;

/** Training and test rows of a split. */
export interface ChoiceDivision {
  readonly training: Labelled;
  readonly test: LabelledRows;
}

/** Splits a data set like `trainClassifier` with this seed: into its official test rows, or a stratified hold-out. */
export function choiceDivision({ train, test, entry }: LoadedDataset, seed: number): ChoiceDivision {
  const data = labelled(train, entry.target);
  if (test) return { training: data, test: labelsFor(test, data) };
  const rows = stratifiedHoldout(data.labels, CHOICE_HOLDOUT, seed);
  return { training: selectRows(data, rows.train), test: selectRows(data, rows.test) };
}
