import { learnerNamed, withLearners } from "@vouch/core/internal/learners/index";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { parseSettings } from "@vouch/core/internal/learners/settings";
import { describeBaseline, metricFacts } from "@vouch/core/internal/metrics/metric-name";
import { objectiveFor } from "@vouch/core/internal/metrics/objective";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import { formatCount, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { shellQuoted } from "@vouch/core/internal/runtime/text/shell";
import { didYouMean } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Compared, type Comparison, compare } from "@vouch/core/internal/select/compare";
import { judgeComparison } from "@vouch/core/internal/select/comparison-verdict";
import { withClassWeights } from "@vouch/core/internal/table/class-weights";
import { type Labelled, labelled } from "@vouch/core/internal/table/target";
import { defaultMeasuring } from "@vouch/core/internal/train/prepare-table";
import {
  learningRequest,
  type ObjectiveRequest,
  objectiveRequest,
  splitRequest,
} from "@vouch/core/internal/train/request/request";
import { requestArguments } from "@vouch/core/internal/train/request/request-text";
import { type SplitOptions, type SplitRows, splitRows } from "@vouch/core/internal/train/split";
import { objectiveOptions } from "@vouch/core/internal/train/train-table";
import { namingData, readTrainingTable, type TrainingData } from "@vouch/core/internal/train/training-data";
import { comparisonTable, comparisonVerdictLines } from "../format/comparison.js";
import { dataLines } from "../format/data.js";
import { fileSource } from "../input/file-source.js";
import { type LearningFlags, wrongValue } from "../options/flags.js";
import { withCommandContext } from "../process/command-context.js";
import { checkInstalled } from "../process/optional-package.js";
import { checkOutputs } from "../process/output-file.js";
import { threadTasks } from "../process/tasks-to-preload.js";
import {
  noticePrinter,
  printable,
  printJson,
  proseWidth,
  styled,
  type Terminal,
  width,
  wrap,
  writeText,
} from "../process/terminal.js";

/** Flags of `vouch compare`. */
export interface CompareFlags extends LearningFlags, ObjectiveRequest {
  readonly learners?: readonly string[];
  readonly set?: readonly string[];
  readonly folds: number;
  readonly holdout?: number;
  /** Seconds. */
  readonly budget?: number;
  readonly report?: string;
}

/** Default learners: one of each kind that is fast enough for some ten thousand rows. */
const DEFAULT_LEARNERS = [
  "majority",
  "stump",
  "tree",
  "adaboost",
  "logistic",
  "linear-svm",
  "svm",
  "forest",
  "random-trees",
  "boosted-trees",
  "mlp",
];

const ADVICE_ON_FEW_ROWS = "Give more rows, or use fewer --folds.";

