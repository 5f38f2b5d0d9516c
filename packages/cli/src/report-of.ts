import { createHash } from "node:crypto";
import { type Importance, type TrainingReport, type TriedLearner, trainingReport } from "@vouch/report";
import { type Card, evaluate, type Json, type Predictions, VERSION } from "vouch";
import { type Fingerprint, settingsOf } from "vouch/learning";
import { cascadeOf } from "./cascade-picture.js";
import { columnFacts } from "./column-facts.js";
import type { TrainedRun } from "./commands/train.js";
import { hierarchyOf } from "./hierarchy-drawing.js";
import { layersOf } from "./layers.js";
import { curveOf, pretrainingOf } from "./report-curves.js";
import { permutationOf, type ReportRun } from "./report-importance.js";
import { structureOf } from "./report-structure.js";
import { isRecord } from "./structure.js";
import { briefCommandOf } from "./train-command.js";

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
    permutation,
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

/** How much each feature matters, where the model says so. */
function importancesOf(description: Json): readonly Importance[] | undefined {
  const listed = isRecord(description) ? description.importances : undefined;
  if (!Array.isArray(listed)) return undefined;
  return listed
    .filter(isRecord)
    .map(({ feature, importance }) => ({ feature: String(feature), share: Number(importance) }));
}
