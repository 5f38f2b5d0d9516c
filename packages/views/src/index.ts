/**
 * The panels that show a vouch model, drawn from plain data.
 *
 * @packageDocumentation
 */

export { CandidateTable } from "./panels/candidate-table.js";
export { CascadeFlow } from "./panels/cascade-flow.js";
export { ComparisonFigure } from "./panels/comparison-figure.js";
export { CurveFigure } from "./panels/curve-figure.js";
export { HierarchyFigure } from "./panels/hierarchy-figure.js";
export { ImageFigure, PixelImportance } from "./panels/image-figure.js";
export { LayerFigure } from "./panels/layer-figure.js";
export { LeaderBoard } from "./panels/leader-board.js";
export { type ModelPart, ModelSections, modelParts } from "./panels/model-sections.js";
export { TreeFigure } from "./panels/tree-figure.js";
export { styleSheet } from "./style-sheet.js";
export type { Leader } from "./facts/leader.js";
