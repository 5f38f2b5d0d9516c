import type { Certificate, Predictions } from "vouch";
import { formatCount, formatNumber, formatPercent } from "vouch";
import { calibrationFigure } from "./calibration-figure.js";
import { candidateTable, type TriedLearner } from "./candidate-table.js";
import { type CascadePicture, cascadeFigure } from "./cascade-figure.js";
import { certificateCards, quotedCertificate } from "./certificate-cards.js";
import { type Confusion, confusionTable } from "./confusion-table.js";
import { type DataSummary, dataSummary } from "./data-summary.js";
import { errorLine, type HeldOut, type MeasuredError } from "./error-line.js";
import { factTable, type LabelledValue } from "./fact-table.js";
import { hierarchyFigure } from "./hierarchy-figure.js";
import type { HierarchyNode } from "./hierarchy-outline.js";
import { type Importance, importanceTable } from "./importance-table.js";
import { type LayerMargins, layerMarginFigure } from "./layer-margin-figure.js";
import { type Margins, marginFigure } from "./margin-figure.js";
import { html, type Markup } from "./markup.js";
import { commandBlock, contents, itemList, page, type Section } from "./page.js";
import { type MeasuredImportance, permutationTable, type UnmeasuredImportance } from "./permutation-table.js";
import { type LayerPretraining, pretrainingFigure } from "./pretraining-figure.js";
import { rankingFigure } from "./ranking-figure.js";
import { type StructureList, structureTable } from "./structure-table.js";
import { type TrainingCurve, trainingCurve } from "./training-curve.js";

/** Which rows the metrics and the confusion matrix were measured on. */
export type MeasuredOn = "held-out" | "folds" | "training";

/** Measures of how well a model does, each on the same rows. */
export interface Metrics {
  readonly accuracy: number;
  readonly balancedAccuracy: number;
  readonly macroF1: number;
  readonly auc?: number;
  readonly logLoss?: number;
}

/** The structure of a model in words: facts, and lists of its rules, layers or machines. */
export interface ModelStructure {
  readonly facts: readonly LabelledValue[];
  readonly lists: readonly StructureList[];
}

/** All that the report of a training run shows, as plain data. */
export interface TrainingReport {
  /** What the data is called: a file or a data set of the catalogue. */
  readonly dataName: string;
  readonly learner: string;
  /** All options of the learner, defaults included. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** The command that gives the same model again. */
  readonly command: string;
  /** The version of vouch that trained the model. */
  readonly version: string;
  /** What the training rows are known by: the same rows have the same. */
  readonly fingerprint?: string;
  readonly data: DataSummary;
  /** What the user should know about the data or the run: dropped columns, … */
  readonly notices: readonly string[];
  readonly error: MeasuredError;
  readonly heldOut?: HeldOut;
  readonly metrics: Metrics;
  readonly confusion?: Confusion;
  readonly measuredOn: MeasuredOn;
  /** What the model says of those rows, for curves of ranking and calibration. */
  readonly predicted?: Predictions;
  readonly margins?: Margins;
  /** Of a deep forest: the margins of the model up to each layer, the first layer first. */
  readonly layerMargins?: readonly LayerMargins[];
  readonly curve?: TrainingCurve;
  /** How the layers of a network were pre-trained, the first layer first, if they were. */
  readonly pretraining?: readonly LayerPretraining[];
  readonly certificates: readonly Certificate[];
  readonly structure?: ModelStructure;
  /** The gates and leaves, where the model is a cascade. */
  readonly cascade?: CascadePicture;
  /** The nodes of a hierarchy of classes, the first one first, where the model is one. */
  readonly hierarchy?: readonly HierarchyNode[];
  /** How much each feature matters to trees, where the model knows. */
  readonly importances?: readonly Importance[];
  /** What the model loses without each column, or why that was not measured. */
  readonly permutation?: MeasuredImportance | UnmeasuredImportance;
  /** The learners that were tried, the chosen one first; none where the user named one. */
  readonly tried?: readonly TriedLearner[];
}

const rowsMeasured: Readonly<Record<MeasuredOn, string>> = {
  "held-out": "rows the model was not trained on",
  folds: "each fold in turn, by a model trained on the other folds",
  training: "the training rows themselves, which flatters the model",
};

function headline({ certificates, error }: TrainingReport): string {
  const quoted = quotedCertificate(certificates);
  if (quoted) return quoted.statement;
  if (error.test !== undefined && Number.isFinite(error.test)) {
    return `The model gets ${formatPercent(error.test)} of the held-out rows wrong; no certificate bounds its error on new data.`;
  }
  return "No certificate bounds the error of this model on new data.";
}

