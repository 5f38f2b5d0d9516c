/**
 * The panels that show a model, as Preact components: in a report, in the studio, on your own page. They take plain data; see
 * `@vouch/views/facts` for the functions that compute it.
 *
 * @packageDocumentation
 */

// A whole model

export { ModelView } from "./model-view.js";
export { LazyRender } from "./page/lazy-render.js";

// Panels

export { ColumnTable, Spark } from "./panels/columns/column-table.js";
export { DataSummary, describeColumns } from "./panels/columns/data-summary.js";
export { EffectFigure } from "./panels/columns/effect-figure.js";
export { ImportanceTable, PermutationTable } from "./panels/columns/importance-table.js";
export { AbstentionSection } from "./panels/evaluation/abstention-section.js";
export { type ConfusionCell, ConfusionTable } from "./panels/evaluation/confusion-table.js";
export { DecisionSection } from "./panels/evaluation/decision-section.js";
export { ErrorLine } from "./panels/evaluation/error-line.js";
export { describeCosts, MetricLine } from "./panels/evaluation/metric-line.js";
export { PeriodFigure } from "./panels/evaluation/period-figure.js";
export { ReliabilityFigure } from "./panels/evaluation/reliability-figure.js";
export { RocFigure } from "./panels/evaluation/roc-figure.js";
export { SetSection } from "./panels/evaluation/set-section.js";
export { ThresholdPanel } from "./panels/evaluation/threshold-panel.js";
export { CurveFigure } from "./panels/model/curve-figure.js";
export { HierarchyFigure } from "./panels/model/hierarchy-figure.js";
export { ImageFigure, PixelImportance } from "./panels/model/image-figure.js";
export { LayerFigure } from "./panels/model/layer-figure.js";
export { MarginFigure } from "./panels/model/margin-figure.js";
export { modelSections } from "./panels/model/model-sections.js";
export { TreeFigure } from "./panels/model/tree-figure.js";
export { CandidateTable } from "./panels/race/candidate-table.js";
export { ComparisonFigure } from "./panels/race/comparison-figure.js";
export { LeaderBoard, type LearnerTitle } from "./panels/race/leader-board.js";
export { ReasonBars } from "./panels/rows/reason-bars.js";
export { ReasonFigure } from "./panels/rows/reason-figure.js";
export { type FormAbsence, RowExplorer } from "./panels/rows/row-explorer.js";
export { typicalRow } from "./panels/rows/row-fields.js";
export { type AskRow, WhatIf } from "./panels/rows/what-if.js";
export { WrongRowTable } from "./panels/rows/wrong-row-table.js";
export { CertificateCard, PremiseList } from "./panels/verdict/certificate-cards.js";
export { GuaranteeSection } from "./panels/verdict/guarantee-section.js";
export { VerdictPanel } from "./panels/verdict/verdict-panel.js";

// Parts of panels

export { type Bar, BarList, SignedBarList } from "./charts/bars.js";
export { Chart, type ChartWidth, type Drawing, drawSvg, SmallChart } from "./charts/chart.js";
export { colour } from "./charts/colours.js";
export { givesGuarantee } from "./facts/evaluation/guarantee.js";
export { baselineName, metricScale } from "./facts/evaluation/metric-scale.js";
export { ClientOnly, useIsClient } from "./page/client-only.js";
export { ScrollRegion } from "./page/scroll-region.js";
export { CommandBlock, Fold, NoticeList, Section } from "./page/sections.js";
export { FactList, type LabelledValue, NumberedTable, type TableCell, TableHead } from "./page/tables.js";
export { styleSheet } from "./style-sheet.generated.js";
export { explainTerms } from "./text/explain-terms.js";
export type { GlossaryTerm } from "./text/glossary.js";
export { Term } from "./text/term.js";
export { capitalised, classNames, shortened, unbroken } from "./text/text.js";

// Pages that are rendered to text

export { toBase64 } from "./charts/base64.js";
export { type DrawIsland, hydrateIslands, Island, WithIslands } from "./page/island.js";
