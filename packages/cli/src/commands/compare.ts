import type { ComparisonReport } from "@vouch/report";
import {
  type Compared,
  type CompareOptions,
  type Comparison,
  chooseTarget,
  compare as compareLearners,
  formatCount,
  formatDuration,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
  holdout,
  type Json,
  type Labelled,
  type Learner,
  labelled,
  labelsFor,
  learnerNamed,
  learners,
  selectRows,
  type Table,
  VERSION,
} from "vouch";
import { didYouMean, VouchError } from "vouch/errors";
import { parseSettings } from "vouch/learning";
import { writeFileAtomic } from "vouch/node";
import { alignedTable } from "../aligned-table.js";
import { byteSize } from "../byte-size.js";
import { dataLines, missingCells } from "../data-lines.js";
import { longRun } from "../long-run.js";
import { namingData } from "../naming-data.js";
import { noticePrinter } from "../notices.js";
import { checkOutputs } from "../output-file.js";
import { type LearningFlags, readRowsToLearn } from "../rows-to-learn.js";
import { quoted, readingArguments } from "../shell-words.js";
import { styled, type Terminal, width, wrap } from "../terminal.js";
import { usualHoldout } from "../usual-holdout.js";

/** Flags of `vouch compare`. */
export interface CompareFlags extends LearningFlags {
  readonly learners?: readonly string[];
  readonly set?: readonly string[];
  readonly folds: number;
  readonly holdout?: number;
  /** Seconds. */
  readonly budget?: number;
  readonly report?: string;
}

/** Compared unless the user names others: one of each kind that is fast enough for some ten thousand rows. */
const USUAL_LEARNERS = [
  "majority",
  "stump",
  "adaboost",
  "linear-svm",
  "svm",
  "forest",
  "random-trees",
  "boosted-trees",
  "mlp",
];

/** What to do where there are too few rows. */
const ADVICE_ON_FEW_ROWS = "Give more rows, or use fewer --folds.";

/** Below this p a difference counts as one. */
const SIGNIFICANT = 0.05;

