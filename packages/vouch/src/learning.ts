/**
 * Define custom learners; encoders, samples, matrices, random numbers, tasks on threads and the solvers inside learners: for
 * learners outside the library, experiments and benchmarks.
 *
 * @packageDocumentation
 */
// From tables to samples

export { binLike, binMatrix } from "./encode/bin-matrix.js";
export { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./encode/binned-columns.js";
export type { Origin } from "./encode/derived-columns.js";
export {
  type BinnedEncoding,
  type Encoder,
  type Encoding,
  type JointEncoding,
  labelledSample,
  type NumericEncoding,
  type OnNotice,
  type SingleEncoding,
  type SparseEncoding,
} from "./encode/encoder.js";
export type {
  BinnedSteps,
  DerivedSteps,
  EncodingSteps,
  FeatureCells,
  FlagCells,
  JointSteps,
  NumberCells,
  NumericSteps,
} from "./encode/encoding-steps.js";
export { fitEncoder } from "./encode/fit-encoder.js";
export { JointFeatures, type SingleFeatures } from "./encode/joint-features.js";
export { type EncodingPremise, encodingPremise, type LearnedEncoding } from "./encode/learned-encoding.js";
export { type Features, Sample, type SampleParts, type Selectable } from "./encode/sample.js";
export { type FloatArray, Matrix } from "./runtime/matrix.js";
export { type SparseParts, SparseRows } from "./runtime/sparse-rows.js";
export type { Fingerprint, Overlap } from "./table/fingerprint.js";
export type { Target } from "./table/target.js";

// Explanations

export { Background } from "./evaluate/background.js";
export {
  type EffectOptions,
  type EffectPoint,
  type PartialEffect,
  partialEffects,
} from "./evaluate/effects.js";
export { type TextEffect, type WordEffect, wordEffects } from "./evaluate/word-effects.js";

// Custom learners

export { defineLearner } from "./learners/frame.js";
export type {
  DefinedLearner,
  Fitted,
  FittedModel,
  LearnerDefinition,
} from "./learners/learner-definition.js";
export type { TrainingSample } from "./learners/training-sample.js";
export {
  checked,
  converted,
  type Fields,
  list,
  object,
  optional,
  type Part,
  type PartsOf,
  variant,
} from "./runtime/parts.js";
export {
  float32,
  float64,
  int8,
  int32,
  matrix,
  records,
  shares,
  uint8,
} from "./runtime/tensor-parts.js";

// Options and models

export {
  confidencesOf,
  type DecidedRows,
  type Decision,
  decided,
  decidedScoring,
} from "./evaluate/decision.js";
export { predictionsBy } from "./evaluate/decision-rule.js";
export type { AdditiveScore } from "./learners/additive.js";
export type { StepwiseGrowth } from "./learners/learner.js";
export type { Complexity, LayerReconstruction, TrainingErrors, Vote } from "./learners/model.js";
export { parseOptions } from "./learners/options.js";
export type { Evaluations } from "./learners/scores.js";
export type { State, Tensor, TensorData } from "./runtime/state.js";
export type { AnswerEvidence } from "./train/answers.js";
export type { ClassifierParts } from "./train/classifier.js";

// Runs, random numbers and tasks

export { assessRows, classifyRows } from "./learners/score-rows.js";
export type { MapOptions, Task, TaskContext } from "./runtime/executor.js";
export { Random } from "./runtime/random.js";
export { checkpoint, completeRun } from "./runtime/run.js";
export { definePortableTask, defineTask } from "./runtime/task.js";
export { type Sha256, sha256 } from "./train/sha256.js";

// Parts of models

export type { StumpRule } from "./learners/adaboost/stump-voters.js";
export type { CascadeLevel, Gate, LeafClassifier } from "./learners/cascade/cascade-level.js";
export { cascadeBound, leafOf } from "./learners/cascade/cascade-model.js";
export { gateLimit } from "./learners/cascade/near-gates.js";
export type { FittedMember, Layer, Scan } from "./learners/deep-forest/deep-forest-parts.js";
export { firstLayers } from "./learners/deep-forest/deep-forests.js";
export { binValues } from "./learners/deep-forest/layer-input.js";
export type { EnsembleModel } from "./learners/ensemble/ensemble.js";
export type { MeasuredLoss, OutOfBag, OutOfBagLosses } from "./learners/forest/out-of-bag-losses.js";
export type { HierarchyNode, NodeVisit, RowPaths } from "./learners/hierarchy/graph.js";
export { hierarchyPaths } from "./learners/hierarchy/relaxed-hierarchy.js";
export type { Kernel } from "./learners/kernel/kernel.js";
export type { KernelExpansion } from "./learners/kernel/kernel-expansion.js";
export type { Hyperplanes } from "./learners/linear/hyperplanes.js";
export type { BinaryMachines } from "./learners/multiclass/machines.js";
export type { PretrainedLayer } from "./learners/net/network.js";
export type { NetworkWeights } from "./learners/net/network-weights.js";
export type { Convergence } from "./learners/svm/convergence.js";
export type { OneVsOne } from "./learners/svm/pair-machines.js";
export type { TreeSet } from "./learners/tree/tree-set.js";
export { type TreeSetNode, treeSetNode } from "./learners/tree/tree-set-node.js";

// Solvers

export { fitEachGamma } from "./learners/cascade/cascade-learner.js";
export {
  type Colour,
  type Colouring,
  type ColouringProblem,
  optimalColouring,
} from "./learners/hierarchy/colouring.js";
export type { LinearLoss } from "./learners/linear/dual-coordinate-descent.js";
export { trainNetwork } from "./learners/net/train-network.js";
export type { Epoch, TrainedNetwork, TrainingPlan } from "./learners/net/training.js";
export { type GramOptions, gram, gramOnThreads } from "./runtime/gram.js";

// Records and model files of other programs

export { type CellKind, cellKind, columnFromCells } from "./table/raw-cells.js";
export { type RecordOptions, RecordReader } from "./table/record-reader.js";
export { packTrees, unpackTrees } from "./train/pack-trees.js";
