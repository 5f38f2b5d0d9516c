/**
 * The public API of vouch, for Node and browsers. Files are in `vouch/node`.
 *
 * @packageDocumentation
 */
export { BoostedTreesModel, boostedTrees } from "./boosted-trees/index.js";
export { AdaBoostModel, AdaBoostTreesModel, adaboost } from "./boosting/index.js";
export { type AdaBoostFiniteEvidence, adaBoostFinite } from "./bounds/adaboost-finite.js";
export {
  type AdaBoostVcReading,
  adaBoostVc,
  adaBoostVcPenalty,
  type CommitteeSize,
} from "./bounds/adaboost-vc.js";
export { bestOf } from "./bounds/best-of.js";
export {
  type CascadeLeaf,
  type LeafCounts,
  type ProductLeaf,
  productLeaf,
  realValuedProductLeaf,
} from "./bounds/cascade-leaf.js";
export { cascadeObjective, leafPenalty } from "./bounds/cascade-objective.js";
export type { Certificate, Premise } from "./bounds/certificate.js";
export { type Certifiable, type CertifyOptions, certify } from "./bounds/certify.js";
export { type CascadeFacts, deepCascadeCertificates } from "./bounds/deep-cascade-certificates.js";
export { deepCascadeDirect } from "./bounds/deep-cascade-direct.js";
export { deepCascadeEquation2 } from "./bounds/deep-cascade-equation-2.js";
export { deepCascadeEquation6 } from "./bounds/deep-cascade-equation-6.js";
export { deepCascadeEquation7 } from "./bounds/deep-cascade-equation-7.js";
export { deepCascadeEquation8 } from "./bounds/deep-cascade-equation-8.js";
export { deepCascadeEquation9 } from "./bounds/deep-cascade-equation-9.js";
export type { CascadeEvidence } from "./bounds/deep-cascade-evidence.js";
export { deepCascadeTheorem1, type Theorem1Evidence } from "./bounds/deep-cascade-theorem-1.js";
export { type FiniteClassEvidence, finiteClass } from "./bounds/finite-class.js";
export {
  type ForestEvidence,
  forestFirstOrder,
  forestTandem,
  type OutOfBagLoss,
  type OutOfBagTandemLoss,
  voteDivergence,
} from "./bounds/forest-votes.js";
export { logCascadeGrowth } from "./bounds/growth-cascade.js";
export { type GrowthEvidence, growthFunction, growthPenalty } from "./bounds/growth-function.js";
export { type ExactGrowthEvidence, growthFunctionExact } from "./bounds/growth-function-exact.js";
export { logHalfSpaceGrowth } from "./bounds/growth-half-spaces.js";
export { logStumpGrowth } from "./bounds/growth-stump.js";
export { logCommitteeGrowth } from "./bounds/growth-stump-committee.js";
export { logTreeCommitteeGrowth, logTreeGrowth, type NumericTrees } from "./bounds/growth-tree-committee.js";
export { logVoteGrowth } from "./bounds/growth-votes.js";
export type { HeldOut, HeldOutEvidence } from "./bounds/held-out.js";
export { heldOutBinomial } from "./bounds/held-out-binomial.js";
export { heldOutHoeffding } from "./bounds/held-out-hoeffding.js";
export { type KernelMachineFacts, kernelMachineCertificates } from "./bounds/kernel-machine-certificates.js";
export { lemma1Product } from "./bounds/lemma-1-product.js";
export { lemma2Product } from "./bounds/lemma-2-product.js";
export { lemma3SignedProduct, lemma3UnitProduct } from "./bounds/lemma-3-product.js";
export { marginFinite } from "./bounds/margin-finite.js";
export { type MarginForestFacts, type MarginForestLayer, marginForestBound } from "./bounds/margin-forest.js";
export { type MarginStatistics, marginStatistics } from "./bounds/margin-statistics.js";
export { type MarginEvidence, marginVc, smallestMargin } from "./bounds/margin-vc.js";
export { monomialColumns } from "./bounds/monomials.js";
export {
  type LayerNorms,
  type NetworkMarginFacts,
  networkComplexity,
  networkMargin,
} from "./bounds/network-margin.js";
export { type PacBayes, pacBayesLoss } from "./bounds/pac-bayes.js";
export {
  exactRademacher,
  type MonteCarloOptions,
  monteCarloRademacher,
  oneByOne,
  type RademacherEstimate,
  type Suprema,
  type Supremum,
} from "./bounds/rademacher.js";
export { constantSupremum } from "./bounds/rademacher-constants.js";
export {
  kernelBallComplexity,
  kernelBallMagnitude,
  kernelBallSupremum,
} from "./bounds/rademacher-kernel-ball.js";
export { thresholdSuprema } from "./bounds/rademacher-thresholds.js";
export {
  type HierarchyFacts,
  type HierarchyNodeFacts,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "./bounds/relaxed-hierarchy.js";
export { type CompressionEvidence, sampleCompression } from "./bounds/sample-compression.js";
export { logSauer, logSauerPower } from "./bounds/sauer.js";
export {
  type StumpCommitteeFacts,
  type StumpFacts,
  stumpCertificates,
  stumpCommitteeCertificates,
} from "./bounds/stump-certificates.js";
export type { TrainingEvidence } from "./bounds/training-certificate.js";
export { type TreeCommitteeFacts, treeCommitteeCertificates } from "./bounds/tree-committee-certificates.js";
export { logFamilySizes, logTreeCount, type TreeBlock, type TreeFamily } from "./bounds/tree-count.js";
export { type MachineEvidence, unionOfMachines } from "./bounds/union-of-machines.js";
export { type VcEvidence, vcBound, vcPenalty } from "./bounds/vc.js";
export {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "./bounds/vc-complexity.js";
export {
  integerVcDimension,
  type LayeredNetwork,
  layeredComputation,
  layeredParameters,
  layeredVcDimension,
} from "./bounds/vc-dimension-layers.js";
export {
  type Computation,
  computationVcDimension,
  type TwoLayerNetwork,
  twoLayerParameters,
  twoLayerVcDimension,
} from "./bounds/vc-dimension-network.js";
export { polynomialVcDimension } from "./bounds/vc-dimension-polynomial.js";
export {
  stumpVcDimension,
  stumpVcDimensionClosedForm,
  stumpVcDimensionEmpirical,
} from "./bounds/vc-dimension-stump.js";
export { treeVcDimension } from "./bounds/vc-dimension-tree.js";
export {
  type CascadeLearner,
  CascadeModel,
  deepCascade,
  deepCascadePerceptron,
  deepCascadeSvm,
} from "./cascade/index.js";
export * from "./data/index.js";
export {
  cascadeForest,
  type DeepForestLearner,
  DeepForestModel,
  gcForest,
  type Layer,
  type LayerFacts,
  mddf,
} from "./deepforest/index.js";
export { type ErrorCode, interrupted, VouchError } from "./error.js";
export {
  ForestModel,
  forest,
  type MeasuredLoss,
  type OutOfBag,
  type OutOfBagLosses,
  randomTrees,
} from "./forest/index.js";
export {
  type Colour,
  type Colouring,
  type ColouringProblem,
  optimalColouring,
  RelaxedHierarchyModel,
  relaxedHierarchy,
} from "./hierarchy/index.js";
export type { Evaluations } from "./learning/evaluations.js";
export type { Growth, Learner, LearnerDefinition } from "./learning/learner.js";
export type { Complexity, LayerReconstruction, Model, Vote } from "./learning/model.js";
export { describeOptions, type OptionDescription, parseOptions, parseSetting } from "./learning/options.js";
export {
  type FeatureImportance,
  type PermutationImportance,
  permutationImportance,
} from "./learning/permutation-importance.js";
export { dagSvm, learnerNamed, learners, oneVsOne, oneVsRest } from "./learning/registry.js";
export { checkpoint, completeRun, type Progress, type Run } from "./learning/run.js";
export { parseSettings, settingsOf, usualBase } from "./learning/settings.js";
export {
  Hyperplanes,
  type LinearLoss,
  type LinearProblem,
  LinearRows,
  type LinearSolution,
  type LinearSolverOptions,
  LinearSvmModel,
  linearSvm,
  solveLinearSvm,
} from "./linear-svm/index.js";
export { MajorityModel, majority } from "./majority/index.js";
export type { Card, TrainedCard } from "./model/card.js";
export { Classifier, type ClassifierParts } from "./model/classifier.js";
export { heldOutTest } from "./model/held-out-test.js";
export {
  exportLibsvm,
  importLibsvm,
  type LibsvmImportOptions,
  libsvmLabels,
  libsvmRows,
} from "./model/libsvm.js";
export { deserialise, serialise } from "./model/save.js";
export { type Training, type TrainOptions, trainClassifier } from "./model/train.js";
export { VERSION } from "./model/version.js";
export { type MulticlassLearner, MulticlassModel, type MulticlassOptions } from "./multiclass/index.js";
export {
  type AutoencoderPlan,
  dbn,
  type Epoch,
  type LayerHistory,
  mlp,
  NetworkModel,
  type NetworkWeights,
  type PretrainedLayer,
  type PretrainedStack,
  pretrainAutoencoders,
  pretrainRbms,
  type RbmPlan,
  sae,
  type TiedLayer,
  type TrainedNetwork,
  type TrainingPlan,
  trainNetwork,
} from "./net/index.js";
export {
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "./number-format.js";
export { type GramOptions, gram, gramOnThreads } from "./numeric/gram.js";
export { type FloatArray, Matrix } from "./numeric/matrix.js";
export { multiply, multiplyTransposed } from "./numeric/product.js";
export { Random } from "./numeric/random.js";
export { type SparseParts, SparseRows } from "./numeric/sparse-rows.js";
export { mean, standardDeviation } from "./numeric/statistics.js";
export { studentTail } from "./numeric/student-t.js";
export type { Executor, MapOptions, Task, TaskContext } from "./parallel/executor.js";
export { inlineExecutor } from "./parallel/inline.js";
export { hardwareThreads } from "./parallel/platform.js";
export { defineTask } from "./parallel/task.js";
export { type ThreadExecutor, threadExecutor } from "./parallel/threads.js";
export { PerceptronModel, perceptron } from "./perceptron/index.js";
export { agreementInWords, choiceOf } from "./selection/agreement.js";
export {
  byCrossValidation,
  byRacing,
  type Candidate,
  type Candidates,
  type Choice,
  type LearnerChoice,
} from "./selection/choose-learner.js";
export { type Compared, type CompareOptions, type Comparison, compare } from "./selection/compare.js";
export { changedOptions, conciseName } from "./selection/concise-names.js";
export type { Contender, Fate, RoundResult } from "./selection/contender.js";
export { correctedTTest, holm } from "./selection/corrected-t-test.js";
export { criteria, criterionNamed } from "./selection/criteria.js";
export type { Criterion, Judgement, Score, SelectionSettings } from "./selection/criterion.js";
export {
  type CrossValidateOptions,
  type CrossValidation,
  crossValidate,
} from "./selection/cross-validate.js";
export type { Evidence, Fitted, Need, Trial } from "./selection/evidence.js";
export { type RaceOptions, type RaceResult, raceLearners } from "./selection/race.js";
export type { FinalWork } from "./selection/race-entry.js";
export {
  type Considered,
  type RankedScore,
  type Ranking,
  type Selection,
  type SelectOptions,
  select,
} from "./selection/select.js";
export { usualCandidates } from "./selection/usual-candidates.js";
export type { Json, State, Tensor, TensorData } from "./state/state.js";
export { StumpModel, stump } from "./stump/index.js";
export { SvmModel, svm } from "./svm/index.js";
