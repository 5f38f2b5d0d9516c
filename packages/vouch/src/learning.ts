/**
 * Learn from encoded samples, below tables and classifiers: encoders, samples, matrices, random numbers, tasks on threads and the
 * solvers inside learners, for those who write learners, experiments or benchmarks.
 *
 * @packageDocumentation
 */

// From tables to samples

export { binLike, binMatrix } from "./data/bin-matrix.js";
export { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./data/binned-columns.js";
export {
  type BinnedEncoding,
  type Encoder,
  type Encoding,
  fitEncoder,
  type NumericEncoding,
  type OnNotice,
} from "./data/encoder.js";
export type { Fingerprint, Overlap } from "./data/fingerprint.js";
export { type Features, Sample, type SampleParts, type Selectable } from "./data/sample.js";
export type { Target } from "./data/target.js";
export { type FloatArray, Matrix } from "./numeric/matrix.js";
export { type SparseParts, SparseRows } from "./numeric/sparse-rows.js";

// What learners, options and models say of themselves

export type { Evaluations } from "./learning/evaluations.js";
export type { Growth } from "./learning/learner.js";
export type { Complexity, LayerReconstruction, Vote } from "./learning/model.js";
export { describeOptions, type OptionDescription, parseOptions } from "./learning/options.js";
export { parseSettings, settingsOf, settingText, usualBase } from "./learning/settings.js";
export type { ClassifierParts } from "./model/classifier.js";
export type { State, Tensor, TensorData } from "./state/state.js";

// Runs, random numbers and tasks

export { checkpoint, completeRun } from "./learning/run.js";
export { Random } from "./numeric/random.js";
export type { MapOptions, Task, TaskContext } from "./parallel/executor.js";
export { defineTask } from "./parallel/task.js";

// Solvers, and what models are made of

export type { Layer, LayerFacts } from "./deepforest/index.js";
export type { MeasuredLoss, OutOfBag, OutOfBagLosses } from "./forest/index.js";
export { type Colour, type Colouring, type ColouringProblem, optimalColouring } from "./hierarchy/index.js";
export type { Hyperplanes, LinearLoss } from "./linear-svm/index.js";
export type { MulticlassOptions } from "./multiclass/index.js";
export {
  type Epoch,
  type NetworkWeights,
  type PretrainedLayer,
  type TrainedNetwork,
  type TrainingPlan,
  trainNetwork,
} from "./net/index.js";
export { type GramOptions, gram, gramOnThreads } from "./numeric/gram.js";