/** A finished comparison. */
interface ComparedRun {
  readonly argument: string;
  readonly flags: CompareFlags;
  readonly read: TrainingData;
  readonly rows: Labelled;
  readonly heldOut: SplitRows["heldOut"];
  readonly comparison: Comparison;
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** `vouch compare DATA`: compares learners on the same folds. */
export async function runCompare(argument: string, flags: CompareFlags, terminal: Terminal): Promise<void> {
  const asked = await learnersOf(flags);
  const tasks = await threadTasks(asked);
  if (flags.report !== undefined) checkInstalled("@vouch/report", "--report");
  checkOutputs({ report: flags.report }, [argument]);
  await withCommandContext(flags, terminal, async ({ executor, stops: { abort: signal }, display }) => {
    const began = performance.now();
    const progress = display.report;
    const source = fileSource(argument, flags, { signal, progress, executor, tasks });
    const read = await readTrainingTable(source, flags);
    const labelledRows = labelled(read.table, read.target, read.splitBy);
    const { folds, confidence, budget, seed } = flags;
    const { training, heldOut } = splitRows(labelledRows, testedRows(flags, read), seed);
    const rows = withClassWeights(training, flags.classWeights);
    const objective = objectiveFor(objectiveOptions(flags), rows);
    const notify = noticePrinter(flags, terminal);
    const ofRows = [...rows.notices, ...(heldOut?.rows.notices ?? [])];
    display.clear();
    ofRows.forEach(notify);
    const comparison = await compare(asked, rows, {
      folds,
      ...(heldOut && { heldOut }),
      confidence,
      objective,
      ...(budget !== undefined && { seconds: budget }),
      run: { seed, executor, signal, progress },
    }).catch((error) => {
      throw namingData(error, read.table.name, ADVICE_ON_FEW_ROWS);
    });
    display.clear();
    comparison.notices.forEach(notify);
    const notices = [...ofRows, ...comparison.notices];
    const seconds = (performance.now() - began) / 1000;
    const run = { argument, flags, read, rows, heldOut, comparison, notices, seconds };
    if (flags.report !== undefined) await writeReport(flags.report, run);
    if (flags.json) printJson(terminal, asJson(run));
    else print(run, terminal);
  });
}

/** Creates the learners that the user names, or the default ones, with their settings. */
async function learnersOf({
  learners: names = DEFAULT_LEARNERS,
  set = [],
}: CompareFlags): Promise<Learner[]> {
  if (names.length === 0) {
    throw new VouchError("option/invalid", "--learners needs at least one name.", {
      hint: "For example: --learners svm,forest.",
    });
  }
  const settings = set.map((setting) => settingFor(setting, names));
  const made = names.map(async (text) => {
    // Settings follow colons, as in the estimators of deep forests: svm:C=10.
    const [name, ...own] = text.split(":");
    const kind = await learnerNamed(name);
    const common = settings.filter(({ learner }) => learner === name).map(({ setting }) => setting);
    return withLearners(() => kind.create(parseSettings(kind, [...common, ...own])));
  });
  return Promise.all(made);
}

/** Parses `adaboost.rounds=50`. */
function settingFor(text: string, names: readonly string[]): { learner: string; setting: string } {
  const [, learner = "", setting = ""] = /^([\w-]+)\.(.+=.*)$/s.exec(text) ?? [];
  const compared = names.map((name) => name.split(":")[0]);
  if (compared.includes(learner)) return { learner, setting };
  const near = didYouMean(learner, compared);
  const wanted = "LEARNER.OPTION=VALUE with one of the compared learners";
  throw wrongValue("--set", wanted, text, near ?? `The first one is ${compared[0]}.`);
}

/** Describes the source of held-out rows: the official test rows, a share of all rows, or none for a few rows. */
function testedRows({ holdout }: CompareFlags, { table, target, splitBy, test }: TrainingData): SplitOptions {
  if (test && holdout === undefined) return { test };
  if (holdout !== undefined) return { holdout };
  const measuring = defaultMeasuring({ table, target }, splitBy);
  return "holdout" in measuring ? measuring : {};
}

function asJson({ flags, read, rows, heldOut, comparison, notices, seconds }: ComparedRun): {
  [name: string]: Json;
} {
  const { whole } = read;
  const { baseline, outOfTime, secondsForAll } = comparison;
  const column = flags.group ?? flags.time;
  return {
    verdict: verdictAsJson(comparison),
    baseline: { ...baseline, metric: { ...baseline.metric } },
    metric: comparison.objective.metric,
    seed: flags.seed,
    folds: comparison.folds,
    confidence: flags.confidence,
    data: {
      name: whole.name,
      rows: whole.rows,
      features: rows.features.columns.length,
      classes: rows.classes.length,
      trainingRows: rows.labels.length,
      heldOutRows: heldOut?.rows.labels.length ?? 0,
      ...(heldOut && { split: { drawn: heldOut.drawn, ...(column !== undefined && { column }) } }),
    },
    learners: comparison.compared.map(learnerAsJson),
    outOfTime: outOfTime.map((one) => ({ ...one })),
    ...(secondsForAll !== undefined && { secondsForAll }),
    failed: comparison.failed.map((one) => ({ ...one })),
    notices,
    ...(flags.report !== undefined && { report: flags.report }),
    seconds,
  };
}

function verdictAsJson(comparison: Comparison): Json {
  const { warnings, ...verdict } = judgeComparison(comparison);
  return { ...verdict, warnings: warnings.map((warning) => ({ ...warning })) };
}

function learnerAsJson({
  name,
  learner,
  errors,
  mean,
  sd,
  metric,
  p,
  gain,
  pBaseline,
  seconds,
  bytes,
  heldOut,
  heldOutGain,
  certificate,
}: Compared): Json {
  return {
    name,
    learner: learner.name,
    errors,
    mean,
    sd,
    metric: { ...metric },
    ...(p !== undefined && { p }),
    gain,
    pBaseline,
    fitSeconds: seconds.fit,
    rowSeconds: seconds.row,
    bytes,
    ...(heldOut && {
      heldOut: {
        rows: heldOut.rows,
        errors: heldOut.errors,
        gain: heldOutGain?.gain ?? 0,
        p: heldOutGain?.p ?? 1,
      },
    }),
    ...(certificate && { bound: certificate.value }),
  };
}

function print(run: ComparedRun, { out }: Terminal): void {
  const { flags, read, comparison, rows } = run;
  const columns = proseWidth(out);
  writeText(out, `${comparisonVerdictLines(comparison, columns)}\n\n${dataLines(read, width(out))}\n\n`);
  writeText(out, `${comparisonTable(comparison, width(out))}\n`);
  for (const { name, reason } of comparison.failed) {
    writeText(out, `${wrap(`${styled(out, "bold", name)}: ${reason}`, columns, "  ", "    ")}\n`);
  }
  const { title } = metricFacts(comparison.objective.metric);
  const words = [
    `${title[0].toUpperCase()}${title.slice(1)}: mean ± standard deviation over ${formatCount(comparison.folds, "fold")} of ${formatCount(rows.labels.length, "row")}. p: paired t-tests against the best learner and against the baseline, ${describeBaseline(comparison.objective.metric, comparison.baseline.class)}, corrected for overlapping training sets (Nadeau and Bengio) and for multiple comparisons (Holm).`,
    describeCertificates(run),
  ].filter((text) => text !== "");
  writeText(out, `\n${words.map((text) => wrap(printable(text), columns)).join("\n")}\n`);
  if (flags.report !== undefined) writeText(out, `\nreport written to ${printable(flags.report)}\n`);
}

/** Says where the bounds on the errors come from; nothing beside another metric. */
function describeCertificates({ flags, comparison, heldOut }: ComparedRun): string {
  if (comparison.objective.metric !== "error") return "";
  return heldOut
    ? `Certified: upper bounds on the error from ${formatCount(heldOut.rows.labels.length, "held-out row")}; with ${formatRoundPercent(flags.confidence)} confidence all of them hold.`
    : "No rows were held out for certificates, because there are fewer than 100. Use --holdout to hold some out.";
}

async function writeReport(path: string, run: ComparedRun): Promise<void> {
  const { comparisonReport } = await import("@vouch/report");
  const { comparison, rows, notices, flags } = run;
  const options = { confidence: flags.confidence, notices, command: commandOf(run) };
  await writeFileAtomic(path, new TextEncoder().encode(comparisonReport(comparison, rows, options)));
}

/** Formats the command that repeats the comparison. */
function commandOf({ argument, flags, comparison }: ComparedRun): string {
  const names = flags.learners ?? [...comparison.compared.map(({ learner }) => learner.name)];
  return [
    "vouch compare",
    shellQuoted(argument),
    `--learners ${shellQuoted(names.join(","))}`,
    ...(flags.set ?? []).map((setting) => `--set ${shellQuoted(setting)}`),
    `--folds ${flags.folds}`,
    ...(flags.target === undefined ? [] : [`--target ${shellQuoted(flags.target)}`]),
    ...(flags.holdout === undefined ? [] : [`--holdout ${flags.holdout}`]),
    ...[splitRequest, objectiveRequest, learningRequest].flatMap((fields) =>
      requestArguments({ ...flags }, fields),
    ),
    `--seed ${flags.seed}`,
  ].join(" ");
}
