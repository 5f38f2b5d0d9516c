/**
 * The panels that show a model, as Preact components: in a report, in the studio, on your own page. They take plain data; see
 * `@vouch/views/facts` for the functions that compute it.
 *
 * @packageDocumentation
 */

// A whole model

export { LazyRender } from "./lazy-render.js";
export { ModelView } from "./model-view.js";

// Panels

export { AbstentionSection } from "./panels/abstention-section.js";
export { CalibrationFigure } from "./panels/calibration-figure.js";
export { CandidateTable } from "./panels/candidate-table.js";
export { CertificateCard, PremiseList } from "./panels/certificate-cards.js";
export { ColumnTable, Spark } from "./panels/column-table.js";
export { ComparisonFigure } from "./panels/comparison-figure.js";
export { type ConfusionCell, ConfusionTable } from "./panels/confusion-table.js";
export { CurveFigure } from "./panels/curve-figure.js";
export { columnsInWords, DataSummary } from "./panels/data-summary.js";
export { DecisionSection } from "./panels/decision-section.js";
export { EffectFigure } from "./panels/effect-figure.js";
export { ErrorLine } from "./panels/error-line.js";
export { GuaranteeSection } from "./panels/guarantee-section.js";
export { HierarchyFigure } from "./panels/hierarchy-figure.js";
export { ImageFigure, PixelImportance } from "./panels/image-figure.js";
export { ImportanceTable, PermutationTable } from "./panels/importance-table.js";
export { LayerFigure } from "./panels/layer-figure.js";
export { LeaderBoard, type LearnerTitle } from "./panels/leader-board.js";
export { MarginFigure } from "./panels/margin-figure.js";
export { costsInWords, MetricLine } from "./panels/metric-line.js";
export { modelSections } from "./panels/model-sections.js";
export { PeriodFigure } from "./panels/period-figure.js";
export { RankingFigure } from "./panels/ranking-figure.js";
export { ReasonBars } from "./panels/reason-bars.js";
export { ReasonFigure } from "./panels/reason-figure.js";
export { type FormAbsence, RowExplorer } from "./panels/row-explorer.js";
export { typicalRow } from "./panels/row-fields.js";
export { SetSection } from "./panels/set-section.js";
export { ThresholdPanel } from "./panels/threshold-panel.js";
export { TreeFigure } from "./panels/tree-figure.js";
export { VerdictPanel } from "./panels/verdict-panel.js";
export { type AskRow, WhatIf } from "./panels/what-if.js";
export { WrongRowTable } from "./panels/wrong-row-table.js";

// Parts of panels

export { type Bar, BarList, SignedBarList } from "./bars.js";
export { Chart, type ChartWidth, type Drawing, drawSvg, SmallChart } from "./chart.js";
export { ClientOnly, useIsClient } from "./client-only.js";
export { colour } from "./colours.js";
export { explainTerms } from "./explain-terms.js";
export { givesGuarantee } from "./facts/guarantee.js";
export { baselineName, metricScale } from "./facts/metric-scale.js";
export type { GlossaryTerm } from "./glossary.js";
export { ScrollRegion } from "./scroll-region.js";
export { CommandBlock, Fold, NoticeList, Section } from "./sections.js";
export { styleSheet } from "./style-sheet.generated.js";
export { FactList, type LabelledValue, NumberedTable, type TableCell, TableHead } from "./tables.js";
export { Term } from "./term.js";
export { capitalised, classNames, shortened, unbroken } from "./text.js";

// Pages that are rendered to text

export { toBase64 } from "./base64.js";
export { type DrawIsland, hydrateIslands, Island, WithIslands } from "./island.js";