/** A finished comparison, as all ways of telling about it need it. */
interface ComparedRun {
  readonly argument: string;
  readonly flags: CompareFlags;
  readonly table: Table;
  readonly rows: Labelled;
  readonly heldOutRows: number;
  readonly comparison: Comparison;
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** `vouch compare DATA`: learners side by side on the same folds. */
export async function compare(argument: string, flags: CompareFlags, terminal: Terminal): Promise<void> {
  const asked = learnersOf(flags);
  checkOutputs({ report: flags.report }, [argument]);
  await longRun(flags, terminal, async ({ executor, stops: { abort: signal }, display }) => {
    const began = performance.now();
    const progress = display.report;
    const read = await readRowsToLearn(argument, flags, signal, progress);
    const labelledRows = labelled(read.table, chooseTarget(read.table, flags.target));
    const { rows, heldOut } = divided(labelledRows, read.test, flags);
    const { folds, confidence, budget, seed } = flags;
    const comparison = await compareLearners(asked, rows, {
      folds,
      heldOut,
      confidence,
      ...(budget !== undefined && { seconds: budget }),
      run: { seed, executor, signal, progress },
    }).catch((error) => {
      throw namingData(error, read.table.name, ADVICE_ON_FEW_ROWS);
    });
    display.clear();
    const ofRows = [...labelledRows.notices, ...heldOut.rows.notices];
    const notices = [...read.notices, ...ofRows, ...comparison.notices];
    notices.forEach(noticePrinter(flags, terminal));
    const seconds = (performance.now() - began) / 1000;
    const heldOutRows = heldOut.rows.labels.length;
    const run = { argument, flags, table: read.whole, rows, heldOutRows, comparison, notices, seconds };
    if (flags.report !== undefined) await writeReport(flags.report, run);
    if (flags.json) terminal.out.write(`${JSON.stringify(asJson(run), null, 2)}\n`);
    else print(run, read.leftOut, terminal);
  });
}

/** The learners that the user names, or the usual ones, with their settings. */
function learnersOf({ learners: named, set = [] }: CompareFlags): Learner[] {
  const known = new Set(learners.map(({ name }) => name));
  const names = named ?? USUAL_LEARNERS.filter((name) => known.has(name));
  if (names.length === 0) {
    throw new VouchError("option/invalid", "--learners names none.", { hint: "Separate names by commas." });
  }
  const settings = set.map((setting) => settingFor(setting, names));
  return names.map((text) => {
    // Settings behind colons, as in the estimators of deep forests: svm:C=10.
    const [name, ...own] = text.split(":");
    const definition = learnerNamed(name);
    const common = settings.filter(({ learner }) => learner === name).map(({ setting }) => setting);
    return definition.create(parseSettings(definition, [...common, ...own]));
  });
}

/** Reads `adaboost.rounds=50`. */
function settingFor(text: string, names: readonly string[]): { learner: string; setting: string } {
  const [, learner = "", setting = ""] = /^([\w-]+)\.(.+=.*)$/s.exec(text) ?? [];
  const compared = names.map((name) => name.split(":")[0]);
  if (compared.includes(learner)) return { learner, setting };
  const near = didYouMean(learner, compared);
  throw new VouchError("option/invalid", `--set is "${text}".`, {
    hint: `${near ? `${near} ` : ""}It must name one of the learners and an option of it, such as ${compared[0]}.NAME=VALUE.`,
  });
}

/** Rows to compare on, and rows that certificates come from: official test rows, or a share of all. */
function divided(
  whole: Labelled,
  test: Table | undefined,
  flags: CompareFlags,
): { rows: Labelled; heldOut: NonNullable<CompareOptions["heldOut"]> } {
  if (test && flags.holdout === undefined) {
    return { rows: whole, heldOut: { rows: labelsFor(test, whole), stratified: false } };
  }
  const { train, test: kept } = holdout(
    whole.labels,
    flags.holdout ?? usualHoldout(whole.labels.length),
    flags.seed,
  );
  const heldOut = { rows: { ...selectRows(whole, kept), notices: [] }, stratified: true };
  return { rows: { ...whole, ...selectRows(whole, train) }, heldOut };
}

function asJson({ flags, table, rows, heldOutRows, comparison, notices, seconds }: ComparedRun): Json {
  const { name } = table;
  const { classes } = rows;
  return {
    seed: flags.seed,
    folds: comparison.folds,
    confidence: flags.confidence,
    data: {
      name,
      rows: table.rows,
      features: rows.features.columns.length,
      classes: classes.length,
      trainingRows: rows.labels.length,
      heldOutRows,
    },
    learners: comparison.compared.map(learnerAsJson),
    failed: comparison.failed.map((one) => ({ ...one })),
    notices,
    ...(flags.report !== undefined && { report: flags.report }),
    seconds,
  };
}

function learnerAsJson({
  name,
  learner,
  errors,
  mean,
  sd,
  p,
  seconds,
  bytes,
  heldOut,
  certificate,
}: Compared): Json {
  return {
    name,
    learner: learner.name,
    errors,
    mean,
    sd,
    ...(p !== undefined && { p }),
    fitSeconds: seconds.fit,
    rowSeconds: seconds.row,
    bytes,
    ...(heldOut && { heldOut: { rows: heldOut.rows, errors: heldOut.errors } }),
    ...(certificate && { bound: certificate.value }),
  };
}

function print(run: ComparedRun, leftOut: readonly string[], { out }: Terminal): void {
  const { flags, table, comparison, heldOutRows, rows } = run;
  const columns = Math.min(width(out), 110);
  out.write(`${dataLines(table, flags.target, width(out), leftOut)}\n\n`);
  const headings = [
    { title: "learner" },
    { title: "error", right: true },
    { title: "", right: true },
    { title: "p", right: true },
    { title: "training", right: true },
    { title: "per row", right: true },
    { title: "size", right: true },
    { title: "certified", right: true },
  ];
  const lines = comparison.compared.map((one) => [
    one.name,
    formatPercent(one.mean),
    `± ${formatPercent(one.sd)}`,
    one.p === undefined ? "best" : pValue(one.p),
    formatDuration(one.seconds.fit),
    formatDuration(one.seconds.row),
    byteSize(one.bytes),
    one.certificate ? `≤ ${formatUpperBound(one.certificate.value)}` : "–",
  ]);
  out.write(`${alignedTable(headings, lines, width(out))}\n`);
  for (const { name, reason } of comparison.failed) {
    out.write(`${wrap(`${styled(out, "bold", name)}: ${reason}`, columns, "  ", "    ")}\n`);
  }
  const words = [
    inWords(comparison),
    `Error: mean ± standard deviation in ${formatCount(comparison.folds, "fold")} of ${formatCount(rows.labels.length, "row")}. p: paired t-test against the best, corrected for what folds share (Nadeau and Bengio) and for the number of learners (Holm).`,
    `Certified: with ${formatRoundPercent(flags.confidence)} confidence all these bounds hold, from ${formatCount(heldOutRows, "held-out row")}.`,
  ];
  out.write(`\n${words.map((text) => wrap(text, columns)).join("\n")}\n`);
  if (flags.report !== undefined) out.write(`\nreport written to ${flags.report}\n`);
}

function inWords({ compared }: Comparison): string {
  const [best, ...others] = compared;
  const alike = others.filter(({ p = 0 }) => p >= SIGNIFICANT).map(({ name }) => name);
  const first = `${best.name} has the smallest error.`;
  if (others.length === 0) return first;
  return alike.length === 0
    ? `${first} All others are worse beyond chance.`
    : `${first} Not beyond chance: ${alike.join(", ")}.`;
}

function pValue(p: number): string {
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

async function writeReport(path: string, run: ComparedRun): Promise<void> {
  const { comparisonReport } = await import("@vouch/report");
  await writeFileAtomic(path, new TextEncoder().encode(comparisonReport(reportOf(run))));
}

function reportOf(run: ComparedRun): ComparisonReport {
  const { flags, table, comparison, notices } = run;
  return {
    dataName: table.name,
    data: dataFacts(run),
    folds: comparison.folds,
    confidence: flags.confidence,
    learners: comparison.compared.map(({ name, errors, mean, sd, p, seconds, bytes, certificate }) => ({
      name,
      errors,
      mean,
      sd,
      ...(p !== undefined && { p }),
      fitSeconds: seconds.fit,
      rowSeconds: seconds.row,
      size: byteSize(bytes),
      ...(certificate && certificate.value < 1 && { bound: certificate.value }),
    })),
    failed: comparison.failed,
    notices,
    command: commandOf(run),
    version: VERSION,
  };
}

function dataFacts({ rows, heldOutRows }: ComparedRun): ComparisonReport["data"] {
  const { columns } = rows.features;
  const numeric = columns.filter(({ kind }) => kind === "numeric").length;
  const missing = columns.reduce((sum, column) => sum + missingCells(column), 0);
  return {
    rows: rows.labels.length,
    heldOutRows,
    columns: { numeric, categorical: columns.length - numeric },
    missingCells: missing,
    classes: rows.classes.length,
  };
}

/** The command that compares again. */
function commandOf({ argument, flags, comparison }: ComparedRun): string {
  const names = flags.learners ?? [...comparison.compared.map(({ learner }) => learner.name)];
  return [
    "vouch compare",
    quoted(argument),
    `--learners ${quoted(names.join(","))}`,
    ...(flags.set ?? []).map((setting) => `--set ${quoted(setting)}`),
    `--folds ${flags.folds}`,
    ...(flags.target === undefined ? [] : [`--target ${quoted(flags.target)}`]),
    ...(flags.holdout === undefined ? [] : [`--holdout ${flags.holdout}`]),
    ...readingArguments(flags),
    `--seed ${flags.seed}`,
  ].join(" ");
}
