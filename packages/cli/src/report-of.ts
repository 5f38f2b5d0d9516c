import { createHash } from "node:crypto";
import {
  type CascadePicture,
  type Importance,
  type LabelledValue,
  type LayerPretraining,
  type MeasuredImportance,
  type TrainingCurve,
  type TrainingReport,
  type TriedLearner,
  trainingReport,
} from "@vouch/report";
import {
  AdaBoostModel,
  BinnedColumns,
  BoostedTreesModel,
  type Card,
  evaluate,
  type Fingerprint,
  formatNumber,
  type Json,
  Matrix,
  NetworkModel,
  type Predictions,
  permutationImportance,
  type Run,
  SparseRows,
  settingsOf,
  VERSION,
} from "vouch";
import { columnFacts } from "./column-facts.js";
import type { TrainedRun } from "./commands/train.js";
import { hierarchyOf } from "./hierarchy-drawing.js";
import { layerInWords, layersOf } from "./layers.js";
import { inWords, isRecord } from "./structure.js";
import { briefCommandOf } from "./train-command.js";

/** How many parts of a model the report lists. */
const MOST_PARTS = 10;

/** The parts of a model's description that have pictures of their own. */
const IMPORTANCES = "importances";
const CASCADE = "cascade";
const DRAWN = new Set([IMPORTANCES, CASCADE, "pretraining", "hierarchy", "losses"]);

/** Where the parts of a report are computed that take a while. */
export type ReportRun = Pick<Run, "executor" | "progress"> & { readonly signal?: AbortSignal };

/** The report of a training run, as one HTML page. */
export async function reportOf(run: TrainedRun, work: ReportRun): Promise<string> {
  const { classifier, samples, certificates } = run.training;
  const { card, model } = classifier;
  const predicted = predictedOf(run);
  const measured = evaluate(predicted);
  const measuredOn = samples.heldOut ? "held-out" : "training";
  const curve = curveOf(run);
  const pretraining = pretrainingOf(model);
  const description = model.describe();
  const structure = structureOf(description);
  const cascade = cascadeOf(description);
  const importances = importancesOf(description);
  const permutation = await permutationOf(run, work);
  const layers = layersOf(description);
  const hierarchy = hierarchyOf(description);
  const report: TrainingReport = {
    dataName: card.data.name,
    learner: card.learner,
    options: settingsOf(card.options),
    seed: card.seed,
    command: briefCommandOf(run),
    version: VERSION,
    fingerprint: digestOf(classifier.fingerprint),
    data: dataOf(run),
    notices: card.notices,
    error: card.error,
    ...(card.heldOut && { heldOut: card.heldOut }),
    metrics: measured,
    confusion: measured.confusion,
    measuredOn,
    predicted,
    margins: {
      train: model.margins(samples.training),
      ...(samples.heldOut && { test: model.margins(samples.heldOut) }),
    },
    ...(layers.length > 0 && {
      layerMargins: layers.map(({ layer, margins }) => ({ name: `Layer ${layer}`, ...margins })),
    }),
    ...(pretraining && { pretraining }),
    ...(curve && { curve }),
    certificates,
    ...(structure && { structure }),
    ...(cascade && { cascade }),
    ...(hierarchy.length > 0 && { hierarchy }),
    ...(importances && { importances }),
    ...(permutation && { permutation }),
    ...(card.choice && { tried: card.choice.candidates.map(triedOf) }),
  };
  return trainingReport(report);
}

/** What the model says of the held-out rows, or of the training rows where none were held out. */
function predictedOf({ training }: TrainedRun): Predictions {
  const { classifier, samples } = training;
  const { model } = classifier;
  const { features, labels } = samples.heldOut ?? samples.training;
  return {
    classes: model.classes,
    labels,
    predictions: model.predict(features),
    scores: model.scores(features),
    scoring: model.scoring,
  };
}

/** So many rows are predicted at most to see what features matter: seconds, even with slow models. */
const MOST_PREDICTIONS = 200_000;
/** With fewer rows than this, chance is larger than what most features matter. */
const FEWEST_ROWS = 100;
const REPEATS = 3;
/** Milliseconds after which a report does without. */
const PATIENCE = 10_000;

