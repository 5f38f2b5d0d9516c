import type { Decision } from "vouch/learning";
import { metricFacts, settingSummary } from "vouch/select";
import {
  type Certificate,
  type Description,
  type Evaluation,
  formatCount,
  formatNumber,
  formatPercent,
  type Period,
  type Predictions,
  settingsOf,
  type TrainedCard,
} from "vouch/train";
import { abstentionSection } from "./abstention-section.js";
import { type CalibrationFacts, calibrationFigure } from "./calibration-figure.js";
import { candidateTable } from "./candidate-table.js";
import { confusionTable } from "./confusion-table.js";
import { type DataSummary, dataSummary } from "./data-summary.js";
import { decisionSection, positiveClass } from "./decision-section.js";
import { type ColumnEffects, effectFigure } from "./effect-figure.js";
import { errorLine } from "./error-line.js";
import { guaranteeSection } from "./guarantee-section.js";
import {
  importanceTable,
  type MeasuredImportance,
  permutationTable,
  type UnmeasuredImportance,
} from "./importance-table.js";
import { marginFigure } from "./margin-figure.js";
import { html, type Markup } from "./markup.js";
import { costsInWords, metricLine } from "./metric-line.js";
import { modelSections } from "./model-sections.js";
import { commandBlock, contents, factTable, itemList, type PageSection, page } from "./page.js";
import { periodFigure } from "./period-figure.js";
import { rankingFigure } from "./ranking-figure.js";
import { type RowExample, reasonFigure } from "./reason-figure.js";
import { setSection } from "./set-section.js";
import { verdictPanel } from "./verdict-panel.js";

/** Everything that the page of a training shows. */
export interface TrainingReport {
  readonly card: TrainedCard;
  /** How scores become probabilities and predictions. */
  readonly decision: Decision;
  readonly certificates: readonly Certificate[];
  /** The rows that evaluation and predictions are about. */
  readonly measuredOn: "held-out" | "training";
  readonly evaluation: Evaluation;
  readonly predicted: Predictions;
  /** Log loss of the same rows before and after calibration; absent if there is nothing to compare. */
  readonly logLoss?: CalibrationFacts["logLoss"];
  /** Margins of the held-out rows. */
  readonly margins?: ArrayLike<number>;
  readonly description: Description;
  /** Permutation importance of the columns, or why it was not measured. */
  readonly importance: MeasuredImportance | UnmeasuredImportance;
  /** Effects of the columns that matter most; absent if none does. */
  readonly effects?: ColumnEffects;
  /** Reasons for a few rows. */
  readonly examples: readonly RowExample[];
  readonly data: DataSummary;
  /** The error over time; present if the rows have times. */
  readonly periods?: readonly Period[];
  /** Identifies the training rows: the same rows give the same digest. */
  readonly fingerprint: string;
  /** The command that trains the same model again. */
  readonly command?: string;
}

/** Writes the page of a training: one HTML file that needs nothing else, for screens, phones and paper. */
export function trainingReport(report: TrainingReport): string {
  const { card, decision, certificates, predicted, evaluation, margins, description } = report;
  const { objective, verdict, calibration } = card;
  const { abstention, sets, rule } = decision;
  const costs = costsInWords(objective?.costs, predicted.classes);
  const positive = positiveClass({ rule, objective }, predicted.classes);
  const metric = objective?.metric ?? "error";
  const sections: PageSection[] = [
    [`How good is it by ${metricFacts(metric).title}?`, metricLine(verdict, certificates, costs)],
    ["How often is it wrong?", errorLine(card, certificates)],
    [
      "Does the error change over time?",
      report.periods && periodFigure(report.periods, card.heldOut?.change),
    ],
    ["How good is it by other measures?", metricTiles(report)],
    ["What is guaranteed?", guaranteeSection(certificates, card)],
    ["When does it not answer?", abstention && abstentionSection(abstention, predicted)],
    ["How good are its prediction sets?", sets && setSection(sets, predicted, certificates)],
    ["Which classes does it confuse?", withRows(report, confusionTable(evaluation.confusion))],
    ["How well do its scores rank the rows?", withRows(report, rankingFigure(predicted, positive))],
    [
      "How does it choose the class?",
      withRows(report, decisionSection({ rule, objective }, predicted, costs)),
    ],
    [
      "When the model says 80 %, is it right 80 % of the time?",
      withRows(report, calibrationFigure(predicted, { positive, calibration, logLoss: report.logLoss })),
    ],
    [
      "How clear are its decisions?",
      marginFigure({ train: card.margins, test: margins, own: rule.kind === "model" }),
    ],
    ["Which columns matter?", importance(report)],
    ["How do the strongest columns act?", report.effects && effectFigure(report.effects)],
    ["Why does it decide so for single rows?", reasonFigure(report.examples, report.measuredOn)],
    ...modelSections(description),
    ["How was the learner chosen?", card.choice && candidateTable(card.choice, metric)],
    ["What was it trained on?", dataSummary(report.data, card)],
    ["What else should you know?", itemList(card.notices)],
    ["How can you reproduce the model?", again(report)],
  ];
  const title = `${card.learner} on ${card.data.name}`;
  return page(title, card.vouch, html`${header(title, report)}${contents(sections)}`);
}