function header(report: TrainingReport): Markup {
  const { data, heldOut } = report;
  const columns = Object.values(data.columns).reduce((sum, count) => sum + count, 0);
  const facts = [
    `Trained on ${formatCount(data.rows, "row")}`,
    formatCount(columns, "column"),
    formatCount(data.classes.length, "class", "classes"),
    ...(heldOut ? [`${formatCount(heldOut.rows, "row")} held out`] : []),
  ];
  return html`<header>
<h1>${report.learner} on ${report.dataName}</h1>
<p class="headline">${headline(report)}</p>
<p class="subtitle">${facts.map((fact) => html`<span>${fact}</span> `)}</p>
</header>
`;
}

/** More would pretend a precision that no number of rows gives. */
function threeDigits(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}

function metricTiles({ metrics, measuredOn }: TrainingReport): Markup {
  const tiles: [name: string, shown: string][] = [
    ["Accuracy", formatPercent(metrics.accuracy)],
    ["Balanced accuracy", formatPercent(metrics.balancedAccuracy)],
    ["Macro F1", threeDigits(metrics.macroF1)],
  ];
  if (metrics.auc !== undefined) tiles.push(["AUC", threeDigits(metrics.auc)]);
  if (metrics.logLoss !== undefined) tiles.push(["Log-loss", threeDigits(metrics.logLoss)]);
  return html`<dl class="tiles">${tiles.map(([name, shown]) => html`<div><dt>${name}</dt><dd>${shown}</dd></div>`)}</dl>
<p class="note">Measured on ${rowsMeasured[measuredOn]}.</p>
`;
}

function optionText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "not set");
}

function again({ command, options, seed, learner, version, fingerprint }: TrainingReport): Markup {
  const chosen = Object.entries(options).map(([label, value]) => ({ label, value: optionText(value) }));
  const facts = [
    { label: "learner", value: learner },
    { label: "seed", value: String(seed) },
    { label: "vouch", value: version },
    ...(fingerprint === undefined ? [] : [{ label: "training rows’ fingerprint", value: fingerprint }]),
  ];
  return html`<p>This command trains the same model from the same data, bit for bit:</p>
${commandBlock(command)}${factTable(facts)}${
  chosen.length > 0 &&
  html`<details><summary>All ${formatCount(chosen.length, "option")} of the learner</summary>
${factTable(chosen)}</details>
`
}`;
}

/** Says so where a figure is about the training rows. */
function withRows({ measuredOn }: TrainingReport, figure: Markup | undefined): Markup | undefined {
  if (!figure || measuredOn !== "training") return figure;
  return html`${figure}<p class="note">Measured on ${rowsMeasured.training}.</p>
`;
}

function importance({ permutation, importances }: TrainingReport): Markup | undefined {
  const measured =
    permutation &&
    ("reason" in permutation
      ? html`<p>What the model loses without each column was not measured, because ${permutation.reason}.</p>`
      : permutationTable(permutation));
  const asked = importances && importanceTable(importances);
  if (!measured || !asked) return measured ?? asked;
  return html`${measured}<details><summary>What the trees ask about</summary>
${asked}</details>
`;
}

/** The pictures of the model itself and of how it was trained. */
function modelSections(report: TrainingReport): Section[] {
  const { layerMargins, pretraining, curve, structure, cascade, hierarchy } = report;
  return [
    ["Margins from layer to layer", layerMargins && layerMarginFigure(layerMargins)],
    ["Pre-training", pretraining && pretrainingFigure(pretraining)],
    ["Training", curve && trainingCurve(curve)],
    ["The cascade", cascade && cascadeFigure(cascade)],
    ["The hierarchy", hierarchy && hierarchyFigure(hierarchy)],
    ["The model", structure && structureTable(structure.facts, structure.lists)],
  ];
}

/** The report of a training run: one HTML file that needs nothing else, for screens, phones and paper. */
export function trainingReport(report: TrainingReport): string {
  const { learner, dataName, error, heldOut, certificates, confusion, predicted, margins, tried } = report;
  const sections: Section[] = [
    ["Error, measured and certified", errorLine(error, heldOut, certificates)],
    ["How well it does", metricTiles(report)],
    ["Certificates", certificateCards(certificates)],
    ["Confusion matrix", withRows(report, confusion && confusionTable(confusion))],
    ["ROC and precision–recall", withRows(report, predicted && rankingFigure(predicted))],
    ["Calibration", withRows(report, predicted && calibrationFigure(predicted))],
    ["Margins", margins && marginFigure(margins)],
    ["Importance of the columns", importance(report)],
    ...modelSections(report),
    ["How it was chosen", tried && candidateTable(tried)],
    ["The data", dataSummary(report.data)],
    ["Notices", itemList(report.notices)],
    ["Do it again", again(report)],
  ];
  return page(`${learner} on ${dataName}`, report.version, html`${header(report)}${contents(sections)}`);
}
