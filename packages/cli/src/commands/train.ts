import { changedOptions, defaultHoldout, settingSummary, trainCommand } from "vouch/command";
import { saveModel, writeFileAtomic } from "vouch/node";
import { formatTime } from "vouch/presentation";
import { mean, standardDeviation } from "vouch/select";
import {
  type Candidate,
  type Card,
  type Certificate,
  type Choice,
  type Evaluation,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  type Json,
  type Period,
  type Progress,
  type Run,
  type Table,
  type Training,
  type TrainOptions,
  trainClassifier,
  VouchError,
} from "vouch/train";
import { alignedTable } from "../aligned-table.js";
import { furtherCertificates } from "../certificate-lines.js";
import { choiceLines } from "../choice-lines.js";
import { dataLines } from "../data-lines.js";
import { decisionAsJson, decisionSentences } from "../decision-lines.js";
import type { LearningFlags } from "../flags.js";
import { longRun } from "../long-run.js";
import { classWeights, type ObjectiveFlags, objectiveOptions } from "../objective-flags.js";
import { checkOutputs } from "../output-file.js";
import { type Reading, readNewData, readTrainingData } from "../reading.js";
import { alsoWithout, namingData, type RowsToLearn, readRowsToLearn } from "../rows-to-learn.js";
import {
  noticePrinter,
  printable,
  printJson,
  styled,
  type Terminal,
  width,
  wrap,
  writeText,
} from "../terminal.js";
import { threadTasks } from "../thread-tasks.js";
import { choiceOfLearner, type LearnerFlags, learnerToTrain, writeRecord } from "../training-learner.js";
import { verdictAsJson, verdictLines } from "../verdict-lines.js";

/** Flags of `vouch train`. */
export interface TrainFlags extends LearningFlags, ObjectiveFlags, LearnerFlags {
  readonly test?: string;
  readonly holdout?: number;
  readonly stratify?: boolean;
  readonly folds?: number;
  readonly rows?: number;
  readonly chosenAmong?: number;
  readonly abstain?: number;
  readonly sets?: number;
  readonly setsBy?: "all" | "class";
  /** False for `--no-calibrate`. */
  readonly calibrate?: boolean;
  readonly out: string;
  readonly report?: string;
}

const ADVICE_ON_FEW_ROWS = "Give more rows, or name a --learner and use fewer --folds.";

/** A finished training. */
interface TrainedRun {
  readonly data: string;
  readonly flags: TrainFlags;
  readonly table: Table;
  readonly training: Training;
  readonly seconds: number;
}

/** `vouch train DATA`: trains a classifier, measures and certifies its error, and saves it. */
export async function train(argument: string, given: TrainFlags, terminal: Terminal): Promise<void> {
  const { named, record, flags } = await learnerToTrain(given);
  const objective = objectiveOptions(flags);
  const weights = classWeights(flags);
  checkMeasuring(argument, flags);
  checkOutputs({ out: flags.out, report: flags.report, record: flags.record }, [
    argument,
    flags.test,
    flags.unlabelled,
    flags.replay,
    flags.like,
  ]);
  await longRun(flags, terminal, async ({ executor, stops, display }) => {
    const began = performance.now();
    const signal = stops.abort;
    const services = { signal, progress: display.report, executor };
    const tasks = await threadTasks(named ? [named] : []);
    const data = await readRowsToLearn(argument, flags, { ...services, tasks });
    display.clear();
    const { table, target, whole, notices } = data;
    // Printed when the fit begins, after all checks of the data.
    const printData = once(() => {
      if (flags.json) return;
      writeText(terminal.out, `${dataLines(data, width(terminal.out))}\n`);
    });
    const progress = (progress: Progress) => {
      printData();
      display.report(progress);
    };
    const run = { seed: flags.seed, executor, signal, progress };
    const reading = { flags, target, like: whole.columns, ...services };
    const measuring = await measuringOf(flags, data, reading);
    const unlabelled = await unlabelledOf(flags, reading);
    const { confidence, rows, chosenAmong, abstain, sets, setsBy, calibrate } = flags;
    const options: TrainOptions = {
      target,
      ...data.splitBy,
      confidence,
      notices,
      ...objective,
      ...(weights !== undefined && { classWeights: weights }),
      ...(abstain !== undefined && { abstain }),
      ...(sets !== undefined && { sets }),
      ...(setsBy !== undefined && { setsBy }),
      ...(calibrate !== undefined && { calibrate }),
      ...(rows !== undefined && { rows }),
      ...(chosenAmong !== undefined && { chosenAmong }),
      run,
      ...measuring,
      ...unlabelled,
    };
    const learner = named ?? choiceOfLearner(flags, record, stops, display, terminal);
    const training = await trainClassifier(table, learner, options).catch((error) => {
      throw namingData(error, table.name, ADVICE_ON_FEW_ROWS);
    });
    stops.canFinish(false);
    const seconds = (performance.now() - began) / 1000;
    display.clear();
    training.classifier.card.notices.forEach(noticePrinter(flags, terminal));
    const finished = { data: argument, flags, table, training, seconds };
    await saveModel(flags.out, training.classifier);
    if (flags.record !== undefined) await writeRecord(flags.record, training);
    printData();
    if (flags.report !== undefined) await writeReport(flags.report, finished, run);
    display.clear();
    if (flags.json) printJson(terminal, asJson(finished));
    else await print(finished, terminal);
  });
}

