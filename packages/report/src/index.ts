export type { TriedLearner } from "./candidate-table.js";
export type { CascadeGatePicture, CascadeLeafPicture, CascadePicture } from "./cascade-figure.js";
export { type CertifiedModel, certificatePicture } from "./certificate-picture.js";
export type { ColumnFacts } from "./column-table.js";
export type { ErrorSpread } from "./comparison-figure.js";
export {
  type ComparedData,
  type ComparedLearner,
  type ComparisonReport,
  comparisonReport,
} from "./comparison-report.js";
export type { Confusion } from "./confusion-table.js";
export type { ClassCount, DataSummary } from "./data-summary.js";
export type { HeldOut, MeasuredError } from "./error-line.js";
export type { LabelledValue } from "./fact-table.js";
export { factsOf } from "./hierarchy-figure.js";
export {
  type HierarchyChild,
  type HierarchyNode,
  hierarchyOutline,
  type OutlineItem,
  type OutlineLine,
  shortNames,
} from "./hierarchy-outline.js";
export type { Importance } from "./importance-table.js";
export type { LayerMargins } from "./layer-margin-figure.js";
export type { Margins } from "./margin-figure.js";
export type { MeasuredImportance, UnmeasuredImportance } from "./permutation-table.js";
export type { LayerPretraining } from "./pretraining-figure.js";
export type { SeriesRole } from "./series.js";
export type { StructureCell, StructureList } from "./structure-table.js";
export type { TrainingCurve, TrainingSeries } from "./training-curve.js";
export {
  type MeasuredOn,
  type Metrics,
  type ModelStructure,
  type TrainingReport,
  trainingReport,
} from "./training-report.js";
