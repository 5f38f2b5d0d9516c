/**
 * Learning theory as functions of numbers: every theorem with its premises and its terms, for those who study bounds or certify
 * models that vouch has not trained.
 *
 * @packageDocumentation
 */

// Held-out rows

export type { HeldOutEvidence } from "./held-out.js";
export { heldOutBinomial } from "./held-out-binomial.js";
export { heldOutHoeffding } from "./held-out-hoeffding.js";

// Training rows and the size of a family

export { type FiniteClassEvidence, finiteClass } from "./finite-class.js";
export { type GrowthEvidence, growthFunction, growthPenalty } from "./growth-function.js";
export { type ExactGrowthEvidence, growthFunctionExact } from "./growth-function-exact.js";
export { type CompressionEvidence, sampleCompression } from "./sample-compression.js";
export type { TrainingEvidence } from "./training-certificate.js";
export { type VcEvidence, vcBound, vcPenalty } from "./vc.js";

// Votes and margins

export { type AdaBoostFiniteEvidence, adaBoostFinite } from "./adaboost-finite.js";
export {
  type AdaBoostVcReading,
  adaBoostVc,
  adaBoostVcPenalty,
  type CommitteeSize,
} from "./adaboost-vc.js";
export {
  type ForestEvidence,
  forestFirstOrder,
  forestTandem,
  type OutOfBagLoss,
  type OutOfBagTandemLoss,
  voteDivergence,
} from "./forest-votes.js";
export { marginFinite } from "./margin-finite.js";
export { type MarginForestFacts, type MarginForestLayer, marginForestBound } from "./margin-forest.js";
export { type MarginStatistics, marginStatistics } from "./margin-statistics.js";
export { type MarginEvidence, marginVc, smallestMargin } from "./margin-vc.js";
export { type PacBayes, pacBayesLoss } from "./pac-bayes.js";

// Networks and hierarchies

export {
  type LayerNorms,
  type NetworkMarginFacts,
  networkComplexity,
  networkMargin,
} from "./network-margin.js";
export {
  type HierarchyFacts,
  type HierarchyNodeFacts,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "./relaxed-hierarchy.js";

// Deep cascades

export {
  type CascadeLeaf,
  type LeafCounts,
  type ProductLeaf,
  productLeaf,
  realValuedProductLeaf,
} from "./cascade-leaf.js";
export { cascadeObjective, leafPenalty } from "./cascade-objective.js";
export { deepCascadeDirect } from "./deep-cascade-direct.js";
export { deepCascadeEquation2 } from "./deep-cascade-equation-2.js";
export { deepCascadeEquation6 } from "./deep-cascade-equation-6.js";
export { deepCascadeEquation7 } from "./deep-cascade-equation-7.js";
export { deepCascadeEquation8 } from "./deep-cascade-equation-8.js";
export { deepCascadeEquation9 } from "./deep-cascade-equation-9.js";
export type { CascadeEvidence } from "./deep-cascade-evidence.js";
export { deepCascadeTheorem1, type Theorem1Evidence } from "./deep-cascade-theorem-1.js";
export { lemma1Product } from "./lemma-1-product.js";
export { lemma2Product } from "./lemma-2-product.js";
export { lemma3SignedProduct, lemma3UnitProduct } from "./lemma-3-product.js";

// Many certificates from the facts of one training

export { bestOf } from "./best-of.js";
export type { Certifiable } from "./certify.js";
export { type CascadeFacts, deepCascadeCertificates } from "./deep-cascade-certificates.js";
export { type KernelMachineFacts, kernelMachineCertificates } from "./kernel-machine-certificates.js";
export {
  type StumpCommitteeFacts,
  type StumpFacts,
  stumpCertificates,
  stumpCommitteeCertificates,
} from "./stump-certificates.js";
export { type TreeCommitteeFacts, treeCommitteeCertificates } from "./tree-committee-certificates.js";
export { type MachineEvidence, unionOfMachines } from "./union-of-machines.js";

// Rademacher complexities

export { monomialColumns } from "./monomials.js";
export {
  exactRademacher,
  type MonteCarloOptions,
  monteCarloRademacher,
  oneByOne,
  type RademacherEstimate,
  type Suprema,
  type Supremum,
} from "./rademacher.js";
export { constantSupremum } from "./rademacher-constants.js";
export {
  kernelBallComplexity,
  kernelBallMagnitude,
  kernelBallSupremum,
} from "./rademacher-kernel-ball.js";
export { thresholdSuprema } from "./rademacher-thresholds.js";
export {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "./vc-complexity.js";

// Growth functions and sizes of families

export { logCascadeGrowth } from "./growth-cascade.js";
export { logHalfSpaceGrowth } from "./growth-half-spaces.js";
export { logStumpGrowth } from "./growth-stump.js";
export { logCommitteeGrowth } from "./growth-stump-committee.js";
export { logTreeCommitteeGrowth, logTreeGrowth, type NumericTrees } from "./growth-tree-committee.js";
export { logVoteGrowth } from "./growth-votes.js";
export { logSauer, logSauerPower } from "./sauer.js";
export { logFamilySizes, logTreeCount, type TreeBlock, type TreeFamily } from "./tree-count.js";

// VC dimensions

export {
  integerVcDimension,
  type LayeredNetwork,
  layeredComputation,
  layeredParameters,
  layeredVcDimension,
} from "./vc-dimension-layers.js";
export {
  type Computation,
  computationVcDimension,
  type TwoLayerNetwork,
  twoLayerParameters,
  twoLayerVcDimension,
} from "./vc-dimension-network.js";
export { polynomialVcDimension } from "./vc-dimension-polynomial.js";
export {
  stumpVcDimension,
  stumpVcDimensionClosedForm,
  stumpVcDimensionEmpirical,
} from "./vc-dimension-stump.js";
export { treeVcDimension } from "./vc-dimension-tree.js";

// Also here

export type { Certificate, Premise } from "./certificate.js";
export type { HeldOut } from "./held-out.js";
