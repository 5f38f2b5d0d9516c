import { formatCount, formatNumber } from "../runtime/text/number-format.js";
import { listNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { groupHoldout } from "../table/group-splits.js";
import type { SplitColumns } from "../table/split-columns.js";
import { randomHoldout, type Split, stratifiedHoldout } from "../table/splits.js";
import type { Table } from "../table/table.js";
import { classCounts, type Labelled, type LabelledRows, labelsFor, selectRows } from "../table/target.js";
import { timeHoldout } from "../table/time-splits.js";
import type { AlikeRows, SplitMethod } from "../theory/held-out/held-out.js";

/** Raw rows to train on and raw rows to test on. */
export interface SplitRows {
  readonly training: Labelled;
  readonly heldOut?: { readonly rows: LabelledRows; readonly drawn: SplitMethod };
}

/** Which rows to test on: at most one of `holdout` and `test`. */
export interface SplitOptions {
  /**
   * Fraction of the rows to hold out: a simple random draw, whole groups if the rows have groups, the latest if they
   * have times.
   */
  readonly holdout?: number;
  /**
   * Draws the held-out rows stratified by class instead. Bounds then assume that future data has the same class shares.
   */
  readonly stratify?: boolean;
  /** Other rows to test the finished model on. */
  readonly test?: Table;
}

/** Holds rows out, takes other rows to test on, or trains on all rows. */
export function splitRows(data: Labelled, options: SplitOptions, seed: number): SplitRows {
  const { holdout: fraction, stratify = false, test } = options;
  if (stratify) checkStratify(data, fraction);
  if (test) return { training: data, heldOut: { rows: separateRows(data, test), drawn: "separate" } };
  if (fraction === undefined) return { training: data };
  const { drawn, train, test: rows } = drawnRows(data, fraction, stratify, seed);
  const heldOut = { ...selectRows(data, rows), notices: [] };
  return withoutUnseen(selectRows(data, train), heldOut, drawn);
}

function checkStratify({ groups, times }: Labelled, fraction: number | undefined): void {
  if (fraction === undefined) {
    throw new VouchError("option/invalid", "stratify needs held-out rows.", {
      hint: "Use it together with holdout.",
    });
  }
  if (!groups && !times) return;
  throw new VouchError(
    "option/invalid",
    `stratify cannot be combined with ${groups ? "group" : "time"}, which decides what is held out.`,
  );
}

function drawnRows(
  { labels, groups, times }: Labelled,
  fraction: number,
  stratify: boolean,
  seed: number,
): Split & { readonly drawn: SplitMethod } {
  if (groups) return { drawn: "groups", ...groupHoldout(groups, fraction, seed) };
  if (times) return { drawn: "time", ...timeHoldout(times, fraction) };
  if (stratify) return { drawn: "stratified", ...stratifiedHoldout(labels, fraction, seed) };
  return { drawn: "random", ...randomHoldout(labels.length, fraction, seed) };
}

/** Reads other rows to test on. */
function separateRows(data: Labelled, test: Table): LabelledRows {
  const rows = labelsFor(test, data);
  const ofReading = test
    .noticesAbout(data.features.columns.map(({ name }) => name))
    .map((message) => `${test.name}: ${message}`);
  return { ...rows, notices: [...ofReading, ...rows.notices, ...groupNotices(test.name, data, rows)] };
}

/** Reports test rows that do not count because of their groups. */
function groupNotices(name: string, { group, groupNames }: Labelled, tested: LabelledRows): string[] {
  if (group === undefined) return [];
  if (!tested.groups) return [`${name} has no column "${group}": its rows prove nothing about new groups.`];
  const known = new Set(groupNames);
  const names = tested.groupNames ?? [];
  const shared = names.filter((each) => known.has(each)).length;
  if (shared === 0) return [];
  return [
    `${formatCount(shared, "group")} of ${formatNumber(names.length)} in ${name} also ${shared === 1 ? "has" : "have"} training rows and ${shared === 1 ? "does" : "do"} not count as evidence.`,
  ];
}

/**
 * Makes classes without training rows unknown, before anything is fitted: with classes from the held-out rows, sets
 * could contain a class that the next new class is not. Throws if only one class is left.
 */
function withoutUnseen(training: Labelled, heldOut: LabelledRows, drawn: SplitMethod): SplitRows {
  const { classes, labels } = training;
  const counts = classCounts(labels, classes.length);
  if (counts.filter((count) => count > 0).length === 1) {
    throw new VouchError(
      "data/one-class",
      `Once ${formatCount(heldOut.labels.length, "row is", "rows are")} held out, all training rows are of class "${classes[labels[0]]}".`,
      {
        hint:
          drawn === "random"
            ? "Hold out fewer rows, or use --stratify, which keeps a row of each class if there are two."
            : "Hold out fewer rows, or give more.",
      },
    );
  }
  const unseen = classes.filter((_, label) => counts[label] === 0);
  if (unseen.length === 0) return { training, heldOut: { rows: heldOut, drawn } };
  const seen = classes.filter((_, label) => counts[label] > 0);
  const labelOf = Int32Array.from(classes, (name) => seen.indexOf(name));
  const relabelled = (own: Int32Array) => own.map((label) => labelOf[label]);
  const which = unseen.length === 1 ? "class" : "classes";
  const notice = `All rows of ${which} ${listNames(unseen)} are held out: the model never predicts ${unseen.length === 1 ? "it" : "them"}.`;
  return {
    training: {
      ...training,
      classes: seen,
      labels: relabelled(labels),
      notices: [...training.notices, notice],
    },
    heldOut: { rows: { ...heldOut, labels: relabelled(heldOut.labels) }, drawn },
  };
}

/** Limits the training rows to a stratified subsample, with at least one row of each class. */
export function subsample<S extends Pick<SplitRows, "training">>(
  rows: S,
  max: number | undefined,
  seed: number,
): S {
  const { training } = rows;
  const all = training.labels.length;
  if (max === undefined || max >= all) return rows;
  const { train } = stratifiedHoldout(training.labels, 1 - max / all, seed);
  const notice = `Trained on ${formatNumber(train.length)} of ${formatNumber(all)} rows.`;
  const notices = [...training.notices, notice];
  return { ...rows, training: { ...training, ...selectRows(training, train), notices } };
}

/** How held-out rows were separated from the training rows, if there are any, and the column that groups or orders rows. */
interface SplitDescription extends SplitColumns {
  readonly drawn?: SplitMethod;
}

/** Describes a split; undefined without held-out rows, groups and times. */
export function describeSplit({
  heldOut,
  training: { group, time },
}: SplitRows): SplitDescription | undefined {
  if (!heldOut && group === undefined && time === undefined) return undefined;
  return {
    ...(heldOut && { drawn: heldOut.drawn }),
    ...(group !== undefined && { group }),
    ...(time !== undefined && { time }),
  };
}

/**
 * Explains why the training rows are not independent draws; undefined if nothing is known against it. `copiedRows` of
 * them may be copies of others, and rows with near values of the columns `alike` are similar.
 */
export function dependenceOfTraining(
  { training, heldOut }: SplitRows,
  { copiedRows, alike: [alike] }: { readonly copiedRows: number; readonly alike: readonly AlikeRows[] },
  subsampled: boolean,
): string | undefined {
  if (training.groups) return "Training rows of the same group are not independent.";
  if (copiedRows > 0) {
    return `${formatCount(copiedRows, "training row repeats another one", "training rows repeat others")} and may be ${copiedRows === 1 ? "a copy" : "copies"}, which ${copiedRows === 1 ? "is" : "are"} not independent.`;
  }
  if (alike) {
    return alike.kind === "time"
      ? `Training rows of about the same "${alike.column}" are alike, so they are not independent.`
      : `Training rows with the same "${alike.column}" are alike, so they are not independent.`;
  }
  if (heldOut?.drawn === "stratified" || subsampled) {
    return "The training rows were drawn class by class, so their class proportions are not random.";
  }
  if (training.times) {
    return "The training rows are older than future cases: a bound from them is about their own time.";
  }
  return undefined;
}