/** What the model loses without each feature; nothing for so many features, or so slow a model, that it takes too long. */
async function permutationOf(
  { training, flags }: TrainedRun,
  { executor, progress, signal }: ReportRun,
): Promise<MeasuredImportance | undefined> {
  const { classifier, samples } = training;
  const sample = samples.heldOut ?? samples.training;
  if (sample.features instanceof SparseRows) return undefined;
  const most = Math.floor(MOST_PREDICTIONS / (REPEATS * sample.features.columns));
  const rows = Math.min(sample.rows, most);
  if (rows < Math.min(sample.rows, FEWEST_ROWS)) return undefined;
  const part = rows < sample.rows ? sample.select(evenly(sample.rows, rows)) : sample;
  const patience = AbortSignal.timeout(PATIENCE);
  try {
    const run = {
      seed: flags.seed,
      executor,
      progress,
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    };
    const measured = await permutationImportance(classifier.model, part, run, { repeats: REPEATS });
    return { ...measured, rows, on: samples.heldOut ? "held-out" : "training" };
  } catch (error) {
    if (patience.aborted && !signal?.aborted) return undefined;
    throw error;
  }
}

/** So many of all rows, at even steps: of each class about the same share, whether or not they are sorted by class. */
function evenly(all: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.floor((i * all) / count));
}

