import { type AdaBoostModel, adaboost, type Run, type Table } from "vouch";
import { fitEncoder, type Matrix, Sample } from "vouch/learning";
import type { TrainingRows } from "./labelled-rows.js";

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
