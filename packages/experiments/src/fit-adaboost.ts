import {
  type AdaBoostModel,
  adaboost,
  fitEncoder,
  type Labelled,
  type LabelledRows,
  type Matrix,
  type Run,
  Sample,
  type Table,
} from "vouch";

/** Labelled rows to train on; `target` and `classes` say what the labels mean. */
export type TrainingRows = Omit<Labelled, "notices">;

/** A committee of stumps and the encoder before it, fitted to training rows and to nothing else. */
export interface FittedAdaBoost {
  readonly model: AdaBoostModel;
  encode(rows: Table): Matrix;
}

/** Fits AdaBoost with stumps to raw rows. */
export async function fitAdaBoost(
  training: TrainingRows,
  rounds: number,
  run?: Partial<Run>,
): Promise<FittedAdaBoost> {
  const { features, labels, classes } = training;
  const encoder = fitEncoder(features, training, { kind: "numeric", standardise: false });
  const { featureNames } = encoder;
  const sample = new Sample({ features: encoder.encode(features), labels, classes, featureNames });
  const model = await adaboost({ rounds }).fit(sample, run);
  return { model, encode: (rows) => encoder.encode(rows) };
}

/** The given rows of labelled data, in the given order. */
export function selectRows<Rows extends Pick<LabelledRows, "features" | "labels">>(
  from: Rows,
  rows: Int32Array,
): Rows {
  return { ...from, features: from.features.select(rows), labels: rows.map((row) => from.labels[row]) };
}

/** How many rows are predicted wrong. */
export function countErrors(predictions: Int32Array, labels: Int32Array): number {
  return predictions.reduce((wrong, prediction, i) => wrong + (prediction === labels[i] ? 0 : 1), 0);
}
