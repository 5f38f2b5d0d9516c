import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { deepCascadePerceptron, deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { mlp } from "@vouch/core/internal/learners/net/mlp";
import { perceptron } from "@vouch/core/internal/learners/perceptron/perceptron";
import { stump } from "@vouch/core/internal/learners/stump/stump";
import { svm } from "@vouch/core/internal/learners/svm/svm";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { Table } from "@vouch/core/internal/table/table";
import { trainClassifier } from "@vouch/core/internal/train/train";
import type { PlainRows } from "../datasets.js";

/** Learners with certificates from training rows, by their names in the tables. */
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
  "forest, halves",
  "mlp",
  "mlp, prior",
] as const;

/** One of `certifyingLearners`. */
export type CertifyingLearner = (typeof certifyingLearners)[number];

/** Cascades of two levels and degrees up to 2, because larger ones take minutes and have weaker certificates. */
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
  "forest, halves": () => forest({ halves: true }),
  mlp: () => mlp(),
  "mlp, prior": () => mlp({ prior: 0.5 }),
};

/** A learner, and rows to train and test it on. */
export interface CertifiedModelInput {
  readonly learner: CertifyingLearner;
  readonly training: PlainRows;
  readonly test: PlainRows;
  readonly confidence: number;
}

/** A bound from the training rows. */
interface TrainingBound {
  readonly name: string;
  /** At most 1. */
  readonly value: number;
  /** False premises; if there are any, the bound proves nothing. */
  readonly violated: string[];
}

/** Bounds and errors of a model. */
interface CertifiedModel {
  readonly learner: CertifyingLearner;
  readonly trainingError: number;
  readonly testError: number;
  /** In the order of `certify`, with the bound to quote first. */
  readonly bounds: TrainingBound[];
}

/** Trains a learner, certifies its model from the training rows alone, and tests it on other rows. */
export const certifiedModelTask = definePortableTask(
  "experiments/certified-model",
  async ({ learner, training, test, confidence }: CertifiedModelInput): Promise<CertifiedModel> => {
    const { target } = training;
    const trained = await trainClassifier(tableOf(training), learners[learner](), {
      target,
      confidence,
      calibrate: false,
    });
    return {
      learner,
      trainingError: trained.classifier.card.error.train,
      testError: trained.classifier.evaluate(tableOf(test)).error,
      bounds: trained.certificates.map(({ name, value, premises }) => ({
        name,
        value: Math.min(1, value),
        violated: premises.filter(({ status }) => status === "violated").map(({ text }) => text),
      })),
    };
  },
  import.meta.url,
);

/** Makes a table with the target as its last column. */
function tableOf({ name, columns, labels, target, classes }: PlainRows): Table {
  const labelColumn = { kind: "categorical", name: target, codes: labels, levels: classes } as const;
  return new Table(name, labels.length, [...columns, labelColumn]);
}
