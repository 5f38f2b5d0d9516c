import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { formatRoundPercent } from "vouch/train";
import { colour } from "./colours.js";
import { html, Markup } from "./markup.js";

/** A figure: Plot's options, and a text alternative. */
export type Drawing = Plot.PlotOptions & { readonly ariaLabel: string };

const svgNamespace = "http://www.w3.org/2000/svg";

/** Creates an XML document, so that text and attributes are escaped for SVG files and for HTML alike. */
function svgDocument(): Document {
  const { DOMParser } = parseHTML("<!doctype html><html></html>");
  return new DOMParser().parseFromString(`<svg xmlns="${svgNamespace}"/>`, "image/svg+xml");
}

/** Draws with Observable Plot, without a browser; returns an `<svg>` element as text. */
export function drawSvg(drawing: Drawing, style?: string): string {
  const document = svgDocument();
  const svg = Plot.plot({ ...drawing, document });
  // Plot's style sheet sets a white background and sizes that the page sets itself.
  svg.querySelector("style")?.remove();
  if (style !== undefined) {
    const sheet = document.createElementNS(svgNamespace, "style");
    sheet.textContent = style;
    svg.prepend(sheet);
  }
  svg.setAttribute("xmlns", svgNamespace);
  svg.setAttribute("role", "img");
  return svg.outerHTML;
}

/** Widths in CSS pixels at which a figure of the page is drawn: text keeps its size on a phone. */
const widths = { wide: 704, narrow: 340 } as const;

/** One of the two drawings of a figure. */
export type FigureWidth = keyof typeof widths;

/** Draws a figure twice; the style sheet shows the one that fits the screen. */
export function figure(
  draw: (width: FigureWidth) => Drawing,
  { legend, caption }: { readonly legend?: Markup; readonly caption: string },
): Markup {
  const drawn = (width: FigureWidth) => new Markup(drawSvg({ ...draw(width), width: widths[width] }));
  return html`<figure>
${legend}<div class="wide">${drawn("wide")}</div>
<div class="narrow">${drawn("narrow")}</div>
<figcaption>${caption}</figcaption>
</figure>
`;
}

/** Margins for axes with labels. */
export const FRAME = {
  marginTop: 12,
  marginBottom: 44,
  marginLeft: 58,
  marginRight: 18,
  style: { fontSize: "12px" },
} as const;

/** Returns the height of a figure in pixels. */
export function frameHeight(width: FigureWidth): number {
  return width === "wide" ? FULL_HEIGHT : 270;
}

/** Height of figures on a wide page, in pixels. */
export const FULL_HEIGHT = 330;

export const AXIS = {
  tickSize: 0,
  fill: colour("muted"),
  labelArrow: "none",
  labelAnchor: "center",
} as const;

export const GRID = { stroke: colour("line"), strokeOpacity: 1, ticks: 5 } as const;

/** The role of a line: the rows it was measured on. It looks the same in every figure. */
type SeriesRole = "train" | "validation" | "test" | "bound";

/** The style of a line: lines differ in dashes as well as colour. */
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

/** Returns the style of the lines of one role. */
export function lineStyle(role: SeriesRole): LineStyle {
  return styles[role];
}

/** Returns the style of a layer: the last one is solid; the earlier a layer, the shorter its dashes. */
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

/** Returns the style of one of a few lines of equal rank, such as classes. */
export function classStyle(index: number): LineStyle {
  return classStyles[index % classStyles.length];
}

function legendItem({ stroke, strokeWidth, strokeDasharray }: LineStyle, name: string): Markup {
  return html`<li><svg width="32" height="8" aria-hidden="true"><line x1="0" x2="32" y1="4" y2="4" stroke="${stroke}" stroke-width="${strokeWidth}" stroke-dasharray="${strokeDasharray}"/></svg> ${name}</li>`;
}

/** Explains the lines of a figure, above it so that it covers none. */
export function legend(series: readonly { readonly style: LineStyle; readonly name: string }[]): Markup {
  return html`<ul class="legend">${series.map(({ style, name }) => legendItem(style, name))}</ul>
`;
}

/** Pixels: a square as wide as a phone; two fit side by side on a page. */
const SIDE = 340;

/** A drawing whose axes both go from 0 to 100 %. */
interface UnitSquare {
  readonly ariaLabel: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly marks: readonly Plot.Markish[];
}

function squareDrawing({ ariaLabel, xLabel, yLabel, marks }: UnitSquare): Drawing {
  const axis = { ...AXIS, ticks: 5, tickFormat: formatRoundPercent };
  return {
    ariaLabel,
    ...FRAME,
    width: SIDE,
    height: FULL_HEIGHT,
    x: { domain: [0, 1] },
    y: { domain: [0, 1] },
    marks: [
      Plot.gridX(GRID),
      Plot.gridY(GRID),
      Plot.axisX({ ...axis, label: xLabel }),
      Plot.axisY({ ...axis, label: yLabel }),
      ...marks,
    ],
  };
}

/** Draws a small figure with a heading once: it fits a phone and half a page. */
export function smallFigure(heading: string, drawing: Drawing | UnitSquare, caption: string): Markup {
  const drawn = "xLabel" in drawing ? squareDrawing(drawing) : { ...drawing, width: SIDE };
  return html`<figure>
<h3>${heading}</h3>
${new Markup(drawSvg(drawn))}
<figcaption>${caption}</figcaption>
</figure>
`;
}

/** Draws the line on which both axes agree. */
export function diagonal(): Plot.Markish {
  const ends = [
    [0, 0],
    [1, 1],
  ];
  return Plot.line(ends, { stroke: colour("muted"), strokeWidth: 1, strokeDasharray: "2 3" });
}

/** More points than this are indistinguishable in a figure of 700 pixels. */
const mostPoints = 500;

/** Thins very many points evenly, keeping the first and the last. */
export function thinned<T>(points: readonly T[]): readonly T[] {
  if (points.length <= mostPoints) return points;
  const stride = (points.length - 1) / (mostPoints - 1);
  return Array.from({ length: mostPoints }, (_, i) => points[Math.round(i * stride)]);
}
