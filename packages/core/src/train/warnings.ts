import type { BlockedError } from "../checks/blocked-errors.js";
import type { ColumnShift } from "../checks/column-shift.js";
import type { LeakingColumn } from "../checks/leaking-columns.js";
import type { TargetMean } from "../checks/target-means.js";
import type { Confusion } from "../metrics/evaluation.js";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatUpperBound,
  shortList,
} from "../runtime/text/number-format.js";
import { joined, visibleSpaces } from "../runtime/text/suggestions.js";
import type { TableNotice } from "../table/table.js";
import type { Certificate } from "../theory/certificate.js";
import { describeCopies, type HeldOut } from "../theory/held-out/held-out.js";
import { isWorseOnNewRows, quotesNewRows } from "../theory/held-out/repeats-and-groups.js";

/** Codes of all warnings, gravest first. */
export const WARNING_CODES = [
  "training-rows",
  "repeated-rows",
  "alike-rows",
  "leaking-column",
  "change-over-time",
  "doubtful-reading",
  "class-not-in-training",
  "class-never-predicted",
  "too-few-rows",
  "different-columns",
  "not-converged",
] as const;

/** A reason to doubt a model, or a limit of what is known about it. */
export interface Warning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

/** Warnings that put the measured error itself in doubt. */
const GRAVE: ReadonlySet<Warning["code"]> = new Set([
  "training-rows",
  "repeated-rows",
  "alike-rows",
  "leaking-column",
  "change-over-time",
]);

/** Returns whether a warning puts the measured error itself in doubt. */
export function isGrave({ code }: Warning): boolean {
  return GRAVE.has(code);
}

/** How many rows of a class a model finds. */
export interface ClassFound {
  readonly class: string;
  readonly rows: number;
  /** Number of these rows that are predicted as this class. */
  readonly found: number;
  /** Number of rows, of any class, that are predicted as this class. */
  readonly predicted: number;
}

/** Counts how many rows of each class are found. Skips classes that do not occur. */
export function classesFound({ classes, matrix }: Confusion): ClassFound[] {
  return matrix
    .map((row, c) => ({
      class: classes[c],
      rows: row.reduce((sum, count) => sum + count, 0),
      found: row[c],
      predicted: matrix.reduce((sum, other) => sum + other[c], 0),
    }))
    .filter(({ rows }) => rows > 0);
}

/** Facts about a model, its training and its test that may cause warnings. */
export interface Concerns {
  readonly heldOut?: HeldOut | undefined;
  /** The certificate to quote. */
  readonly quoted?: Certificate | undefined;
  readonly classes?: readonly ClassFound[] | undefined;
  /** Number of training rows that repeat others and may be copies; they are in several folds. */
  readonly copiedRows?: number | undefined;
  /** Whether the held-out rows are a part of the rows that were given for training. */
  readonly isSplit?: boolean | undefined;
  /** The number of rows that folds have tested, and their error. */
  readonly folds?: { readonly rows: number; readonly error: number } | undefined;
  /** Number of training rows of each class. */
  readonly trainingCounts: ReadonlyMap<string, number>;
  readonly leaking: readonly LeakingColumn[];
  /** Columns that contain means of the target. */
  readonly targetMeans?: readonly TargetMean[] | undefined;
  /** Columns that mark similar rows, although nothing was held out by them. */
  readonly alike?: readonly BlockedError[] | undefined;
  /** Doubtful decisions of the reader. */
  readonly doubtful?: readonly TableNotice[] | undefined;
  readonly shifted: readonly ColumnShift[];
  readonly converged?: boolean | undefined;
}

/** A bound this far above the measured error indicates too few rows. */
const WIDE = 0.1;
/** With fewer rows in total, folds are the default, and their error is only a rough estimate. */
export const FEW_ROWS = 100;
/** With fewer held-out rows, the error of a class is not known. */
const FEW_ROWS_OF_CLASS = 10;
/** Maximum number of names in a warning. */
const MOST_NAMED = 5;

/** Lists the warnings, gravest first. */
export function findWarnings(concerns: Concerns): Warning[] {
  return [
    ...trainingRows(concerns),
    ...repeated(concerns),
    ...alike(concerns),
    ...leaking(concerns),
    ...means(concerns),
    ...changed(concerns),
    ...doubtful(concerns),
    ...neverPredicted(concerns),
    ...fewRows(concerns),
    ...fewHeldOut(concerns),
    ...fewInFolds(concerns),
    ...shifted(concerns),
    ...unconverged(concerns),
  ];
}

