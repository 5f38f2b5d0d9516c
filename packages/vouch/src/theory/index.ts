/**
 * Learning theory as functions of numbers: every theorem with its premises and its terms, for those who study bounds or certify
 * models that vouch has not trained.
 *
 * @packageDocumentation
 */
// Held-out rows

export { type HeldOutEvidence, heldOutBinomial, heldOutHoeffding } from "./held-out/held-out.js";

// Training rows and the size of a family

export type { TrainingEvidence } from "./certificate.js";
export { type CompressionEvidence, sampleCompression } from "./compression/sample-compression.js";
export {
  type ExactGrowthEvidence,
  type GrowthEvidence,
  growthFunction,
  growthFunctionExact,
  growthPenalty,
} from "./vc/growth-function.js";
export { type FiniteClassEvidence, finiteClass, type VcEvidence, vcBound, vcPenalty } from "./vc/vc-bound.js";

// Votes and margins

export {
  type AdaBoostFiniteEvidence,
  type AdaBoostVcReading,
  adaBoostFinite,
  adaBoostVc,
  adaBoostVcPenalty,
  type CommitteeSize,
  trainingErrorBounds,
} from "./boosting/boosting.js";
export {
  type ForestEvidence,
  forestFirstOrder,
  forestTandem,
  type OutOfBagLoss,
  type OutOfBagTandemLoss,
  voteDivergence,
} from "./forests/forest-votes.js";
export {
  type MarginForestFacts,
  type MarginForestLayer,
  marginForestBound,
} from "./forests/margin-forest.js";
export { type MarginEvidence, marginFinite, marginVc, smallestMargin } from "./margins/margin-bounds.js";
export { type MarginStatistics, marginStatistics } from "./margins/margin-statistics.js";
export { type PacBayes, pacBayesLoss } from "./pac-bayes/pac-bayes.js";

// Networks and hierarchies

export {
  type HierarchyFacts,
  type HierarchyNodeFacts,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "./hierarchies/relaxed-hierarchy.js";
export {
  type LayerNorms,
  type NetworkMarginFacts,
  networkComplexity,
  networkMargin,
} from "./networks/network-margin.js";

// Deep cascades

export { cascadeObjective, leafPenalty } from "./cascades/cascade-certificates.js";
export {
  deepCascadeEquation2,
  deepCascadeEquation6,
  deepCascadeEquation7,
  deepCascadeEquation8,
  deepCascadeEquation9,
} from "./cascades/equations.js";
export {
  type CascadeLeaf,
  type LeafCounts,
  lemma1Product,
  lemma2Product,
  lemma3SignedProduct,
  lemma3UnitProduct,
  type ProductLeaf,
  productLeaf,
  realValuedProductLeaf,
} from "./cascades/leaf-complexity.js";
export {
  type CascadeEvidence,
  deepCascadeDirect,
  deepCascadeTheorem1,
  type Theorem1Evidence,
} from "./cascades/theorem-1.js";

// Many certificates from the facts of one training

export type { Certifiable } from "../train/certify.js";
export {
  type StumpCommitteeFacts,
  type StumpFacts,
  stumpCertificates,
  stumpCommitteeCertificates,
  type TreeCommitteeFacts,
  treeCommitteeCertificates,
} from "./boosting/boosting.js";
export { type CascadeFacts, deepCascadeCertificates } from "./cascades/cascade-certificates.js";
export { bestOf } from "./certificate.js";
export {
  type KernelMachineFacts,
  kernelMachineCertificates,
  type MachineEvidence,
  unionOfMachines,
} from "./compression/sample-compression.js";

// Rademacher complexities

export {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "./cascades/leaf-complexity.js";
export {
  constantSupremum,
  exactRademacher,
  type MonteCarloOptions,
  monteCarloRademacher,
  oneByOne,
  type RademacherEstimate,
  type Suprema,
  type Supremum,
} from "./margins/rademacher.js";
export {
  kernelBallComplexity,
  kernelBallMagnitude,
  kernelBallSupremum,
  thresholdSuprema,
} from "./margins/rademacher-of-families.js";
export { monomialColumns } from "./vc/vc-dimension.js";

// Growth functions and sizes of families

export { logCascadeGrowth } from "./cascades/cascade-certificates.js";
export {
  logCommitteeGrowth,
  logFamilySizes,
  logHalfSpaceGrowth,
  logStumpGrowth,
  logTreeCommitteeGrowth,
  logTreeCount,
  logTreeGrowth,
  logVoteGrowth,
  type NumericTrees,
  type TreeBlock,
  type TreeFamily,
} from "./vc/growth-of-families.js";
export { logSauer, logSauerPower } from "./vc/vc-bound.js";

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
  twoLayerParameters,
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