/** Makes a function that works only the first time. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

function checkMeasuring(argument: string, flags: TrainFlags): void {
  const { test, unlabelled, holdout, folds } = flags;
  if (flags.stratify) checkStratify(flags);
  const inputs = { DATA: argument, "--test": test, "--unlabelled": unlabelled };
  const piped = Object.entries(inputs).flatMap(([name, input]) => (input === "-" ? [name] : []));
  if (piped.length > 1) {
    throw new VouchError("option/invalid", `${piped[0]} and ${piped[1]} cannot both be standard input.`, {
      hint: "Give one of them as a file.",
    });
  }
  if ([test, holdout, folds].filter((flag) => flag !== undefined).length <= 1) return;
  throw new VouchError("option/invalid", "Use only one of --test, --holdout and --folds.", {
    hint: "They are three ways to measure the error.",
  });
}

/** Checks that --stratify has rows to draw. */
function checkStratify({ test, folds, group, time }: TrainFlags): void {
  const [other] = Object.entries({ test, folds, group, time }).filter(([, value]) => value !== undefined);
  if (!other) return;
  throw new VouchError("option/invalid", `--stratify cannot be combined with --${other[0]}.`, {
    hint: "It says how a random share of the rows is held out.",
  });
}

/** Decides how to measure the error: as the user says, or on the official test rows, or on held-out rows. */
async function measuringOf(
  { test, holdout, stratify = false, folds }: TrainFlags,
  data: RowsToLearn,
  reading: Reading,
): Promise<Pick<TrainOptions, "test" | "holdout" | "stratify" | "folds">> {
  if (test !== undefined) return { test: alsoWithout(await readNewData(test, reading), data.identifiers) };
  if (folds !== undefined) return { folds };
  if (holdout === undefined && !stratify && data.test) return { test: data.test };
  return { holdout: holdout ?? defaultHoldout(data.table.rows), stratify };
}

/** Reads the rows to pre-train on: the training rows of a data set with an official split. */
async function unlabelledOf(
  { unlabelled }: TrainFlags,
  reading: Reading,
): Promise<Pick<TrainOptions, "unlabelled">> {
  return unlabelled === undefined ? {} : { unlabelled: (await readTrainingData(unlabelled, reading)).rows };
}

async function writeReport(path: string, trained: TrainedRun, run: Partial<Run>): Promise<void> {
  const { reportOf } = await import("@vouch/report");
  const { training, flags } = trained;
  const table = alsoWithout(trained.table, [flags.group ?? [], flags.time ?? []].flat());
  const page = await reportOf(training, table, { command: trainCommand(trained, training), run });
  await writeFileAtomic(path, new TextEncoder().encode(page));
}

/** Makes the document of `--json`. */
function asJson(run: TrainedRun): { [name: string]: Json } {
  const { flags, table, training, seconds } = run;
  const { classifier, certificates, evaluation, choice, periods } = training;
  const { learner, options, seed, data, error, notices, split } = classifier.card;
  return {
    ...(training.verdict && verdictAsJson(training.verdict)),
    learner,
    options,
    seed,
    data: {
      name: data.name,
      rows: table.rows,
      features: data.features,
      classes: data.classes,
      trainingRows: data.rows,
      heldOutRows: evaluation?.rows ?? 0,
      ...(split && { split: splitAsJson(split) }),
    },
    error: {
      train: error.train,
      ...(error.test !== undefined && { test: error.test }),
      ...(error.folds && {
        folds: { errors: error.folds, mean: mean(error.folds), sd: standardDeviation(error.folds) },
      }),
    },
    ...(evaluation && { measures: measuresAsJson(evaluation) }),
    ...decisionAsJson(classifier),
    certificates: certificates.map(certificateAsJson),
    ...(periods && { periods: periods.map((period) => ({ ...period })) }),
    ...(choice && choiceAsJson(choice)),
    command: trainCommand(run, training),
    notices,
    model: flags.out,
    ...(flags.report !== undefined && { report: flags.report }),
    seconds,
  };
}

function splitAsJson({ drawn, group, time }: NonNullable<Card["split"]>): Json {
  const column = group ?? time;
  return { drawn, ...(column !== undefined && { column }) };
}