function trainingRows({ heldOut }: Concerns): Warning[] {
  if (heldOut?.dependence === undefined) return [];
  return [
    { code: "training-rows", message: `${heldOut.dependence} The error on new rows is likely larger.` },
  ];
}

function repeated({ heldOut, copiedRows = 0 }: Concerns): Warning[] {
  if (copiedRows > 0) {
    const rows = formatCount(copiedRows, "row repeats another one", "rows repeat others");
    const message = `${rows}. If these are copies, folds test models on rows that they were trained on, and the error on new rows is larger: remove the copies from the data.`;
    return [{ code: "repeated-rows", message }];
  }
  const repeats = heldOut?.repeats;
  // Natural repeats are not a concern if the error on them is no smaller.
  if (!heldOut || !repeats || (repeats.natural && !isWorseOnNewRows(repeats))) return [];
  const { rows, errors, newRows, newErrors, natural, different } = repeats;
  const copies = describeCopies(heldOut.rows, repeats);
  const advice = natural ? "" : " If these rows are copies, remove them from the data.";
  const all = newRows > 0 ? formatPercent(newErrors / newRows) : undefined;
  const once = different && different.rows > 0 ? formatPercent(different.errors / different.rows) : all;
  const ofNew =
    all === undefined
      ? "no new row is left to measure the error on"
      : `the error is ${rows > 0 ? `${formatPercent(errors / rows)} on them and ` : ""}${all} on the ${formatCount(newRows, rows > 0 ? "new row" : "row")}${once === all ? "" : `, ${once} if equal rows count once`}`;
  return [{ code: "repeated-rows", message: `${copies}: ${ofNew}.${advice}` }];
}

function alike({ alike = [] }: Concerns): Warning[] {
  return alike.slice(0, MOST_NAMED).map(({ column, kind, random, blocked }) => {
    const [same, others, advice] =
      kind === "time"
        ? [`Rows of about the same "${column}"`, "rows of another time", "hold them out with --time."]
        : [`Rows with the same "${column}"`, "rows with other values", "hold them out with --group."];
    return {
      code: "alike-rows",
      message: `${same} are alike: a quick forest makes ${formatPercent(random)} errors on random rows and ${formatPercent(blocked)} on ${others}. If you will predict such rows, ${advice}`,
    };
  });
}

function means({ targetMeans = [] }: Concerns): Warning[] {
  return targetMeans.slice(0, MOST_NAMED).map(({ column, class: name, of }) => {
    const mean = name === undefined ? "the mean of the target" : `the share of "${visibleSpaces(name)}"`;
    const where = of === undefined ? "" : ` among the rows with the same "${of}"`;
    return {
      code: "leaking-column",
      message: `The column "${column}" is ${mean}${where}, computed from the classes of these rows: it gives them away. Compute it from training rows only, or leave it out.`,
    };
  });
}

function leaking({ leaking }: Concerns): Warning[] {
  return leaking.slice(0, MOST_NAMED).map(({ column, error }) => ({
    code: "leaking-column",
    message: `The column "${column}" alone predicts the class with ${formatPercent(error)} errors. Make sure that it is known before the class is, and not derived from it; otherwise leave it out.`,
  }));
}

function changed({ heldOut }: Concerns): Warning[] {
  return heldOut?.change === undefined ? [] : [{ code: "change-over-time", message: heldOut.change }];
}

function doubtful({ doubtful = [] }: Concerns): Warning[] {
  return doubtful.map(({ message }) => ({ code: "doubtful-reading", message }));
}

function neverPredicted({ classes = [], trainingCounts }: Concerns): Warning[] {
  const untrained = classes.filter(({ class: name }) => !trainingCounts.get(name));
  const never = classes.filter((one) => one.predicted === 0 && !untrained.includes(one));
  const warnings: Warning[] = [];
  if (untrained.length > 0) {
    const rows = untrained.reduce((sum, one) => sum + one.rows, 0);
    warnings.push({
      code: "class-not-in-training",
      message: `${formatCount(rows, "held-out row is of a class", "held-out rows are of classes")} without a training row: the model cannot predict ${rows === 1 ? "it" : "them"}.`,
    });
  }
  if (never.length > 0) {
    const rows = never.reduce((sum, one) => sum + one.rows, 0);
    warnings.push({
      code: "class-never-predicted",
      message: `The model never predicts ${quoted(never)}, ${never.length === 1 ? "the class" : "the classes"} of ${formatCount(rows, "held-out row")}.`,
    });
  }
  return warnings;
}

function quoted(classes: readonly Pick<ClassFound, "class">[]): string {
  return named(classes.map(({ class: name }) => `"${visibleSpaces(name)}"`));
}

