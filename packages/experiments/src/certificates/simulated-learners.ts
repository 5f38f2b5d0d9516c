import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { deepCascadePerceptron } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import { mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import { relaxedHierarchy } from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { linearSvm } from "@vouch/core/internal/learners/linear/linear-svm";
import { majority } from "@vouch/core/internal/learners/majority/majority";
import { oneVsOne } from "@vouch/core/internal/learners/multiclass/multiclass";
import { mlp } from "@vouch/core/internal/learners/net/mlp";
import { perceptron } from "@vouch/core/internal/learners/perceptron/perceptron";
import { stump } from "@vouch/core/internal/learners/stump/stump";
import { svm } from "@vouch/core/internal/learners/svm/svm";

/** A learner of the simulation. */
interface SimulatedLearnerEntry {
  make(): Learner;
  /** Share of the runs: smaller if fits take long, or if another learner has the same certificates. */
  readonly share: number;
  /** Supported number of classes. */
  readonly classes: "two" | "any" | "more";
  /** Present if costs, Brier scores, log losses and AUC are certified, whose bounds take longer than the fit. */
  readonly losses?: true;
  /** Present if it is trained only on independent rows, because other learners have the same held-out certificates. */
  readonly independentOnly?: true;
}

/** Makes a learner of the simulation for its certificates from the training rows. */
const forTrainingRows = (
  make: () => Learner,
  { share = 1, classes = "any" }: Partial<Pick<SimulatedLearnerEntry, "share" | "classes">> = {},
): SimulatedLearnerEntry => ({ make, share, classes, independentOnly: true });

/**
 * Learners of the simulation, which together have every certificate. They are fast because they have few rounds and
 * trees.
 */
const learners = {
  majority: { make: () => majority(), share: 1, classes: "any" },
  "boosted-trees": { make: () => boostedTrees({ rounds: 5 }), share: 1, classes: "any", losses: true },
  svm: { make: () => svm(), share: 1, classes: "any" },
  stump: forTrainingRows(() => stump()),
  adaboost: forTrainingRows(() => adaboost({ rounds: 5 }), { share: 0.2 }),
  perceptron: forTrainingRows(() => perceptron(), { share: 0.2, classes: "two" }),
  forest: forTrainingRows(() => forest({ trees: 10 })),
  "forest of halves": forTrainingRows(() => forest({ trees: 10, halves: true })),
  "linear-svm": forTrainingRows(() => linearSvm(), { share: 0.2 }),
  "one-vs-one": forTrainingRows(() => oneVsOne(), { classes: "more" }),
  "relaxed-hierarchy": forTrainingRows(() => relaxedHierarchy(), { share: 0.2 }),
  mlp: forTrainingRows(() => mlp({ layers: [2], epochs: 2 }), { share: 0.2 }),
  "mlp with a prior": forTrainingRows(() => mlp({ layers: [2], epochs: 2, patience: 0, prior: 0.5 }), {
    share: 0.2,
  }),
  "deep-cascade-perceptron": forTrainingRows(
    () => deepCascadePerceptron({ degrees: [1], maxDepth: 2, gammas: [0.01] }),
    { share: 0.2, classes: "two" },
  ),
  mddf: forTrainingRows(() => mddf(), { share: 0.02 }),
} satisfies Readonly<Record<string, SimulatedLearnerEntry>>;

/** The name of a learner of the simulation. */
export type SimulatedLearner = keyof typeof learners;

/** The learners of the simulation by name. */
export const simulatedLearners: Readonly<Record<SimulatedLearner, SimulatedLearnerEntry>> = learners;

/** The names of all learners of the simulation. */
export const simulatedLearnerNames = Object.keys(learners).filter(
  (name): name is SimulatedLearner => name in learners,
);
