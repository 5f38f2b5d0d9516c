import type { OnNotice } from "../encode/encoder.js";
import { NumericEncoder } from "../encode/numeric-encoder.js";
import { NUMBER } from "../encode/numeric-features.js";
import { type Kernel, kernelValue } from "../learners/kernel/kernel.js";
import { type KernelFeatures, kernelFeatures, rowValues } from "../learners/kernel/kernel-features.js";
import { libsvmLine, readLibsvmModel, writeLibsvmModel } from "../learners/svm/libsvm-format.js";
import { OneVsOne } from "../learners/svm/pair-machines.js";
import { type SvmModel, svm } from "../learners/svm/svm.js";
import { DEFAULT_DECISION } from "../metrics/decision.js";
import { VERSION } from "../runtime/version.js";
import { VouchError } from "../runtime/vouch-error.js";
import { Fingerprint } from "../table/fingerprint.js";
import { Table } from "../table/table.js";
import { labelsFor } from "../table/target.js";
import { Classifier } from "./classifier.js";

/** Name of the class column of LIBSVM data files, as read by vouch. */
const TARGET = "label";

/** How to read a LIBSVM model file. */
export interface LibsvmImportOptions {
  /** Name of the file in errors and on the model card. */
  readonly name: string;
  /** Number of features of the training rows; by default the largest index in the file. */
  readonly features?: number;
}

/**
 * Reads a classifier from the text of a LIBSVM model file. It takes the columns f1, f2, … of LIBSVM data files directly
 * (a missing cell counts as 0); its classes are the labels. The file says nothing about the training rows, so the card
 * contains no error, no margins and no fingerprint.
 */
export function importLibsvm(text: string, { name, features }: LibsvmImportOptions): Classifier {
  const { labels, ...parts } = readLibsvmModel(text, name, features);
  const { kernel, supportVectors, sigmoids } = parts;
  const { columns } = supportVectors;
  if (columns === 0) throw new VouchError("data/no-features", `${name}: no support vector has a feature.`);
  const featureNames = Array.from({ length: columns }, (_, j) => `f${j + 1}`);
  const classes = labels.map(String);
  const machines = new OneVsOne(parts);
  const model = svm.assemble({
    classes,
    featureNames,
    trained: classes.map((_, k) => k),
    machines,
    squaredNorms: machines.squaredNorms(),
    squaredRadius: largestSquare(kernel, supportVectors),
  });
  const { kind, ...parameters } = kernel;
  return new Classifier({
    decision: DEFAULT_DECISION,
    encoder: rawColumns(featureNames, classes),
    model,
    fingerprint: noRows(name),
    card: {
      vouch: VERSION,
      learner: model.learner,
      options: { kernel: kind, ...parameters, probability: sigmoids !== undefined },
      seed: 0,
      data: { name, rows: 0, features: columns, classes: classes.length },
      error: {},
      notices: [`Imported from LIBSVM: nothing is known about the rows that ${name} was trained on.`],
    },
  });
}

/**
 * Writes a classifier as the text of a LIBSVM model file. That model takes encoded features, not raw columns;
 * `libsvmRows` writes them for LIBSVM's `svm-predict`.
 */
export function exportLibsvm(classifier: Classifier): string {
  const { machines, trained } = svmOf(classifier);
  const labels = libsvmLabels(classifier);
  return writeLibsvmModel({ ...machines, labels: trained.map((k) => labels[k]) });
}

/** Returns LIBSVM's label of each class: its name if all are distinct integers, otherwise 0, 1, 2, … */
export function libsvmLabels({ classes }: Classifier): number[] {
  const numbers = classes.map((name) => (/^[+-]?\d{1,9}$/.test(name) ? Number(name) : Number.NaN));
  const areLabels = new Set(numbers).size === classes.length && !numbers.some(Number.isNaN);
  return areLabels ? numbers : classes.map((_, k) => k);
}

/**
 * Encodes rows and writes them as the text of a LIBSVM data file. Rows of an unknown class, and all rows of a table
 * without the target column, get a label that belongs to no class.
 */
export function libsvmRows(classifier: Classifier, table: Table, onNotice?: OnNotice): string {
  const { encoder } = classifier;
  svmOf(classifier);
  const rows = table.has(encoder.schema.target)
    ? labelsFor(table, encoder.schema)
    : { features: table, labels: new Int32Array(table.rows).fill(-1), notices: [] };
  for (const notice of rows.notices) onNotice?.(notice);
  const features = encoder.encode(rows.features, onNotice);
  const encoded = kernelFeatures(features);
  const labels = libsvmLabels(classifier);
  const unknown = Math.max(...labels) + 1;
  const lines = Array.from(rows.labels, (k, i) => libsvmLine(labels[k] ?? unknown, encoded, i));
  return lines.map((line) => `${line}\n`).join("");
}

function svmOf({ model }: Classifier): SvmModel {
  if (svm.made(model)) return model;
  throw new VouchError(
    "learner/unsupported",
    `Models of the learner ${model.learner} cannot be exported to LIBSVM.`,
    {
      hint: "Train with the learner svm to export a model to LIBSVM.",
    },
  );
}

/** Creates an encoder that takes the columns unchanged. */
function rawColumns(names: readonly string[], classes: readonly string[]): NumericEncoder {
  const columns = names.map((name) => ({ kind: "numeric" as const, name }));
  const features = names.map((_, column) => ({ column, code: NUMBER, scale: 1, mean: 0, deviation: 1 }));
  const schema = { columns, target: TARGET, classes };
  return new NumericEncoder({ kind: "numeric", standardise: false, sparse: true }, schema, features, []);
}

/** Creates the fingerprint of unknown training rows. */
function noRows(name: string): Fingerprint {
  const rows = { features: new Table(name, 0, []), labels: new Int32Array(0) };
  return Fingerprint.of(rows, { columns: [], target: TARGET, classes: [] });
}

/** Finds the largest K(x, x) of the support vectors, in place of the training rows. */
function largestSquare(kernel: Kernel, vectors: KernelFeatures): number {
  let largest = 0;
  for (let s = 0; s < vectors.rows; s++) {
    largest = Math.max(largest, kernelValue(kernel, rowValues(vectors, s), rowValues(vectors, s)));
  }
  return largest;
}
