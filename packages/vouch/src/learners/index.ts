import { didYouMean } from "../runtime/names.js";
import { VouchError } from "../runtime/vouch-error.js";
import { adaboostDefinition } from "./adaboost/adaboost.js";
import { boostedTreesDefinition } from "./boosted-trees/boosted-trees.js";
import { deepCascadeDefinition } from "./cascade/deep-cascade.js";
import { deepCascadePerceptronDefinition, deepCascadeSvmDefinition } from "./cascade/kernel-cascades.js";
import type {
  CascadeForestOptions,
  GcForestOptions,
  MddfOptions,
} from "./deep-forest/deep-forest-options.js";
import { type DeepForestLearner, deepForestLearners } from "./deep-forest/deep-forests.js";
import { forestDefinition, randomTreesDefinition } from "./forest/forest.js";
import { relaxedHierarchyDefinition } from "./hierarchy/relaxed-hierarchy.js";
import type { Learner, LearnerDefinition } from "./learner.js";
import { linearSvmDefinition } from "./linear/linear-svm.js";
import { majorityDefinition } from "./majority/majority.js";
import type { MulticlassOptions } from "./multiclass/base-learner.js";
import { type MulticlassLearner, multiclassLearners } from "./multiclass/multiclass.js";
import { dbnDefinition } from "./net/dbn.js";
import { mlpDefinition } from "./net/mlp.js";
import { saeDefinition } from "./net/sae.js";
import { perceptronDefinition } from "./perceptron/perceptron.js";
import { stumpDefinition } from "./stump/stump.js";
import { svmDefinition } from "./svm/svm.js";

/** Learners that are made of others, which they find here by name. */
const schemes = multiclassLearners(learnerNamed);
const deepForests = deepForestLearners(learnerNamed);

/** A machine for each pair of classes, made by any learner for two classes; they vote. */
export const oneVsOne: (options?: MulticlassOptions) => MulticlassLearner = schemes.oneVsOne;

/** A machine for each class against all others, made by any learner for two classes. */
export const oneVsRest: (options?: MulticlassOptions) => MulticlassLearner = schemes.oneVsRest;

/** A machine for each pair of classes, of which those are asked that a row meets on its way through a DAG. */
export const dagSvm: (options?: MulticlassOptions) => MulticlassLearner = schemes.dagSvm;

/**
 * casForest: a cascade of forests in which the last layer predicts. As with all deep forests, `estimators` are further members
 * of the layers: any learners that give probabilities. With a learner of your own among them the model works as any other, but
 * its file cannot be loaded.
 */
export const cascadeForest: (
  options?: CascadeForestOptions,
  estimators?: readonly Learner[],
) => DeepForestLearner = deepForests.cascadeForest;

/** gcForest: windows scan images or sequences before the cascade. */
export const gcForest: (options?: GcForestOptions, estimators?: readonly Learner[]) => DeepForestLearner =
  deepForests.gcForest;

/** mdDF: an additive cascade of forests whose weights follow the margin distribution. */
export const mddf: (options?: MddfOptions, estimators?: readonly Learner[]) => DeepForestLearner =
  deepForests.mddf;

/** The task that trains the machines of the schemes on threads. */
export const multiclassMachineTask = schemes.machineTask;

/** Every kind of learner, simplest first, with its name, summary and options: the command line and model files know them from here. */
export const learners: readonly LearnerDefinition[] = [
  majorityDefinition,
  stumpDefinition,
  adaboostDefinition,
  perceptronDefinition,
  linearSvmDefinition,
  svmDefinition,
  relaxedHierarchyDefinition,
  forestDefinition,
  randomTreesDefinition,
  boostedTreesDefinition,
  mlpDefinition,
  saeDefinition,
  dbnDefinition,
  deepCascadeDefinition,
  deepCascadePerceptronDefinition,
  deepCascadeSvmDefinition,
  ...deepForests.definitions,
  ...schemes.definitions,
];

/** What learners of the same kind are called elsewhere. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = {
  "random-forest": "forest",
  rf: "forest",
  "gradient-boosting": "boosted-trees",
  gbm: "boosted-trees",
  xgboost: "boosted-trees",
  lightgbm: "boosted-trees",
  catboost: "boosted-trees",
  "neural-network": "mlp",
  nn: "mlp",
  svc: "svm",
  "linear-svc": "linear-svm",
  "deep-forest": "gcforest",
  baseline: "majority",
};

/** The kind of learner of that name; a name that none has is an error that suggests the nearest one. */
export function learnerNamed(name: string): LearnerDefinition {
  const found = learners.find((learner) => learner.name === name);
  if (found) return found;
  const names = learners.map((learner) => learner.name);
  const elsewhere = name.toLowerCase().replaceAll(/[ _]/g, "-");
  const known = Object.hasOwn(NAMES_ELSEWHERE, elsewhere) ? NAMES_ELSEWHERE[elsewhere] : name;
  const near = didYouMean(known, names);
  const all = `Learners are ${names.join(", ")}.`;
  throw new VouchError("learner/unknown", `There is no learner "${name}".`, {
    hint: near === undefined ? all : `${near} ${all}`,
  });
}
