import { colour } from "./colours.js";

/** Margins for axes with labels. */
export const FRAME = {
  marginTop: 12,
  marginBottom: 44,
  marginLeft: 58,
  marginRight: 18,
  style: { fontSize: "12px" },
} as const;

/** Height of figures on a wide page, in pixels. */
export const FULL_HEIGHT = 330;

/** The rows that a line was measured on. The style is the same in every figure. */
type SeriesRole = "train" | "validation" | "test" | "bound";

/** A line style: lines differ in dashes as well as colour. */
export interface LineStyle {
  readonly stroke: string;
  readonly strokeWidth: number;
  readonly strokeDasharray: string;
}

const styles: Readonly<Record<SeriesRole, LineStyle>> = {
  train: { stroke: colour("blue"), strokeWidth: 2, strokeDasharray: "none" },
  test: { stroke: colour("orange"), strokeWidth: 2, strokeDasharray: "7 4" },
  validation: { stroke: colour("ink"), strokeWidth: 1.5, strokeDasharray: "10 3 2 3" },
  bound: { stroke: colour("muted"), strokeWidth: 2, strokeDasharray: "1.5 3.5" },
};

/** Returns the line style of a role. */
export function lineStyle(role: SeriesRole): LineStyle {
  return styles[role];
}

/** Returns the line style of a layer: solid for the last one, with shorter dashes for earlier ones. */
export function layerStyle(index: number, layers: number): LineStyle {
  if (index === layers - 1) return { stroke: colour("blue"), strokeWidth: 2.5, strokeDasharray: "none" };
  const dash = 1.5 + (12 * index) / Math.max(1, layers - 2);
  return { stroke: colour("muted"), strokeWidth: 1.5, strokeDasharray: `${Number(dash.toFixed(1))} 3` };
}

const classStyles: readonly LineStyle[] = [
  { stroke: colour("blue"), strokeWidth: 2, strokeDasharray: "none" },
  { stroke: colour("orange"), strokeWidth: 2, strokeDasharray: "7 4" },
  { stroke: colour("muted"), strokeWidth: 2, strokeDasharray: "1.5 3.5" },
  { stroke: colour("ink"), strokeWidth: 1.5, strokeDasharray: "10 3 2 3" },
];

/** Returns the style of one of several lines of equal rank, such as classes. */
export function classStyle(index: number): LineStyle {
  return classStyles[index % classStyles.length];
}
