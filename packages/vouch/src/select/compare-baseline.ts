import { indexOfLargest } from "../learners/scores.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import type { Split } from "../table/splits.js";
import type { Labelled, LabelledRows } from "../table/target.js";

/** The baseline of a comparison: it always answers the commonest class of its training rows. */
export interface ComparisonBaseline {
  /** The commonest class of all rows that are not held out. */
  readonly class: string;
  /** Fraction of misclassified rows of each fold; the answer is the commonest class of the other folds. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /** Result on the held-out rows. */
  readonly heldOut?: { readonly rows: number; readonly errors: number };
}

/** Computes the errors of the baseline on the folds and on the held-out rows. Ties go to the class that comes first. */
export function comparisonBaseline(
  { labels, classes }: Pick<Labelled, "labels" | "classes">,
  folds: readonly Split[],
  heldOut: Pick<LabelledRows, "labels"> | undefined,
): ComparisonBaseline {
  const ofFold = ({ train, test }: Split) => {
    const answer = commonest(train.map((row) => labels[row]));
    return test.reduce((wrong, row) => wrong + Number(labels[row] !== answer), 0) / test.length;
  };
  const commonest = (own: Int32Array) => {
    const counts = new Int32Array(classes.length);
    for (const label of own) counts[label]++;
    return indexOfLargest(counts);
  };
  const answer = commonest(labels);
  const errors = folds.map(ofFold);
  return {
    class: classes[answer],
    errors,
    mean: mean(errors),
    sd: standardDeviation(errors),
    ...(heldOut && {
      heldOut: {
        rows: heldOut.labels.length,
        errors: heldOut.labels.reduce((wrong, label) => wrong + Number(label !== answer), 0),
      },
    }),
  };
}

/** Held-out rows that tell a learner and the baseline apart. */
export interface DiscordantRows {
  /** Rows that only the learner classifies correctly. */
  readonly won: number;
  /** Rows that only the baseline classifies correctly. */
  readonly lost: number;
}

/**
 * Counts the held-out rows that only a learner or only the baseline classifies correctly. All others say nothing about which of
 * the two errs less (McNemar 1947), so that an exact paired test needs only these two numbers.
 */
export function discordantRows(
  mistakes: Uint8Array,
  labels: Int32Array,
  { classes }: Pick<Labelled, "classes">,
  baseline: ComparisonBaseline,
): DiscordantRows {
  const answer = classes.indexOf(baseline.class);
  let won = 0;
  let lost = 0;
  labels.forEach((label, row) => {
    const right = label === answer;
    if (mistakes[row] === 0 && !right) won++;
    if (mistakes[row] === 1 && right) lost++;
  });
  return { won, lost };
}
