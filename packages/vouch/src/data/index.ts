export { binLike, binMatrix } from "./bin-matrix.js";
export { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./binned-columns.js";
export { type CalibrationBin, calibrationBins, calibrationError } from "./calibration.js";
export {
  type BinnedEncoding,
  type Encoder,
  type Encoding,
  fitEncoder,
  type NumericEncoding,
  type OnNotice,
} from "./encoder.js";
export { restoreEncoder } from "./encoder-state.js";
export { Fingerprint, type Overlap } from "./fingerprint.js";
export { identifierColumns } from "./identifier-columns.js";
export {
  auc,
  balancedAccuracy,
  type Confusion,
  confusionMatrix,
  type Evaluation,
  evaluate,
  logLoss,
  macroF1,
  type Predictions,
} from "./metrics.js";
export { columnHint, didYouMean, nearestName } from "./nearest-name.js";
export { type Cell, categoricalColumn, type DeclaredKinds } from "./raw-cells.js";
export type { HashedRows } from "./row-hash.js";
export { type Features, Sample, type SampleParts, type Selectable } from "./sample.js";
export { type ColumnSchema, type Schema, schemaOf } from "./schema.js";
export {
  areaUnderRoc,
  averagePrecision,
  type PrecisionRecallPoint,
  precisionRecallPoints,
  type RocPoint,
  rocPoints,
  type ScoreCurve,
  scoreCurve,
} from "./score-curve.js";
export {
  type Folds,
  holdout,
  kFold,
  leaveOneOut,
  rotation,
  type Split,
  type ThreeWaySplit,
} from "./splits.js";
export {
  type CategoricalColumn,
  type Column,
  type NumericColumn,
  type NumericValues,
  Table,
} from "./table.js";
export {
  chooseTarget,
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
  type Target,
} from "./target.js";
