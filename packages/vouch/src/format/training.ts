import { changedOptions } from "@vouch/core/internal/learners/changed-options";
import { formatSetting, learnerLabel } from "@vouch/core/internal/learners/index";
import { settingSummary } from "@vouch/core/internal/learners/settings";
import type { Evaluation } from "@vouch/core/internal/metrics/evaluation";
import type { Period } from "@vouch/core/internal/metrics/periods";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatTime,
} from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import type { CandidateResult, Choice } from "@vouch/core/internal/select/choose-learner";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import type { Card } from "@vouch/core/internal/train/card";
import type { TrainCommandRequest } from "@vouch/core/internal/train/request/request";
import { reproductionCommand } from "@vouch/core/internal/train/request/request-text";
import type { Training } from "@vouch/core/internal/train/training";
import { printable, styled, type Terminal, width, wrap, writeText } from "../process/terminal.js";
import { alignedTable } from "./aligned-table.js";
import { furtherCertificates } from "./certificates.js";
import { choiceLines } from "./choice.js";
import { decisionAsJson, decisionSentences } from "./decision.js";
import type { FinishedTraining } from "./finished-training.js";
import { nextCommand } from "./next-command.js";
import { formatRareClassAdvice, verdictAsJson, verdictLines } from "./verdict.js";

/** Makes the document of `--json`. */
export function trainedAsJson(run: FinishedTraining): { [name: string]: Json } {
  const { flags, table, training, seconds, guess } = run;
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
      target: classifier.encoder.schema.target,
      ...(guess && { targetGuessedBy: guess.by, otherTargets: [...guess.candidates] }),
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
    command: commandOf(run),
    notices,
    model: flags.out,
    ...(flags.report !== undefined && { report: flags.report }),
    seconds,
  };
}

/** Writes the command that trains the same model again. */
function commandOf({ data, request, flags, training }: FinishedTraining): string {
  return reproductionCommand({ data, request, model: flags.out }, training);
}

function splitAsJson({ drawn, group, time }: NonNullable<Card["split"]>): Json {
  const column = group ?? time;
  return { ...(drawn && { drawn }), ...(column !== undefined && { column }) };
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

function candidateAsJson({ name, learner, validation, rows, fate }: CandidateResult): Json {
  const { errors, mean, sd, metric } = validation;
  return { name, learner: learner.name, errors, mean, sd, metric: { ...metric }, rows, fate };
}

/** Prints the verdict, the choice, errors and certificates, and where the files are. */
export async function printTrained(run: FinishedTraining, { out }: Terminal): Promise<void> {
  const { flags, training, seconds } = run;
  const { classifier, certificates, choice } = training;
  const { learner, options, data } = classifier.card;
  const { verdict } = training;
  if (verdict)
    writeText(out, `\n${verdictLines(verdict, certificates[0], out, formatRareClassAdvice(verdict))}`);
  if (choice) writeText(out, `\n${choiceLines(choice, width(out), flags.verbose)}\n`);
  const changed = changedOptions({ name: learner, options }, settingSummary);
  // The members of a chosen ensemble are listed above.
  const settings = choice?.ensemble?.isChosen
    ? []
    : changed.map(([name, value]) => formatSetting(name, value));
  const { title } = learnerLabel(learner);
  const named = [title, ...(flags.verbose ? settings : shortened(settings))].join(", ");
  const done = `${named}: ${choice ? "chosen and " : ""}trained on ${formatCount(data.rows, "row")} in ${formatDuration(seconds)}`;
  writeText(out, `\n${wrap(done, width(out)).replace(title, styled(out, "bold", title))}\n`);
  writeText(out, `${errorLines(training, width(out))}\n\n`);
  for (const sentence of await decisionSentences(training.classifier)) {
    writeText(out, `${wrap(printable(sentence), width(out))}\n\n`);
  }
  if (training.periods) writeText(out, `${periodLines(training.periods, width(out))}\n\n`);
  const further = certificates.length > 0 ? furtherCertificates(certificates, flags.out) : "";
  if (!verdict && certificates.length > 0) writeText(out, `${wrap(certificates[0].statement, width(out))}\n`);
  if (further !== "") writeText(out, `${wrap(further, width(out))}\n`);
  if (choice) writeText(out, `to train the same model again:\n  ${commandOf(run)}\n`);
  writeText(out, `model saved to ${printable(flags.out)}\n`);
  if (flags.report !== undefined) writeText(out, `${reportLine(flags.report, flags.reportWithout)}\n`);
  const { command, purpose } = nextCommand(run);
  writeText(out, `\nnext: ${purpose}\n  ${printable(command)}\n`);
}

/** Maximum number of settings to list, unless the user asks for all. */
const MOST_SETTINGS = 3;

function shortened(settings: readonly string[]): string[] {
  const others = settings.length - MOST_SETTINGS;
  return [...settings.slice(0, MOST_SETTINGS), ...(others > 0 ? [formatCount(others, "more option")] : [])];
}

function reportLine(path: string, without: TrainCommandRequest["reportWithout"] = []): string {
  const parts = without.includes("rows") ? "rows and model" : "the model";
  return `report written to ${printable(path)}${without.length > 0 ? `, without ${parts}` : ""}`;
}

/** Lists the error of each test period, with times as dates if they are dates. */
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
      `always answering "${printable(visibleSpaces(verdict.baseline.class))}"`,
      formatPercent(verdict.baseline.error),
      "",
    ]);
  }
  const headings = [{ title: "", prose: true }, { title: "", right: true }, { title: "" }];
  return alignedTable(headings, rows, columns);
}
