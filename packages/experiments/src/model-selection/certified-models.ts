import {
  adaboost,
  certify,
  deepCascadePerceptron,
  deepCascadeSvm,
  forest,
  type Learner,
  perceptron,
  stump,
  svm,
} from "vouch";
import { defineTask, fitEncoder, Sample } from "vouch/learning";
import { countErrors, type PlainRows, receivedRows, type TrainingRows } from "../labelled-rows.js";

/** The learners that certify themselves from their training, as the tables call them. */
export const certifyingLearners = [
  "stump",
  "adaboost, 10 rounds",
  "adaboost, 100 rounds",
  "perceptron, linear",
  "perceptron, degree 2",
  "svm, linear",
  "svm, rbf",
  "deep-cascade-perceptron",
  "deep-cascade-svm",
  "forest",
] as const;

/** One of `certifyingLearners`. */
export type CertifyingLearner = (typeof certifyingLearners)[number];

/** Cascades of two levels and degrees up to 2: deeper ones of higher degrees take minutes, and are certified by less. */
const cascade = { degrees: [1, 2], maxDepth: 2, gammas: [0.01] };

const learners: Readonly<Record<CertifyingLearner, () => Learner>> = {
  stump: () => stump(),
  "adaboost, 10 rounds": () => adaboost({ rounds: 10 }),
  "adaboost, 100 rounds": () => adaboost({ rounds: 100 }),
  "perceptron, linear": () => perceptron({ kernel: "linear" }),
  "perceptron, degree 2": () => perceptron({ degree: 2 }),
  "svm, linear": () => svm({ kernel: "linear" }),
  "svm, rbf": () => svm(),
  "deep-cascade-perceptron": () => deepCascadePerceptron(cascade),
  "deep-cascade-svm": () => deepCascadeSvm(cascade),
  forest: () => forest(),
};

/** A learner and the rows to train and to test it on. */
export interface CertifiedModelInput {
  readonly learner: CertifyingLearner;
  readonly training: PlainRows;
  readonly test: PlainRows;
  readonly confidence: number;
}

/** What a model says of itself, and how it does. */
export interface CertifiedModel {
  readonly learner: CertifyingLearner;
  readonly trainingError: number;
  readonly testError: number;
  /** The bounds that hold, in the order in which `certify` gives them; at most 1. */
  readonly bounds: { readonly name: string; readonly value: number }[];
}

/** Trains a learner on rows, asks the model what its training proves, and tests it on others. */
export const certifiedModelTask = defineTask(
  "experiments/certified-model",
  async ({ learner: name, training, test, confidence }: CertifiedModelInput): Promise<CertifiedModel> => {
    const learner = learners[name]();
    const [first, second] = [receivedRows(training), receivedRows(test)];
    const encoder = fitEncoder(first.features, first, learner.encoding);
    const sampleOf = ({ features, labels, classes }: TrainingRows) =>
      new Sample({ features: encoder.encode(features), labels, classes, featureNames: encoder.featureNames });
    const sample = sampleOf(first);
    const model = await learner.fit(sample);
    const errorOn = ({ features, labels, rows }: typeof sample) =>
      countErrors(model.predict(features), labels) / rows;
    return {
      learner: name,
      trainingError: errorOn(sample),
      testError: errorOn(sampleOf(second)),
      bounds: certify({ card: {}, model }, { confidence })
        .filter(({ holds }) => holds)
        .map(({ name, value }) => ({ name, value: Math.min(1, value) })),
    };
  },
  import.meta.url,
);
