/**
 * Learning theory as functions of numbers: every theorem with its premises and terms, to study bounds or to certify models
 * that vouch has not trained.
 *
 * @packageDocumentation
 */
// Held-out rows

export { type AucBounds, type AucEvidence, aucBounds } from "./held-out/auc-bound.js";
export { binomialInterval } from "./held-out/binomial-interval.js";
export {
  type MeanBounds,
  type MeanRange,
  meanLowerBounds,
  meanUpperBounds,
} from "./held-out/bounded-mean.js";
export {
  balancedErrorBound,
  type ConfusionCounts,
  classErrorBounds,
  type ErrorBound,
  expectedCostBounds,
  precisionErrorBounds,
} from "./held-out/class-bounds.js";
export {
  exactSignTest,
  fisherGreater,
  fisherTwoSided,
  type Proportion,
  pairedMeanTest,
} from "./held-out/exact-tests.js";
export { type HeldOutEvidence, heldOutBinomial, heldOutHoeffding } from "./held-out/held-out.js";
export { heldOutErrorCertificates } from "./held-out/repeats-and-groups.js";
export { type SequentialErrorState, SequentialErrorTest } from "./held-out/sequential-error-test.js";

// Abstention and prediction sets

export {
  type AbstentionTask,
  type AnswerRateBounds,
  answerRateBounds,
  chooseAbstention,
  type ThresholdChoice,
} from "./conformal/abstention.js";
export { abstentionCertificates, abstentionInWords } from "./conformal/abstention-certificates.js";
export { type AbstentionRule, answersTo, keepsTarget } from "./conformal/abstention-rule.js";
export { type AnswerCounts, type AnsweredRows, countAnswers } from "./conformal/answered-rows.js";
export {
  type CoverageCounts,
  countCoverage,
  coverageCertificates,
  setsInWords,
  testedCoverageCertificates,
} from "./conformal/coverage-certificates.js";
export { fitSets, type ProbableRows, type SetTask } from "./conformal/prediction-sets.js";
export { keepsLevel, type SetLimit, type SetRule, setsOf } from "./conformal/set-rule.js";

// Training rows and the size of a family

export { type CompressionEvidence, sampleCompression } from "./compression/sample-compression.js";
export type { SampleEvidence, TrainingEvidence } from "./training-certificate.js";
export {
  type ExactGrowthEvidence,
  type GrowthEvidence,
  growthFunction,
  growthFunctionExact,
} from "./vc/growth-function.js";
export {
  type FiniteClassEvidence,
  finiteClass,
  logSauer,
  logSauerPower,
  type VcEvidence,
  vcBound,
  vcPenalty,
} from "./vc/vc-bound.js";

// Boosting and margins

export {
  type AdaBoostFiniteEvidence,
  type AdaBoostVcEvidence,
  type AdaBoostVcReading,
  adaBoostFinite,
  adaBoostVc,
  adaBoostVcPenalty,
  trainingErrorBounds,
} from "./boosting/boosting.js";
export {
  type MarginEvidence,
  type MarginVcEvidence,
  marginFinite,
  marginVc,
  smallestTheta,
} from "./margins/margin-bounds.js";
export { type MarginStatistics, marginStatistics } from "./margins/margin-statistics.js";

// Forests

export {
  type FirstOrderEvidence,
  type ForestEvidence,
  forestFirstOrder,
  forestTandem,
  type TandemEvidence,
  voteDivergence,
} from "./forests/forest-votes.js";
export { type MddfLayer, type MddfMarginEvidence, mddfMargin } from "./forests/mddf-margin.js";
export {
  type HalfTest,
  type TestedHalves,
  type TestedHalvesEvidence,
  testedHalves,
} from "./forests/tested-halves.js";
export {
  logFamilySizes,
  logSplitCount,
  logTreeCount,
  type TreeBlock,
  type TreeFamily,
} from "./forests/tree-count.js";
export {
  firstOrderWeights,
  tandemWeights,
  type VoterLosses,
  type VoterPairLosses,
} from "./forests/vote-weights.js";
export { binaryDivergence, type PacBayesEvidence, pacBayesLoss } from "./pac-bayes/pac-bayes.js";
export {
  type PosteriorDrawEvidence,
  type PosteriorDrawFacts,
  posteriorDraw,
} from "./pac-bayes/posterior-draw.js";

// Networks and hierarchies

export {
  type HierarchyEvidence,
  type HierarchyNodeFacts,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "./hierarchies/relaxed-hierarchy.js";
export {
  type LayerNorms,
  type NetworkMarginEvidence,
  networkComplexity,
  networkMargin,
} from "./networks/network-margin.js";

// Deep cascades

export { type CascadeEvidence, deepCascadeDirect, logTreeShapes } from "./cascades/direct-bound.js";
export {
  type CascadeLeaf,
  constantComplexity,
  gateVcComplexity,
  type LeafCounts,
  leafVcComplexity,
  lemma1Product,
  lemma2Product,
  lemma3SignedProduct,
  lemma3UnitProduct,
  type ProductLeaf,
  productLeaf,
  realValuedProductLeaf,
  vcComplexity,
  vcLocalComplexity,
} from "./cascades/leaf-complexity.js";
export {
  cascadeObjective,
  deepCascadeEquation2,
  deepCascadeEquation7,
  deepCascadeEquation8,
  deepCascadeEquation9,
  leafPenalty,
} from "./cascades/objectives.js";
export { deepCascadeEquation6, deepCascadeTheorem1, type Theorem1Evidence } from "./cascades/theorem-1.js";

// Certificates of trained models

export {
  type StumpCommitteeFacts,
  type StumpFacts,
  stumpCertificates,
  stumpCommitteeCertificates,
  type TreeCommitteeFacts,
  treeCommitteeCertificates,
} from "./boosting/boosting.js";
export { type CascadeFacts, deepCascadeCertificates } from "./cascades/theorem-1.js";
export { bestOf } from "./certificate.js";
export {
  type KernelMachineFacts,
  kernelMachineCertificates,
  type MachineEvidence,
  unionOfMachines,
} from "./compression/sample-compression.js";

// Rademacher complexities

export {
  exactRademacher,
  type MonteCarloOptions,
  monteCarloRademacher,
  oneByOne,
  type RademacherEstimate,
  type Suprema,
  type Supremum,
} from "./margins/rademacher.js";
export {
  constantSupremum,
  kernelBallComplexity,
  kernelBallMagnitude,
  kernelBallSupremum,
  logThresholdGrowth,
  monomialColumns,
  thresholdComplexity,
  thresholdSuprema,
} from "./margins/rademacher-of-families.js";

// Growth functions

export {
  logCascadeGrowth,
  logCommitteeGrowth,
  logHalfSpaceGrowth,
  logStumpGrowth,
  logTreeCommitteeGrowth,
  logTreeGrowth,
  logVoteGrowth,
  type NumericTrees,
} from "./vc/growth-of-families.js";

// VC dimensions

export {
  type Computation,
  computationVcDimension,
  integerVcDimension,
  type LayeredNetwork,
  layeredComputation,
  layeredParameters,
  layeredVcDimension,
  type TwoLayerNetwork,
  twoLayerVcDimension,
} from "./networks/network-vc-dimension.js";
export {
  polynomialVcDimension,
  stumpVcDimension,
  stumpVcDimensionClosedForm,
  stumpVcDimensionEmpirical,
  treeVcDimension,
} from "./vc/vc-dimension.js";

// Also here

export type { Certificate, Premise } from "./certificate.js";
export type { HeldOut } from "./held-out/held-out.js";