function header(title: string, report: TrainingReport): Markup {
  const { data, card, decision, certificates } = report;
  const columns = Object.values(data.columns).reduce((sum, count) => sum + count, 0);
  const facts = [
    `Trained on ${formatCount(data.rows, "row")}`,
    formatCount(columns, "column"),
    formatCount(data.classes.length, "class", "classes"),
    ...(card.heldOut ? [`${formatCount(card.heldOut.rows, "row")} held out`] : []),
  ];
  return html`<header>
<h1>${title}</h1>
${verdictPanel(card, certificates[0], decision.abstention)}<p class="subtitle">${facts.map((fact) => html`<span>${fact}</span> `)}</p>
</header>
`;
}

const ON_TRAINING_ROWS = "Measured on the training rows: the error on new rows is likely larger.";

function metricTiles({ evaluation, measuredOn, card }: TrainingReport): Markup {
  const { accuracy, balancedAccuracy, macroF1, auc, logLoss } = evaluation;
  const tiles: [name: string, shown: string][] = [
    ["Accuracy", formatPercent(accuracy)],
    ["Balanced accuracy", formatPercent(balancedAccuracy)],
    ["Macro F1", threeDigits(macroF1)],
  ];
  if (auc !== undefined) tiles.push(["AUC", threeDigits(auc)]);
  if (logLoss !== undefined) tiles.push(["Log loss", threeDigits(logLoss)]);
  const rows =
    measuredOn === "held-out" ? `Measured on the held-out rows.${repeatNote(card)}` : ON_TRAINING_ROWS;
  return html`<dl class="tiles">${tiles.map(([name, shown]) => html`<div><dt>${name}</dt><dd>${shown}</dd></div>`)}</dl>
<p class="note">${rows}</p>
`;
}

/** Warns that measures of all held-out rows are too good if many repeat training rows. */
function repeatNote({ heldOut }: TrainedCard): string {
  const repeats = heldOut?.repeats;
  if (!heldOut || !repeats || repeats.natural || repeats.rows === 0) return "";
  return ` ${formatNumber(repeats.rows)} of ${formatNumber(heldOut.rows)} repeat training rows, so all measures are likely worse on new rows.`;
}

/** Formats with three digits: more would suggest a precision that no number of rows gives. */
function threeDigits(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}

/** Adds a warning to a figure about training rows. */
function withRows({ measuredOn }: TrainingReport, figure: Markup | undefined): Markup | undefined {
  if (!figure || measuredOn === "held-out") return figure;
  return html`${figure}<p class="note">${ON_TRAINING_ROWS}</p>
`;
}

function importance({ importance: measured, description }: TrainingReport): Markup | undefined {
  const permuted =
    "reason" in measured
      ? html`<p>Permutation importance was not measured: ${measured.reason}.</p>`
      : permutationTable(measured);
  const inTraining = description.sections.flatMap((section) =>
    section.kind === "importance" ? (importanceTable(section) ?? []) : [],
  );
  if (inTraining.length === 0) return permuted;
  if (!permuted) return html`${inTraining}`;
  return html`${permuted}<details><summary>Importance in training</summary>
${inTraining}</details>
`;
}

function again({ command, card, fingerprint }: TrainingReport): Markup {
  const settings = Object.entries(settingsOf(card.options)).map(([label, value]) => ({
    label,
    value: settingSummary(value),
  }));
  const facts = [
    { label: "learner", value: card.learner },
    { label: "seed", value: String(card.seed) },
    { label: "vouch", value: card.vouch },
    { label: "training rows’ fingerprint", value: fingerprint },
  ];
  return html`${
    command !== undefined &&
    html`<p>This command trains the same model from the same data, bit for bit:</p>
${commandBlock(command)}`
  }${factTable(facts)}${
    settings.length > 0 &&
    html`<details><summary>All ${formatCount(settings.length, "option")} of the learner</summary>
${factTable(settings)}</details>
`
  }`;
}
