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
import { completeRun, defineTask } from "vouch/learning";
import { countErrors, TrialRows } from "vouch/select";
import { labelledRows, type PlainRows } from "../datasets.js";

/** The learners with certificates from their training rows, by their names in the tables. */
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

/** Cascades of two levels and degrees up to 2: larger ones take minutes and have weaker certificates. */
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

/** A learner, and rows to train and test it on. */
export interface CertifiedModelInput {
  readonly learner: CertifyingLearner;
  readonly training: PlainRows;
  readonly test: PlainRows;
  readonly confidence: number;
}

/** Bounds and errors of a model. */
interface CertifiedModel {
  readonly learner: CertifyingLearner;
  readonly trainingError: number;
  readonly testError: number;
  /** The bounds that hold, in the order of `certify`; at most 1. */
  readonly bounds: { readonly name: string; readonly value: number }[];
}

/** Trains a learner, certifies its model from the training, and tests it on other rows. */
export const certifiedModelTask = defineTask(
  "experiments/certified-model",
  async ({ learner: name, training, test, confidence }: CertifiedModelInput): Promise<CertifiedModel> => {
    const learner = learners[name]();
    const division = { data: labelledRows(training), test: labelledRows(test) };
    const encoded = await new TrialRows(division).encode(learner.encoding, completeRun());
    const model = await learner.fit(encoded.train);
    const errorOn = ({ features, labels, rows }: typeof encoded.test) =>
      countErrors(model.predict(features), labels) / rows;
    return {
      learner: name,
      trainingError: errorOn(encoded.train),
      testError: errorOn(encoded.test),
      bounds: certify({ card: {}, model }, { confidence })
        .filter(({ holds }) => holds)
        .map(({ name, value }) => ({ name, value: Math.min(1, value) })),
    };
  },
  import.meta.url,
);
