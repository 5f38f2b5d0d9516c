import { colour } from "./colours.js";
import { html, type Markup } from "./markup.js";

/** What a line of a figure was measured on; decides how it is drawn, the same in every figure. */
export type SeriesRole = "train" | "test" | "bound";

/** How a line looks: told apart by its dashes as well as by its colour. */
export interface LineStyle {
  readonly stroke: string;
  readonly strokeWidth: number;
  readonly strokeDasharray: string;
}

const styles: Readonly<Record<SeriesRole, LineStyle>> = {
  train: { stroke: colour("blue"), strokeWidth: 2, strokeDasharray: "none" },
  test: { stroke: colour("orange"), strokeWidth: 2, strokeDasharray: "7 4" },
  bound: { stroke: colour("muted"), strokeWidth: 2, strokeDasharray: "1.5 3.5" },
};

/** The look of the lines of one role. */
export function lineStyle(role: SeriesRole): LineStyle {
  return styles[role];
}

/** The last layer is a solid line; the earlier a layer, the shorter its dashes, so that their order can be seen. */
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

/** The look of one of a few lines of equal rank, such as classes. */
export function classStyle(index: number): LineStyle {
  return classStyles[index % classStyles.length];
}

function legendItem({ stroke, strokeWidth, strokeDasharray }: LineStyle, name: string): Markup {
  return html`<li><svg width="32" height="8" aria-hidden="true"><line x1="0" x2="32" y1="4" y2="4" stroke="${stroke}" stroke-width="${strokeWidth}" stroke-dasharray="${strokeDasharray}"/></svg> ${name}</li>`;
}

/** The key to a figure's lines, above the figure, where it cannot cover any of them. */
export function legend(series: readonly { readonly style: LineStyle; readonly name: string }[]): Markup {
  return html`<ul class="legend">${series.map(({ style, name }) => legendItem(style, name))}</ul>
`;
}
