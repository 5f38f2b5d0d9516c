import {
  type Importance,
  type LabelledValue,
  type LayerPretraining,
  type TrainingCurve,
  type TrainingReport,
  trainingReport,
} from "@vouch/report";
import {
  AdaBoostModel,
  BinnedColumns,
  BoostedTreesModel,
  formatNumber,
  type Json,
  Matrix,
  NetworkModel,
  settingsOf,
  VERSION,
} from "vouch";
import { cascadeLines } from "./cascade-drawing.js";
import type { TrainedRun } from "./commands/train.js";
import { missingCells } from "./data-lines.js";
import { hierarchyOf } from "./hierarchy-drawing.js";
import { layerInWords, layersOf } from "./layers.js";
import { inWords, isRecord } from "./structure.js";

/** How many parts of a model the report lists. */
const MOST_PARTS = 20;

/** The parts of a model's description that have pictures of their own. */
const IMPORTANCES = "importances";
const PRETRAINING = "pretraining";
const HIERARCHY = "hierarchy";

/** The report of a training run, as one HTML page. */
export function reportOf(run: TrainedRun): string {
  const { classifier, samples, evaluation, certificates } = run.training;
  const { card, model } = classifier;
  const measured = evaluation ?? classifierOnTraining(run);
  const { heldOut } = samples;
  const curve = curveOf(run);
  const pretraining = pretrainingOf(model);
  const description = model.describe();
  const structure = structureOf(description);
  const importances = importancesOf(description);
  const layers = layersOf(description);
  const hierarchy = hierarchyOf(description);
  const report: TrainingReport = {
    dataName: card.data.name,
    learner: card.learner,
    options: settingsOf(card.options),
    seed: card.seed,
    command: commandOf(run),
    version: VERSION,
    data: dataOf(run),
    notices: card.notices,
    error: card.error,
    ...(card.heldOut && { heldOut: card.heldOut }),
    metrics: measured,
    confusion: measured.confusion,
    measuredOn: evaluation ? "held-out" : "training",
    margins: {
      train: model.margins(samples.training),
      ...(heldOut && { test: model.margins(heldOut) }),
    },
    ...(layers.length > 0 && {
      layerMargins: layers.map(({ layer, margins }) => ({ name: `Layer ${layer}`, ...margins })),
    }),
    ...(pretraining && { pretraining }),
    ...(curve && { curve }),
    certificates,
    ...(structure && { structure }),
    ...(hierarchy.length > 0 && { hierarchy }),
    ...(importances && { importances }),
  };
  return trainingReport(report);
}

function classifierOnTraining({ training, table }: TrainedRun) {
  return training.classifier.evaluate(table);
}

function dataOf({ table, training }: TrainedRun): TrainingReport["data"] {
  const { classifier, samples } = training;
  const { target, classes } = classifier.encoder.schema;
  const counts = new Array<number>(classes.length).fill(0);
  for (const label of samples.training.labels) counts[label]++;
  const features = table.columns.filter(({ name }) => name !== target);
  const kinds: Record<string, number> = {};
  for (const { kind } of features) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return {
    rows: samples.training.rows,
    features: classifier.encoder.featureNames.length,
    classes: classes.map((name, k) => ({ name, count: counts[k] })),
    columns: kinds,
    missingCells: features.reduce((sum, column) => sum + missingCells(column), 0),
  };
}

/** The command that gives the same model again. */
function commandOf({ argument, flags, training }: TrainedRun): string {
  const { learner, options } = training.classifier.card;
  const parts = ["vouch train", quoted(argument), `--learner ${learner}`];
  for (const [name, value] of Object.entries(options))
    parts.push(`--set ${quoted(`${name}=${String(value)}`)}`);
  if (flags.target !== undefined) parts.push(`--target ${quoted(flags.target)}`);
  if (flags.test !== undefined) parts.push(`--test ${quoted(flags.test)}`);
  if (flags.holdout !== undefined) parts.push(`--holdout ${flags.holdout}`);
  if (flags.folds !== undefined) parts.push(`--folds ${flags.folds}`);
  for (const name of ["categorical", "numeric", "ignore"] as const) {
    const columns = flags[name];
    if (columns) parts.push(`--${name} ${quoted(columns.join(","))}`);
  }
  if (flags.format !== undefined) parts.push(`--format ${flags.format}`);
  if (flags.delimiter !== undefined) parts.push(`--delimiter ${quoted(flags.delimiter)}`);
  if (flags.header === false) parts.push("--no-header");
  parts.push(`--seed ${flags.seed}`);
  return parts.join(" ");
}

/** An argument as a shell takes it. */
function quoted(argument: string): string {
  return /^[\w./:=,@+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
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
        { role: "bound", name: "bound on the training error", values: bounds },
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
    } else if (name === "cascade" && isRecord(value)) {
      cascadeLines(value).forEach((line, i) => {
        // The indentation is part of the drawing: spaces that HTML keeps.
        rows.push({
          label: i === 0 ? name : "",
          value: line.replace(/^[│ ]+/, (d) => d.replaceAll(" ", "\u00a0")),
        });
      });
    } else if (name === IMPORTANCES || name === PRETRAINING || name === HIERARCHY) continue;
    else if (!Array.isArray(value)) rows.push({ label: inWords(name), value: inText(value) });
    else {
      value.slice(0, MOST_PARTS).forEach((part, i) => {
        rows.push({ label: `${name} ${i + 1}`, value: inText(part) });
      });
      const more = value.length - MOST_PARTS;
      if (more > 0) rows.push({ label: "…", value: `${formatNumber(more)} more ${name}` });
    }
  }
  return { rows };
}

/** How much each feature matters, where the model says so. */
function importancesOf(description: Json): readonly Importance[] | undefined {
  const listed = isRecord(description) ? description[IMPORTANCES] : undefined;
  if (!Array.isArray(listed)) return undefined;
  return listed
    .filter(isRecord)
    .map(({ feature, importance }) => ({ feature: String(feature), share: Number(importance) }));
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
