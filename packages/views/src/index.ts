/**
 * The panels that show a model, as Preact components for reports, the studio and other pages. They take plain data; see
 * `@vouch/views/facts` for the functions that compute it.
 *
 * @packageDocumentation
 */

// A whole model

export { ModelView } from "./model-view.js";
export { LazyRender } from "./page/lazy-render.js";

// Panels

export { describeColumns } from "./panels/columns/data-summary.js";
export { ConfusionTable } from "./panels/evaluation/confusion-table.js";
export { ReliabilityFigure } from "./panels/evaluation/reliability-figure.js";
export { RocFigure } from "./panels/evaluation/roc-figure.js";
export { ThresholdPanel } from "./panels/evaluation/threshold-panel.js";
export { CurveFigure } from "./panels/model/curve-figure.js";
export { HierarchyFigure } from "./panels/model/hierarchy-figure.js";
export { ImageFigure, PixelImportance } from "./panels/model/image-figure.js";
export { LayerFigure } from "./panels/model/layer-figure.js";
export { TreeFigure } from "./panels/model/tree-figure.js";
export { CandidateTable } from "./panels/race/candidate-table.js";
export { ComparisonFigure } from "./panels/race/comparison-figure.js";
export { LeaderBoard } from "./panels/race/leader-board.js";
export { type FormAbsence, RowExplorer } from "./panels/rows/row-explorer.js";
export { typicalRow } from "./panels/rows/row-fields.js";
export { type AskRow, WhatIf } from "./panels/rows/what-if.js";
export { type DescribeAdvice, VerdictPanel } from "./panels/verdict/verdict-panel.js";

// Parts of panels

export { type Drawing, drawSvg } from "./charts/chart.js";
export { colour } from "./charts/colours.js";
export { givesGuarantee } from "./facts/evaluation/guarantee.js";
export { baselineName, metricScale } from "./facts/evaluation/metric-scale.js";
export { ScrollRegion } from "./page/scroll-region.js";
export { CommandBlock, NoticeList, Section } from "./page/sections.js";
export { FactList, TableHead } from "./page/tables.js";
export { styleSheet } from "./style-sheet.generated.js";
export { explainTerms } from "./text/explain-terms.js";
export { capitalised, unbroken } from "./text/text.js";

// Pages that are rendered to text

export { toBase64 } from "./charts/base64.js";
export { hydrateIslands, WithIslands } from "./page/island.js";
