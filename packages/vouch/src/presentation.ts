/**
 * Show models and results to people: the parts of a model's description, certificates and warnings in words, and numbers with the
 * digits that matter.
 *
 * @packageDocumentation
 */
// Descriptions of models

export type {
  CurveSection,
  CurveSeries,
  DescribedChild,
  DescribedImage,
  DescribedLayer,
  DescribedNode,
  Description,
  DescriptionSection,
  Fact,
  HierarchySection,
  ImageSection,
  ImportanceSection,
  LayerSection,
  SplitCells,
  SplitDistribution,
  TableColumn,
  TableSection,
  TreeLeaf,
  TreeNode,
  TreeSection,
  TreeSplit,
} from "./learners/description.js";
export { type PixelGrid, pixelGrid } from "./learners/pixel-grid.js";
export { cellText } from "./table/column.js";

// Certificates and warnings

export { boundText, togetherInWords } from "./theory/certificate-words.js";
export { findRareClass, type RareClass } from "./train/rare-class.js";
export { isGrave } from "./train/warnings.js";

// Learners

export { candidateLabel, learnerLabel } from "./learners/registry.js";

// Numbers

export {
  formatBytes,
  formatLowerBound,
  formatPValue,
  formatTime,
  formatUpperBound,
  formatValue,
} from "./runtime/number-format.js";

// Also here

export { visibleSpaces } from "./runtime/names.js";
export {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "./runtime/number-format.js";
