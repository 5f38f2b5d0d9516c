import type { Learner } from "@vouch/core/internal/learners/learner";
import type { NetworkModel } from "@vouch/core/internal/learners/net/network";
import { sae } from "@vouch/core/internal/learners/net/sae";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import type { Random } from "@vouch/core/internal/runtime/maths/random";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { type Labelled, selectRows } from "@vouch/core/internal/table/target";
import { TrialRows } from "@vouch/core/internal/validation/trial";

/** Units of the hidden layers. */
export type Architecture = readonly number[];

/** Sizes of true networks and candidates (§5.1.1). */
const FIRST = [80, 100, 120];
const SECOND = [8, 10, 12];

/** The twelve candidates, fewest parameters first (§5.1.2). */
export const ARCHITECTURES: readonly Architecture[] = FIRST.flatMap((first) => [
  [first],
  ...SECOND.map((second) => [first, second]),
]);

/** Numbers of rows and epochs. */
export interface NetworkTraining {
  /** Approximate number of rows of a problem. */
  readonly rows: number;
  readonly pretrainEpochs: number;
  readonly epochs: number;
}

/** Rows of a mini-batch, if an epoch has at least 50 batches (§5.4.2). */
const BATCH = 100;
const STEPS = 50;

/**
 * Creates stacked autoencoders as in §5.4.2: narrow, without noise, in batches of 100, or smaller ones below 5,000
 * rows. The thesis gives only the batches of pre-training; we use the same for the training that follows.
 */
export function networkLearner(
  layers: Architecture,
  { rows, pretrainEpochs, epochs }: NetworkTraining,
): Learner<NetworkModel, Matrix> {
  const batchSize = Math.max(10, Math.min(BATCH, Math.ceil(rows / STEPS)));
  return sae({ layers: [...layers], noise: 0, pretrainEpochs, epochs, patience: 0, batchSize });
}

/** Training and test rows of two digits. */
export interface DigitPair {
  readonly digits: readonly [number, number];
  readonly training: Labelled;
  readonly test: Labelled;
}

/** A known network, and its labels for a pair of digits. */
export interface TrueNetwork {
  /** Index of its architecture. */
  readonly truth: number;
  /** Its error on the real digits of the test rows. */
  readonly realError: number;
  /** Class index of each row. */
  readonly training: Int32Array;
  readonly test: Int32Array;
}

/** Selects the rows of two digits, with at most `most` random ones to train on. */
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

/** Returns the given rows with the classes of a pair. */
function relabelled(from: Labelled, rows: Int32Array, digits: readonly number[]): Labelled {
  const selected = selectRows(from, rows);
  const labels = selected.labels.map((label) => digits.indexOf(Number(from.classes[label])));
  return { ...selected, labels, classes: digits.map(String) };
}

/**
 * Trains the true network of an oracle problem (§5.1.1). A network with one or two hidden layers of random sizes learns
 * to distinguish the digits; its predictions become the labels of both parts. It has its own seed, because a candidate
 * that starts from the same weights would find the same network.
 */
export async function trueNetwork(
  pair: DigitPair,
  training: NetworkTraining,
  random: Random,
  run: Run,
): Promise<TrueNetwork> {
  const first = FIRST[random.integer(FIRST.length)];
  const second = SECOND[random.integer(SECOND.length)];
  const architecture = random.integer(2) === 0 ? [first] : [first, second];
  const own = { ...run, seed: random.bits() };
  const learner: Learner = networkLearner(architecture, training);
  const rows = new TrialRows({ data: pair.training, test: pair.test });
  const { train, test } = await rows.encode(learner.encoding, own);
  const model = await learner.fit(train, own);
  const labels = model.predict(test.features);
  return {
    truth: ARCHITECTURES.findIndex((layers) => layers.join() === architecture.join()),
    realError: countErrors(labels, pair.test.labels) / labels.length,
    training: model.predict(train.features),
    test: labels,
  };
}
