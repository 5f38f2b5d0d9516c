import { type Labelled, type Learner, type NetworkModel, type Run, sae, selectRows } from "vouch";
import type { Matrix, Random } from "vouch/learning";
import { countErrors, TrialRows } from "vouch/select";

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

/** Numbers of epochs. */
export interface NetworkTraining {
  readonly pretrainEpochs: number;
  readonly epochs: number;
}

/** Makes stacked autoencoders as in §5.4.2: narrow, without noise, pre-trained in batches of 100, or less below 5,000 rows. */
export function networkLearner(
  layers: Architecture,
  { pretrainEpochs, epochs }: NetworkTraining,
): Learner<NetworkModel, Matrix> {
  return sae({ layers: [...layers], noise: 0, pretrainEpochs, epochs, patience: 0 });
}

/** Training and test rows of two digits. */
export interface DigitPair {
  readonly digits: readonly [number, number];
  readonly training: Labelled;
  readonly test: Labelled;
}

/** A pair of digits with the labels of a known network. */
interface NetworkProblem extends DigitPair {
  readonly architecture: Architecture;
  /** Error of that network on the real digits of the test rows. */
  readonly realError: number;
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
 * Makes an oracle problem for networks (§5.1.1): a network with one or two hidden layers of random sizes learns to distinguish
 * the digits; then its predictions become the labels of both parts. It has its own seed, because a candidate that starts from
 * the same weights would find the same network.
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
  const learner: Learner = networkLearner(architecture, training);
  const { train, test } = await new TrialRows({ data: pair.training, test: pair.test }).encode(
    learner.encoding,
    own,
  );
  const model = await learner.fit(train, own);
  const labels = model.predict(test.features);
  return {
    ...pair,
    architecture,
    realError: countErrors(labels, pair.test.labels) / labels.length,
    training: { ...pair.training, labels: model.predict(train.features) },
    test: { ...pair.test, labels },
  };
}
