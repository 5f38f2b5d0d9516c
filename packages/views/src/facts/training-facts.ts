import type {
  CurveSection,
  Description,
  DescriptionSection,
} from "@vouch/core/internal/learners/description";
import { learnerLabel } from "@vouch/core/internal/learners/index";
import { applyDecision, type Decision, outputKind } from "@vouch/core/internal/metrics/decision";
import {
  type Evaluation,
  evaluate,
  logLoss,
  type Predictions,
} from "@vouch/core/internal/metrics/evaluation";
import type { Period } from "@vouch/core/internal/metrics/periods";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import type { Fingerprint } from "@vouch/core/internal/table/fingerprint";
import type { Table } from "@vouch/core/internal/table/table";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import { sha256 } from "@vouch/core/internal/train/sha256";
import type { Training } from "@vouch/core/internal/train/training";
import { type ColumnEffects, columnEffects } from "./columns/column-effects.js";
import {
  columnImportance,
  type MeasuredImportance,
  type UnmeasuredImportance,
} from "./columns/column-importance.js";
import { type DataFacts, dataFacts } from "./columns/data-facts.js";
import { type PredictionFacts, predictionFacts } from "./evaluation/prediction-facts.js";
import { type RowExample, rowExamples } from "./rows/row-examples.js";
import { type FormField, formFields } from "./rows/row-form.js";
import { type WrongRows, wrongRows } from "./rows/wrong-rows.js";

/** Everything that the panels show about a training, as plain data that a worker can send to its page. */
export interface TrainingFacts {
  /** The learner in words. */
  readonly title: string;
  readonly card: TrainedCard;
  /** How probabilities become predictions. */
  readonly decision: Omit<Decision, "calibrator">;
  readonly certificates: readonly Certificate[];
  /** Which rows `evaluation` and `predictions` are about. */
  readonly measuredOn: "held-out" | "training";
  readonly evaluation: Evaluation;
  readonly predictions: PredictionFacts;
  /** Log loss of these rows before and after calibration; absent if there is nothing to compare. */
  readonly logLoss?: { readonly before: number; readonly after: number };
  /** Margins of the held-out rows. */
  readonly margins?: ArrayLike<number>;
  readonly description: Description;
  /** Permutation importance of the columns, or why it was not measured. */
  readonly importance: MeasuredImportance | UnmeasuredImportance;
  /** Effects of the most important columns; absent if no column matters. */
  readonly effects?: ColumnEffects;
  /** Reasons for a few rows. */
  readonly examples: readonly RowExample[];
  /** The most confident misclassifications. */
  readonly wrong: WrongRows;
  /** Form fields for one row, most important first. */
  readonly fields: readonly FormField[];
  readonly data: DataFacts;
  /** Decisions of the reader that may change the accuracy; doubtful ones are among the warnings of the verdict. */
  readonly reading: readonly string[];
  /** Error by period; present if the rows have times. */
  readonly periods?: readonly Period[];
  /** Digest of the training rows, the same for the same rows. */
  readonly fingerprint: string;
  /** The command that trains the same model again. */
  readonly command?: string;
}

/** Options of `trainingFacts`. */
export interface FactOptions {
  /** The command that trains the same model again, shown with the facts. */
  readonly command?: string;
  /** Threads, signal and progress for importance, effects and reasons; the seed is the one of the training. */
  readonly run?: Partial<Omit<Run, "seed">>;
}

/** Computes what the panels show about a training. The table must be the one that the classifier was trained on. */
export async function trainingFacts(
  training: Training,
  table: Table,
  { command, run = {} }: FactOptions = {},
): Promise<TrainingFacts> {
  const { classifier, certificates, assessment } = training;
  const { calibrator: _, ...decision } = classifier.decision;
  const predicted = readPredictions(training);
  const importance = await columnImportance(training, run);
  const effects = await columnEffects(training, importance, run);
  return {
    title: learnerLabel(classifier.card.learner).title,
    card: classifier.card,
    decision,
    certificates,
    measuredOn: assessment ? "held-out" : "training",
    evaluation: training.evaluation ?? evaluate(predicted),
    predictions: predictionFacts(predicted, decision, classifier.card.objective),
    ...logLosses(training, predicted),
    ...(assessment && { margins: assessment.margins }),
    description: await described(training),
    importance,
    ...(effects && { effects }),
    // If importance is too slow to measure, examples are too slow to sample.
    examples: "reason" in importance ? [] : await rowExamples(training, predicted, run),
    wrong: wrongRows(training, predicted),
    fields: formFields(classifier, importance),
    data: dataFacts(training, table),
    reading: readingNotices(table, classifier.card),
    fingerprint: await fingerprintDigest(classifier.fingerprint),
    ...(training.periods && { periods: training.periods }),
    ...(command !== undefined && { command }),
  };
}

/** Lists the reader's decisions, except those in the verdict's warnings. */
function readingNotices({ notices }: Table, { verdict }: TrainedCard): string[] {
  const warned = new Set(verdict?.warnings.map(({ message }) => message));
  return notices.map(({ message }) => message).filter((message) => !warned.has(message));
}

/** Returns the predictions for the held-out rows, or for the training rows if there are none. */
function readPredictions({ classifier, samples, assessment }: Training): Predictions {
  const { model, decision } = classifier;
  const { features, labels } = samples.heldOut ?? samples.training;
  const { predictions, scores } = assessment ?? applyDecision(decision, model.classify(features));
  return { classes: model.classes, labels, predictions, scores, scoring: outputKind(decision, model) };
}

/** Computes the log loss before and after calibration, if the uncalibrated model has probabilities. */
function logLosses(
  { classifier, samples }: Training,
  { labels, scores }: Predictions,
): Pick<TrainingFacts, "logLoss"> {
  const { model, decision } = classifier;
  const isChanged = decision.calibrator && decision.calibrator.method !== "none";
  if (!isChanged || model.scoring !== "probability" || !scores) return {};
  const own = model.scores((samples.heldOut ?? samples.training).features);
  const losses = { before: logLoss(labels, own), after: logLoss(labels, scores) };
  return Number.isFinite(losses.before + losses.after) ? { logLoss: losses } : {};
}

/**
 * Describes the model, with some trees of a tree ensemble, and with the held-out error after each step of a model grown
 * in steps.
 */
async function described({ classifier: { model }, samples }: Training): Promise<Description> {
  const { facts, sections: own } = model.describe();
  const sections = [...own, ...((await model.describeTrees?.(samples.training)) ?? [])];
  const { heldOut } = samples;
  const staged = heldOut && model.stagedPredictions?.(heldOut.features);
  if (!staged) return { facts, sections };
  const values = Array.from(staged, (predictions) => shareWrong(predictions, heldOut.labels));
  return { facts, sections: withHeldOutError(sections, values) };
}

/** Adds the held-out error to the curve of errors, or as a separate curve after the first one. */
function withHeldOutError(
  sections: readonly DescriptionSection[],
  values: readonly number[],
): DescriptionSection[] {
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

/** Returns a short digest of the training rows that does not depend on their order. */
async function fingerprintDigest(fingerprint: Fingerprint): Promise<string> {
  const { json, tensors } = fingerprint.toState();
  const digest = sha256();
  digest.update(new TextEncoder().encode(JSON.stringify(json)));
  for (const tensor of Object.values(tensors)) digest.update(toBytes(tensor));
  return (await digest.hex()).slice(0, 16);
}

function toBytes({ data }: { readonly data: ArrayBufferView }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}
