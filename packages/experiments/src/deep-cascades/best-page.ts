import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { holm } from "@vouch/core/internal/theory/multiple-testing";
import * as z from "zod";
import { absenceNote } from "../datasets.js";
import { markdownTable, percentCell } from "../markdown-table.js";
import { pairedTTest } from "../paired-tests.js";

const share = z.number().min(0).max(1);

/** Errors of all contenders on one data set; lists have one entry per fold and repetition. */
export const comparedSetSchema = z.strictObject({
  dataset: z.string(),
  rows: z.int(),
  features: z.int(),
  classes: z.int(),
  contenders: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(["single", "cascade"]),
      errors: z.array(share),
      leaves: z.array(z.number()),
    }),
  ),
});

export type ComparedSet = z.infer<typeof comparedSetSchema>;
type Compared = ComparedSet["contenders"][number];

export const bestSchema = z.strictObject({
  repetitions: z.int().min(1),
  folds: z.int().min(2),
  sets: z.array(comparedSetSchema),
  absent: z.array(z.string()),
});

const SIGNIFICANT = 0.05;

const NOTES = `\
_Gain_ is the error of the best single learner minus that of the best cascade, in percentage points. Both are chosen by their
error on the test rows, so both look a little better than they are. _p_ is from a one-sided paired t-test over the folds with the
variance of Nadeau and Bengio (2003), because folds share training rows; _adjusted_ is Holm's correction for the number of data sets.
_Leaves_ is the mean number of leaves of the cascade.`;

const CONTENDERS = `\
Cross-validation on the training rows chooses C and the width or degree of the svm, C of logistic and the size of boosted-trees. The
cascades choose C, the families of their leaves, the gates and the shape by the bound and by validation rows of their own. A chain
passes points near a decision boundary on; a _tree of svm_ has thresholds on single features as gates, and at each leaf a constant or
a machine that was trained on the points of that leaf only.`;

const REASONS = `\
A division must pay for itself twice. In the bound, both leaves pay for the gate besides their own family, and in the sample each
leaf learns from its own rows only. A machine or a forest that sees all rows can follow different regimes itself, so on these data sets
the bound, and the validation rows that choose γ, mostly end with one leaf: the cascade is then its own base learner, and a
difference from the best single learner comes from how C and the kernel were chosen. A cascade gains where regimes differ,
simple classifiers are right within each, and one gate tells them apart. The generated data set is of that kind and shows
that the search finds such a structure: the first feature decides which of two linear classifiers holds.`;

/** Renders the result. */
export function bestPage({ repetitions, folds, sets, absent }: z.output<typeof bestSchema>): string {
  const compared = sets.map(comparisonOf);
  const adjusted = holm(compared.map(({ p }) => p));
  const best = compared.filter(({ gain }) => gain > 0);
  const surely = compared.filter((_, i) => adjusted[i] <= SIGNIFICANT);
  return [
    `${formatCount(folds, "fold")}, ${formatCount(repetitions, "random division")} of each data set. The best cascade has the smallest mean error of all on ${best.length} of ${formatCount(sets.length, "data set")}${listOf(best)}. ${surely.length === 0 ? "No gain is" : `The gain on ${surely.map(({ set }) => set.dataset).join(" and ")} is`} significant at the 5% level after Holm’s correction.`,
    markdownTable(
      [
        "data set",
        "rows × features",
        "classes",
        "best single learner",
        "error in %",
        "best cascade",
        "error in %",
        "leaves",
        "gain",
        "p",
        "adjusted",
      ],
      compared.map(({ set, single, cascade, gain, p }, i) => [
        set.dataset,
        `${formatNumber(set.rows)} × ${formatNumber(set.features)}`,
        String(set.classes),
        single.name,
        percentCell(single.errors),
        cascade.name,
        percentCell(cascade.errors),
        mean(cascade.leaves).toFixed(1),
        (100 * gain).toFixed(2),
        p.toFixed(3),
        adjusted[i].toFixed(3),
      ]),
    ),
    NOTES,
    "### Why a single leaf is hard to beat",
    REASONS,
    "### All learners",
    "Mean errors in %; the smallest of each data set is bold.",
    errorTable(sets),
    CONTENDERS,
    ...absenceNote(absent),
  ].join("\n\n");
}

/** The best learner of either kind, and the gain of the cascade. */
interface Comparison {
  readonly set: ComparedSet;
  readonly single: Compared;
  readonly cascade: Compared;
  readonly gain: number;
  readonly p: number;
}

function comparisonOf(set: ComparedSet): Comparison {
  const single = bestOf(set, "single");
  const cascade = bestOf(set, "cascade");
  // Of n rows, one fold tests and the others train.
  const ratio = 1 / (foldsOf(set) - 1);
  return {
    set,
    single,
    cascade,
    gain: mean(single.errors) - mean(cascade.errors),
    p: pairedTTest(cascade.errors, single.errors, ratio),
  };
}

function foldsOf({ contenders }: ComparedSet): number {
  return Math.min(FOLDS, contenders[0].errors.length);
}

/** Folds of each division. */
export const FOLDS = 5;

function bestOf({ contenders }: ComparedSet, kind: Compared["kind"]): Compared {
  return contenders
    .filter((contender) => contender.kind === kind)
    .reduce((best, other) => (mean(other.errors) < mean(best.errors) ? other : best));
}

function errorTable(sets: readonly ComparedSet[]): string {
  const names = sets[0]?.contenders.map(({ name }) => name) ?? [];
  const rows = names.map((name, c) => [
    name,
    ...sets.map(({ contenders }) => {
      const errors = contenders.map((contender) => mean(contender.errors));
      const cell = (100 * errors[c]).toFixed(2);
      return errors[c] === Math.min(...errors) ? `**${cell}**` : cell;
    }),
  ]);
  return markdownTable(["learner", ...sets.map(({ dataset }) => dataset)], rows);
}

function listOf(compared: readonly Comparison[]): string {
  return compared.length > 0 ? ` (${compared.map(({ set }) => set.dataset).join(", ")})` : "";
}
