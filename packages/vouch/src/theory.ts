/**
 * Learning theory as functions of numbers: every theorem with its premises and terms, to study bounds or to certify models that vouch has not trained.
 *
 * @packageDocumentation
 */

// Held-out rows

export { aucBounds } from "@vouch/core/internal/theory/held-out/auc-bound";
export { binomialInterval } from "@vouch/core/internal/theory/held-out/binomial-interval";
export { meanLowerBounds, meanUpperBounds } from "@vouch/core/internal/theory/held-out/bounded-mean";
export {
  balancedErrorBound,
  classErrorBounds,
  expectedCostBounds,
  precisionErrorBounds,
} from "@vouch/core/internal/theory/held-out/class-bounds";
export {
  exactSignTest,
  fisherGreater,
  fisherTwoSided,
  pairedMeanTest,
} from "@vouch/core/internal/theory/held-out/exact-tests";
export { heldOutBinomial, heldOutHoeffding } from "@vouch/core/internal/theory/held-out/held-out";
export { SequentialErrorTest } from "@vouch/core/internal/theory/held-out/sequential-error-test";

// Abstention and prediction sets

export { answerRateBounds, chooseAbstention } from "@vouch/core/internal/theory/conformal/abstention";
export { fitSets } from "@vouch/core/internal/theory/conformal/prediction-sets";

// Training rows and the size of a family

export { sampleCompression } from "@vouch/core/internal/theory/compression/sample-compression";
export { growthFunction, growthFunctionExact } from "@vouch/core/internal/theory/vc/growth-function";
export {
  finiteClass,
  logSauer,
  logSauerPower,
  vcBound,
  vcPenalty,
} from "@vouch/core/internal/theory/vc/vc-bound";

// Boosting and margins

export {
  adaBoostFinite,
  adaBoostVc,
  adaBoostVcPenalty,
  trainingErrorBounds,
} from "@vouch/core/internal/theory/boosting/boosting";
export { marginFinite, marginVc, smallestTheta } from "@vouch/core/internal/theory/margins/margin-bounds";
export { marginStatistics } from "@vouch/core/internal/theory/margins/margin-statistics";

// Forests

export {
  forestFirstOrder,
  forestTandem,
  voteDivergence,
} from "@vouch/core/internal/theory/forests/forest-votes";
export { mddfMargin } from "@vouch/core/internal/theory/forests/mddf-margin";
export { firstOrderWeights, tandemWeights } from "@vouch/core/internal/theory/forests/vote-weights";
export { binaryDivergence, pacBayesLoss } from "@vouch/core/internal/theory/pac-bayes/pac-bayes";
export { posteriorDraw } from "@vouch/core/internal/theory/pac-bayes/posterior-draw";
export { logFamilySizes, logSplitCount, logTreeCount } from "@vouch/core/internal/theory/vc/tree-count";

// Networks and hierarchies

export {
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "@vouch/core/internal/theory/hierarchies/relaxed-hierarchy";
export { networkMargin } from "@vouch/core/internal/theory/networks/network-margin";

// Deep cascades

export { deepCascadeDirect } from "@vouch/core/internal/theory/cascades/direct-bound";
export {
  gateVcComplexity,
  leafVcComplexity,
  lemma1Product,
  lemma2Product,
  lemma3SignedProduct,
  lemma3UnitProduct,
  vcComplexity,
  vcLocalComplexity,
} from "@vouch/core/internal/theory/cascades/leaf-complexity";
export {
  cascadeObjective,
  deepCascadeEquation2,
  deepCascadeEquation7,
  deepCascadeEquation8,
  deepCascadeEquation9,
} from "@vouch/core/internal/theory/cascades/objectives";
export { deepCascadeEquation6, deepCascadeTheorem1 } from "@vouch/core/internal/theory/cascades/theorem-1";

// Rademacher complexities

export { exactRademacher, monteCarloRademacher } from "@vouch/core/internal/theory/margins/rademacher";
export { thresholdComplexity } from "@vouch/core/internal/theory/margins/rademacher-of-families";

// VC dimensions

export {
  computationVcDimension,
  integerVcDimension,
  layeredComputation,
  layeredParameters,
  layeredVcDimension,
  twoLayerVcDimension,
} from "@vouch/core/internal/theory/networks/network-vc-dimension";
export {
  polynomialVcDimension,
  stumpVcDimension,
  stumpVcDimensionClosedForm,
  stumpVcDimensionEmpirical,
} from "@vouch/core/internal/theory/vc/vc-dimension";

// Also here

export type { Certificate, Premise } from "@vouch/core/internal/theory/certificate";