/** Joins names as in a sentence, or lists the first of many. */
function named(names: readonly string[]): string {
  return names.length > MOST_NAMED ? shortList(names, MOST_NAMED) : joined(names);
}

function fewRows({ heldOut, quoted: certificate, classes = [], trainingCounts }: Concerns): Warning[] {
  const warnings: Warning[] = [];
  if (heldOut && certificate?.holds && certificate.name.startsWith("held-out")) {
    const measured = Object.values(certificate.parts ?? {})[0] ?? 0;
    if (certificate.value - measured > WIDE && Number.isFinite(certificate.value)) {
      warnings.push({
        code: "too-few-rows",
        message: `${unitsOf(heldOut)} too few for a sharp bound: it is ${formatUpperBound(certificate.value)}, far above the measured ${formatPercent(measured)}.`,
      });
    }
  }
  const rare = classes.filter(
    ({ class: name, rows }) => rows < FEW_ROWS_OF_CLASS && trainingCounts.get(name),
  );
  if (rare.length > 0) {
    const most = Math.max(...rare.map(({ rows }) => rows));
    warnings.push({
      code: "too-few-rows",
      message:
        rare.length === 1
          ? `Class ${quoted(rare)} has only ${formatCount(most, "held-out row")}: too few to know how well it is found.`
          : `Classes ${quoted(rare)} have at most ${formatCount(most, "held-out row")} each: too few to know how well they are found.`,
    });
  }
  const tested = new Set(classes.map(({ class: name }) => name));
  const untested = [...trainingCounts].filter(([name, rows]) => rows > 0 && !tested.has(name));
  if (classes.length > 0 && untested.length > 0) {
    const names = quoted(untested.map(([name]) => ({ class: name })));
    warnings.push({
      code: "too-few-rows",
      message: `There are no held-out rows of ${names}: how well ${untested.length === 1 ? "it is" : "they are"} found is not known.`,
    });
  }
  return warnings;
}

/** Advises cross-validation if so few rows were split that folds would be the default. */
function fewHeldOut({ heldOut, isSplit = false, trainingCounts }: Concerns): Warning[] {
  if (!heldOut || !isSplit) return [];
  const rows = heldOut.rows + [...trainingCounts.values()].reduce((sum, count) => sum + count, 0);
  if (rows >= FEW_ROWS) return [];
  const message = `Only ${formatNumber(heldOut.rows)} of ${formatCount(rows, "row")} ${heldOut.rows === 1 ? "is" : "are"} held out. Cross-validation with --folds tests more of them, without --abstain, --sets and --unlabelled, which need held-out rows.`;
  return [{ code: "too-few-rows", message }];
}

/** Describes how rough an error in folds of few rows is: independent rows would have at most this standard error. */
function fewInFolds({ folds }: Concerns): Warning[] {
  if (!folds || folds.rows >= FEW_ROWS) return [];
  const { rows, error } = folds;
  // One error more and one less, so that no error does not look like certainty.
  const smoothed = (error * rows + 1) / (rows + 2);
  const se = Math.sqrt((smoothed * (1 - smoothed)) / rows);
  const message = `With ${formatCount(rows, "row")} the error in folds is a rough estimate, ${formatPercent(error)} ± ${formatPercent(se)} or more. It proves nothing about the model.`;
  return [{ code: "too-few-rows", message }];
}

/** Counts the units of the quoted bound: groups, new rows or rows. */
function unitsOf(heldOut: HeldOut): string {
  const { rows, groups, repeats } = heldOut;
  if (groups) {
    const count = groups.reduce((sum, one) => sum + one.groups, 0);
    return formatCount(count, "held-out group is", "held-out groups are");
  }
  if (repeats && quotesNewRows(heldOut)) {
    return formatCount(repeats.different?.rows ?? repeats.newRows, "new row is", "new rows are");
  }
  return formatCount(rows, "held-out row is", "held-out rows are");
}

function shifted({ shifted: columns }: Concerns): Warning[] {
  if (columns.length === 0) return [];
  const names = named(
    columns.map(({ column, kind }) => (kind === "class" ? "the shares of the classes" : `"${column}"`)),
  );
  return [
    {
      code: "different-columns",
      message: `Training and test rows differ in ${names}: they do not come from the same distribution.`,
    },
  ];
}

function unconverged({ converged }: Concerns): Warning[] {
  if (converged !== false) return [];
  return [
    {
      code: "not-converged",
      message: "The fit stopped before it converged: more iterations may give a better model.",
    },
  ];
}
