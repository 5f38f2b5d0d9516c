/**
 * The panels that show a model, drawn from facts: in a page with Preact, or rendered to text by `@vouch/views/static`.
 *
 * @packageDocumentation
 */

// A whole model

export { ModelView } from "./model-view.js";

// Panels

export { ColumnTable, Spark } from "./panels/column-table.js";
export { ComparisonFigure } from "./panels/comparison-figure.js";
export { ConfusionTable } from "./panels/confusion-table.js";
export { columnsInWords, DataSummary } from "./panels/data-summary.js";
export { EffectFigure } from "./panels/effect-figure.js";
export { PermutationTable } from "./panels/importance-table.js";
export { ReasonBars } from "./panels/reason-bars.js";
export { RowExplorer } from "./panels/row-explorer.js";
export { ThresholdPanel } from "./panels/threshold-panel.js";
export { VerdictPanel } from "./panels/verdict-panel.js";
export { type AskRow, typicalRow, WhatIf } from "./panels/what-if.js";
export { WrongRowTable } from "./panels/wrong-row-table.js";

// Parts of panels

export { Alive } from "./alive.js";
export { type Bar, BarList, SignedBarList } from "./bars.js";
export { Chart, type ChartWidth, type Drawing, drawSvg, SmallChart } from "./chart.js";
export { colour, paletteRules } from "./colours.js";
export { baselineName, metricScale } from "./facts/metric-scale.js";
export { CommandBlock, Fold, NoticeList, Section } from "./sections.js";
export { styleSheet } from "./style-sheet.js";
export { FactList, type LabelledValue, NumberedTable, type TableCell } from "./tables.js";
export { capitalised, classNames, shortened } from "./text.js";

// Pages that are rendered to text

export { type DrawIsland, hydrateIslands, Island, WithIslands } from "./island.js";
