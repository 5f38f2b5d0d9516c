import { type Labelled, type Learner, type NetworkModel, type Run, sae } from "vouch";
import { fitEncoder, type Matrix, type Random, Sample } from "vouch/learning";
import { selectRows } from "../labelled-rows.js";

/** Units of the hidden layers. */
export type Architecture = readonly number[];

/** The sizes that true networks and candidates have (§5.1.1). */
const FIRST = [80, 100, 120];
const SECOND = [8, 10, 12];

/** The twelve candidates, those with fewer parameters first (§5.1.2). */
export const ARCHITECTURES: readonly Architecture[] = FIRST.flatMap((first) => [
  [first],
  ...SECOND.map((second) => [first, second]),
]);

/** How networks are trained. */
export interface NetworkTraining {
  readonly pretrainEpochs: number;
  readonly epochs: number;
}

/** Stacked auto-encoders as in §5.4.2: narrow and plain, pre-trained in batches of 100, or fewer of fewer than 5,000 rows. */
export function networkLearner(
  layers: Architecture,
  { pretrainEpochs, epochs }: NetworkTraining,
): Learner<NetworkModel, Matrix> {
  return sae({ layers: [...layers], noise: 0, pretrainEpochs, epochs, patience: 0 });
}

/** Rows to train on and rows to measure errors on. */
export interface DigitPair {
  readonly digits: readonly [number, number];
  readonly training: Labelled;
  readonly test: Labelled;
}

/** A pair of digits whose labels come from a network that is known. */
export interface NetworkProblem extends DigitPair {
  readonly architecture: Architecture;
  /** Share of the test rows of which that network does not tell the real digit. */
  readonly realError: number;
}

/** The rows of two digits; at most so many to train on, the first of a random order. */
export function digitPair(
  training: Labelled,
  test: Labelled,
  digits: readonly [number, number],
  most: number,
  random: Random,
): DigitPair {
  const ofPair = ({ labels, classes }: Labelled) =>
    Int32Array.from(labels.keys()).filter((row) => digits.includes(Number(classes[labels[row]])));
  const chosen = random.shuffle(ofPair(training)).slice(0, most).sort();
  return {
    digits,
    training: relabelled(training, chosen, digits),
    test: relabelled(test, ofPair(test), digits),
  };
}

/** The given rows with the classes of a pair. */
function relabelled(from: Labelled, rows: Int32Array, digits: readonly number[]): Labelled {
  const selected = selectRows(from, rows);
  const labels = selected.labels.map((label) => digits.indexOf(Number(from.classes[label])));
  return { ...selected, labels, classes: digits.map(String) };
}

/**
 * An oracle for networks (§5.1.1): a network of one or two hidden layers, of sizes at random, learns to tell the digits
 * apart; then its own outputs become the labels of both parts. It has a seed of its own: a candidate that began with the same
 * weights would find its way back to it.
 */
export async function networkProblem(
  pair: DigitPair,
  training: NetworkTraining,
  random: Random,
  run: Run,
): Promise<NetworkProblem> {
  const first = FIRST[random.integer(FIRST.length)];
  const second = SECOND[random.integer(SECOND.length)];
  const architecture = random.integer(2) === 0 ? [first] : [first, second];
  const own = { ...run, seed: random.bits() };
  const { predict } = await fittedNetwork(networkLearner(architecture, training), pair.training, own);
  const labels = predict(pair.test);
  return {
    ...pair,
    architecture,
    realError: share(labels, pair.test.labels),
    training: { ...pair.training, labels: predict(pair.training) },
    test: { ...pair.test, labels },
  };
}

/** The error on the test rows of a network of each architecture that was trained on all training rows. */
export async function testErrors(
  { training, test }: DigitPair,
  how: NetworkTraining,
  run: Run,
): Promise<number[]> {
  const errors: number[] = [];
  const rows = encoded(training);
  for (const architecture of ARCHITECTURES) {
    const model = await networkLearner(architecture, how).fit(rows.sample, run);
    errors.push(share(model.predict(rows.encode(test)), test.labels));
    run.progress({ stage: "errors on the test rows", done: errors.length, total: ARCHITECTURES.length });
  }
  return errors;
}

async function fittedNetwork(learner: Learner<NetworkModel, Matrix>, training: Labelled, run: Run) {
  const { sample, encode } = encoded(training);
  const model = await learner.fit(sample, run);
  return { predict: (rows: Labelled) => model.predict(encode(rows)) };
}

/** Training rows as a sample, and an encoder of other rows that was fitted to them. */
function encoded(training: Labelled) {
  const { features, labels, classes } = training;
  const encoder = fitEncoder(features, training, { kind: "numeric", standardise: true, precision: "f32" });
  const sample = new Sample({ features: encoder.encode(features), labels, classes });
  return { sample, encode: (rows: Labelled) => encoder.encode(rows.features) };
}

/** Share of the rows in which two lists of labels differ. */
function share(predictions: Int32Array, labels: Int32Array): number {
  return predictions.reduce((wrong, label, i) => wrong + Number(label !== labels[i]), 0) / labels.length;
}