function certificateAsJson(certificate: Certificate): Json {
  const { premises, terms, ...rest } = certificate;
  return { ...rest, terms, premises: premises.map((premise) => ({ ...premise })) };
}

function measuresAsJson({ confusion, ...measures }: Evaluation): Json {
  return {
    ...measures,
    confusion: { classes: [...confusion.classes], matrix: confusion.matrix.map((row) => [...row]) },
  };
}

function choiceAsJson({ candidates, untried, ended, ensemble }: Choice): Record<string, Json> {
  return {
    candidates: candidates.map(candidateAsJson),
    untried: untried.map((one) => ({ ...one })),
    ended,
    ...(ensemble && {
      ensemble: {
        ...ensemble,
        members: [...ensemble.members],
        secondsPerRow: { ...ensemble.secondsPerRow },
      },
    }),
  };
}

function candidateAsJson({ name, learner, validation, rows, fate }: Candidate): Json {
  const { errors, mean, sd, metric } = validation;
  return { name, learner: learner.name, errors, mean, sd, metric: { ...metric }, rows, fate };
}

async function print(run: TrainedRun, { out }: Terminal): Promise<void> {
  const { flags, training, seconds } = run;
  const { classifier, certificates, choice } = training;
  const { learner, options, data } = classifier.card;
  const { verdict } = training;
  if (verdict) writeText(out, `\n${verdictLines(verdict, certificates[0], out)}`);
  if (choice) writeText(out, `\n${choiceLines(choice, width(out))}\n`);
  const changed = changedOptions({ name: learner, options }, settingSummary);
  const settings = changed.map(([name, value]) => `${name} ${value}`);
  const named = learner + (settings.length > 0 ? ` (${settings.join(", ")})` : "");
  const done = `${named}: ${choice ? "chosen and " : ""}trained on ${formatCount(data.rows, "row")} in ${formatDuration(seconds)}`;
  writeText(out, `\n${wrap(done, width(out)).replace(learner, styled(out, "bold", learner))}\n`);
  writeText(out, `${errorLines(training, width(out))}\n\n`);
  for (const sentence of await decisionSentences(training.classifier)) {
    writeText(out, `${wrap(printable(sentence), width(out))}\n\n`);
  }
  if (training.periods) writeText(out, `${periodLines(training.periods, width(out))}\n\n`);
  const further = certificates.length > 0 ? furtherCertificates(certificates, flags.out) : "";
  if (!verdict && certificates.length > 0) writeText(out, `${wrap(certificates[0].statement, width(out))}\n`);
  if (further !== "") writeText(out, `${wrap(further, width(out))}\n`);
  if (choice) writeText(out, `to train the same model again:\n  ${trainCommand(run, training)}\n`);
  writeText(out, `model saved to ${printable(flags.out)}\n`);
  if (flags.report !== undefined) writeText(out, `report written to ${printable(flags.report)}\n`);
}

/** Lists the error of each period of the test; times of dates are shown as dates. */
function periodLines(periods: readonly Period[], columns: number): string {
  const headings = [
    { title: "test period" },
    { title: "rows", right: true },
    { title: "error", right: true },
  ];
  const rows = periods.map(({ from, to, rows, errors }) => [
    `${formatTime(from)} to ${formatTime(to)}`,
    formatNumber(rows),
    formatPercent(errors / rows),
  ]);
  return alignedTable(headings, rows, columns);
}

function errorLines({ classifier, evaluation, evidence, verdict }: Training, columns: number): string {
  const { train, folds } = classifier.card.error;
  const rows = [["error on the training rows", formatPercent(train), ""]];
  if (evaluation) {
    const wrong = Math.round(evaluation.error * evaluation.rows);
    const label = `error on ${formatCount(evaluation.rows, "held-out row")}`;
    rows.push([label, formatPercent(evaluation.error), `(${formatCount(wrong, "mistake")})`]);
  }
  const { repeats } = evidence ?? {};
  if (repeats && repeats.newRows > 0) {
    const label = `error on the ${formatCount(repeats.newRows, "new row")} among them`;
    const error = formatPercent(repeats.newErrors / repeats.newRows);
    rows.push([label, error, `(${formatCount(repeats.newErrors, "mistake")})`]);
  }
  if (folds) {
    const label = `error in ${formatCount(folds.length, "fold")}`;
    rows.push([label, formatPercent(mean(folds)), `± ${formatPercent(standardDeviation(folds))}`]);
  }
  if (verdict) {
    rows.push([
      `always answering "${printable(verdict.baseline.class)}"`,
      formatPercent(verdict.baseline.error),
      "",
    ]);
  }
  const headings = [{ title: "", prose: true }, { title: "", right: true }, { title: "" }];
  return alignedTable(headings, rows, columns);
}