/** A short name of the training rows: the same rows, whatever their order, have the same. */
function digestOf(fingerprint: Fingerprint): string {
  const { json, tensors } = fingerprint.toState();
  const hash = createHash("sha256").update(JSON.stringify(json));
  for (const { data } of Object.values(tensors)) {
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex").slice(0, 16);
}

type CardCandidate = NonNullable<Card["choice"]>["candidates"][number];

const fates: Readonly<Record<CardCandidate["fate"], string>> = {
  finished: "finished",
  behind: "fell behind",
  slow: "too slow",
  failed: "failed",
  "not tried": "not tried",
};

function triedOf({ name, error, rounds, fate }: CardCandidate, index: number): TriedLearner {
  return { name, error, rounds, fate: index === 0 ? "chosen" : fates[fate] };
}

function dataOf({ table, training }: TrainedRun): TrainingReport["data"] {
  const { classifier, samples } = training;
  const { target, classes } = classifier.encoder.schema;
  const counts = new Array<number>(classes.length).fill(0);
  for (const label of samples.training.labels) counts[label]++;
  const features = table.columns.filter(({ name }) => name !== target);
  const columns = features.map(columnFacts);
  const kinds: Record<string, number> = {};
  for (const { kind } of features) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return {
    rows: samples.training.rows,
    features: classifier.encoder.featureNames.length,
    classes: classes.map((name, k) => ({ name, count: counts[k] })),
    columns: kinds,
    missingCells: columns.reduce((sum, { missing }) => sum + missing, 0),
    table: { rows: table.rows, columns },
  };
}

/** Error per round, where the model is made in rounds; loss per epoch, where it is a network. */
function curveOf({ training }: TrainedRun): TrainingCurve | undefined {
  const { model } = training.classifier;
  if (model instanceof NetworkModel) return lossCurve(model);
  const { heldOut } = training.samples;
  const test = heldOut && stagedErrors(model, heldOut);
  const tested = test ? [{ role: "test" as const, name: "held-out rows", values: test }] : [];
  if (model instanceof AdaBoostModel) {
    const values = model.rounds.map((round) => round.trainingError);
    const bounds = model.trainingErrorBounds();
    return {
      step: "Round",
      series: [
        { role: "train", name: "training rows", values },
        ...tested,
        { role: "bound", name: "bound of Theorem 3.1 on the training error", values: bounds },
      ],
    };
  }
  const train = stagedErrors(model, training.samples.training);
  return (
    train && { step: "Round", series: [{ role: "train", name: "training rows", values: train }, ...tested] }
  );
}

/** The losses of a network in all its epochs, also those after the best one. */
function lossCurve({ curve }: NetworkModel): TrainingCurve {
  const train = curve.map(({ trainingLoss }) => trainingLoss);
  const kept = curve.flatMap(({ validationLoss }) => (validationLoss === undefined ? [] : [validationLoss]));
  const validated =
    kept.length > 0
      ? [{ role: "test" as const, name: "rows kept apart to know when to stop", values: kept }]
      : [];
  return {
    step: "Epoch",
    quantity: "loss",
    series: [{ role: "train", name: "training rows", values: train }, ...validated],
  };
}

/** How the layers of a network were pre-trained, if they were. */
function pretrainingOf(model: object): readonly LayerPretraining[] | undefined {
  if (!(model instanceof NetworkModel)) return undefined;
  return model.pretraining?.map(({ epochs, freeEnergies }, l) => ({
    name: `Layer ${l + 1}`,
    errors: epochs,
    ...(freeEnergies && { freeEnergies }),
  }));
}

/** The error on labelled rows after each round, where the model is made in rounds. */
function stagedErrors(
  model: object,
  { features, labels }: { readonly features: object; readonly labels: Int32Array },
): number[] | undefined {
  const errorOf = (predictions: Int32Array) =>
    predictions.filter((prediction, i) => prediction !== labels[i]).length / labels.length;
  if (model instanceof AdaBoostModel && features instanceof Matrix) {
    return Array.from(model.stagedPredictions(features), errorOf);
  }
  if (model instanceof BoostedTreesModel && features instanceof BinnedColumns) {
    return Array.from(model.stagedPredictions(features), errorOf);
  }
  return undefined;
}

/** The first parts of a model, one line each. */
function structureOf(description: Json): TrainingReport["structure"] {
  if (!isRecord(description)) return undefined;
  const rows: LabelledValue[] = [];
  const layers = layersOf(description);
  for (const [name, value] of Object.entries(description)) {
    if (name === "layers" && layers.length > 0) {
      rows.push(...layers.map((each) => ({ label: `layer ${each.layer}`, value: layerInWords(each) })));
    } else if (DRAWN.has(name)) continue;
    else if (!Array.isArray(value) || isShort(value))
      rows.push({ label: inWords(name), value: inText(value) });
    else {
      value.slice(0, MOST_PARTS).forEach((part, i) => {
        rows.push({ label: `${singular(name)} ${i + 1}`, value: inText(part) });
      });
      const more = value.length - MOST_PARTS;
      if (more > 0) rows.push({ label: "…", value: `${formatNumber(more)} more ${name}` });
    }
  }
  return { rows };
}

/** Whether a list is a few numbers or words, which have room in one line. */
function isShort(list: readonly Json[]): boolean {
  return list.length <= MOST_PARTS && list.every((part) => typeof part !== "object");
}

/** The name of one of several: `rules` has a `rule`. */
function singular(name: string): string {
  return inWords(name).replace(/(?<=ss)es$|(?<!s)s$/, "");
}

/** How much each feature matters, where the model says so. */
function importancesOf(description: Json): readonly Importance[] | undefined {
  const listed = isRecord(description) ? description[IMPORTANCES] : undefined;
  if (!Array.isArray(listed)) return undefined;
  return listed
    .filter(isRecord)
    .map(({ feature, importance }) => ({ feature: String(feature), share: Number(importance) }));
}

/** The gates and leaves of a cascade, where the model is one. */
function cascadeOf(description: Json): CascadePicture | undefined {
  const cascade = isRecord(description) ? description[CASCADE] : undefined;
  return cascade !== undefined && isRecord(cascade) ? cascadePart(cascade) : undefined;
}

function cascadePart(part: { readonly [name: string]: Json }): CascadePicture {
  const { stay, on, question, points } = part;
  if (stay === undefined || on === undefined || !isRecord(stay) || !isRecord(on)) return cascadeLeaf(part);
  const asks = question !== undefined && isRecord(question) ? question.asks : undefined;
  return {
    kind: "gate",
    points: Number(points),
    question: typeof asks === "string" ? asks : "?",
    stay: cascadePart(stay),
    on: cascadePart(on),
  };
}

function cascadeLeaf(part: { readonly [name: string]: Json }): CascadePicture {
  const { points, classifier, C, right, wrong, penalty, share, active } = part;
  const [paid, spared] = active === "penalty" ? ["penalty", "share"] : ["share", "penalty"];
  const [least, most] = active === "penalty" ? [penalty, share] : [share, penalty];
  return {
    kind: "leaf",
    points: Number(points),
    classifier: `${inText(classifier ?? "?")}${C === undefined ? "" : `, C ${inText(C)}`}`,
    right: Number(right),
    wrong: Number(wrong),
    pays: `pays its ${paid} ${inText(least ?? "?")}, not its ${spared} ${inText(most ?? "?")}`,
  };
}

function inText(value: Json): string {
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.map(inText).join(", ");
  if (!isRecord(value)) return "";
  const { feature, threshold, left, right, ...rest } = value;
  const isRule = [feature, threshold, left, right].every((part) => part !== undefined);
  const facts = Object.entries(isRule ? rest : value).map(
    ([name, part]) => `${inWords(name)} ${inText(part)}`,
  );
  if (!isRule) return facts.join(", ");
  const rule = `${inText(feature)} ≤ ${inText(threshold)} → ${inText(left)}, otherwise ${inText(right)}`;
  return facts.length > 0 ? `${rule} (${facts.join(", ")})` : rule;
}
