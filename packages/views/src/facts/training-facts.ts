import { decided, decidedScoring, type Fingerprint } from "vouch/learning";
import { logLoss } from "vouch/select";
import {
  type CurveSection,
  type Description,
  evaluate,
  type Predictions,
  type Run,
  type Section,
  type Table,
  type Training,
} from "vouch/train";
import { columnEffects } from "./column-effects.js";
import { columnImportance } from "./column-importance.js";
import { columnFacts } from "./column-table.js";
import type { DataSummary } from "./data-summary.js";
import { rowExamples } from "./row-examples.js";
import { type TrainingReport, trainingReport } from "./training-report.js";

/** Options of `reportOf`. */
export interface ReportOptions {
  /** The command that trains the same model again, to show in the report. */
  readonly command?: string;
  /** Threads, signal and progress of measuring importance, effects and reasons; the seed is that of the training. */
  readonly run?: Partial<Omit<Run, "seed">>;
}

/** Makes the report of a training as one HTML page; the table is the one that the classifier was trained on. */
export async function reportOf(
  training: Training,
  table: Table,
  { command, run = {} }: ReportOptions = {},
): Promise<string> {
  const { classifier, certificates, assessment } = training;
  const predicted = predictedOf(training);
  const importance = await columnImportance(training, run);
  const effects = await columnEffects(training, importance, run);
  return trainingReport({
    card: classifier.card,
    decision: classifier.decision,
    certificates,
    measuredOn: assessment ? "held-out" : "training",
    evaluation: training.evaluation ?? evaluate(predicted),
    predicted,
    ...logLosses(training, predicted),
    ...(assessment && { margins: assessment.margins }),
    description: described(training),
    importance,
    ...(effects && { effects }),
    // Too slow to measure, too slow to sample.
    examples: "reason" in importance ? [] : await rowExamples(training, predicted, run),
    data: dataOf(training, table),
    fingerprint: await digestOf(classifier.fingerprint),
    ...(training.periods && { periods: training.periods }),
    ...(command !== undefined && { command }),
  });
}

/** Returns the predictions for the held-out rows, or for the training rows if none were held out. */
function predictedOf({ classifier, samples, assessment }: Training): Predictions {
  const { model, decision } = classifier;
  const { features, labels } = samples.heldOut ?? samples.training;
  const { predictions, scores } = assessment ?? decided(decision, model.classify(features));
  return { classes: model.classes, labels, predictions, scores, scoring: decidedScoring(decision, model) };
}

/** Computes the log loss before and after calibration, if the model itself gives probabilities and they were changed. */
function logLosses(
  { classifier, samples }: Training,
  { labels, scores }: Predictions,
): Pick<TrainingReport, "logLoss"> {
  const { model, decision } = classifier;
  const isChanged = decision.calibrator && decision.calibrator.method !== "none";
  if (!isChanged || model.scoring !== "probability" || !scores) return {};
  const own = model.scores((samples.heldOut ?? samples.training).features);
  const losses = { before: logLoss(labels, own), after: logLoss(labels, scores) };
  return Number.isFinite(losses.before + losses.after) ? { logLoss: losses } : {};
}

/** Returns the description of the model, with the error on the held-out rows after each step of a model grown in steps. */
function described({ classifier, samples }: Training): Description {
  const { facts, sections } = classifier.model.describe();
  const { heldOut } = samples;
  const staged = heldOut && classifier.model.stagedPredictions?.(heldOut.features);
  if (!staged) return { facts, sections };
  const values = Array.from(staged, (predictions) => shareWrong(predictions, heldOut.labels));
  return { facts, sections: withHeldOutError(sections, values) };
}

/** Adds the error on held-out rows to the curve of errors, or as a separate curve after the first curve. */
function withHeldOutError(sections: readonly Section[], values: readonly number[]): Section[] {
  const series = { role: "test", name: "held-out rows", values } as const;
  const at = sections.findIndex((section) => section.kind === "curve" && section.quantity === "error");
  const curve = sections[at];
  if (curve?.kind === "curve") return sections.with(at, { ...curve, series: [...curve.series, series] });
  const step = sections.find((section) => section.kind === "curve")?.step ?? "step";
  const own: CurveSection = {
    kind: "curve",
    title: "error on the held-out rows",
    step,
    quantity: "error",
    series: [series],
  };
  return [...sections, own];
}

function shareWrong(predictions: Int32Array, labels: Int32Array): number {
  return predictions.filter((prediction, i) => prediction !== labels[i]).length / labels.length;
}

/** Returns a short name of the training rows, the same for the same rows in any order. */
async function digestOf(fingerprint: Fingerprint): Promise<string> {
  const { json, tensors } = fingerprint.toState();
  const parts = [new TextEncoder().encode(JSON.stringify(json)), ...Object.values(tensors).map(bytesOf)];
  const digest = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  return Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf({ data }: { readonly data: ArrayBufferView }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

function dataOf({ classifier, samples }: Training, table: Table): DataSummary {
  const { target, classes } = classifier.encoder.schema;
  const counts = new Array<number>(classes.length).fill(0);
  for (const label of samples.training.labels) counts[label]++;
  const { split } = classifier.card;
  const features = table.columns.filter(
    ({ name }) => name !== target && name !== split?.group && name !== split?.time,
  );
  const columns = features.map(columnFacts);
  const kinds: Record<string, number> = {};
  for (const { kind } of columns) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return {
    rows: samples.training.rows,
    features: classifier.encoder.featureNames.length,
    classes: classes.map((name, k) => ({ name, count: counts[k] })),
    columns: kinds,
    missingCells: columns.reduce((sum, { missing }) => sum + missing, 0),
    table: { rows: table.rows, columns },
  };
}
