import * as Plot from "@observablehq/plot";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { drawingDocument } from "#drawing-document";
import { LazyPanel } from "../page/lazy-render.js";
import { Name } from "../text/name.js";
import { svgNamespace } from "./svg-namespace.js";

/** What a chart draws: Plot's options, and a text alternative. */
export type Drawing = Plot.PlotOptions & { readonly ariaLabel: string };

/** Draws with Observable Plot in Node or in a page, and returns an `<svg>` element as text. */
export function drawSvg(drawing: Drawing, style?: string): string {
  const document = drawingDocument();
  const svg = Plot.plot({ ...drawing, document });
  // Plot's style sheet sets a white background, and sizes that the page already sets.
  svg.querySelector("style")?.remove();
  if (style !== undefined) {
    const sheet = document.createElementNS(svgNamespace, "style");
    sheet.textContent = style;
    svg.prepend(sheet);
  }
  // The label of the drawing is complete; Plot would announce each kind of mark, such as "line".
  for (const mark of svg.querySelectorAll("g[aria-label]")) mark.setAttribute("aria-hidden", "true");
  svg.setAttribute("xmlns", svgNamespace);
  svg.setAttribute("role", "img");
  return svg.outerHTML;
}

/** Widths in CSS pixels. A narrow drawing keeps text readable on a phone. */
const widths = { wide: 704, narrow: 340, small: 340 } as const;

/** One of the two drawings of a chart. */
export type ChartWidth = "wide" | "narrow";

interface ChartProps {
  /** Draws for a width. A page redraws if the function changes, so memoise a function that depends on state. */
  readonly draw: (width: ChartWidth) => Drawing;
  readonly legend?: ComponentChildren;
  readonly caption?: string;
}

/** Draws a chart twice; the style sheet shows the version that fits the screen. */
export function Chart({ draw, legend, caption }: ChartProps) {
  return (
    <figure>
      {legend}
      <div class="wide">
        <ChartAtWidth draw={draw} width="wide" />
      </div>
      <div class="narrow">
        <ChartAtWidth draw={draw} width="narrow" />
      </div>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

interface SmallChartProps {
  readonly heading: string;
  readonly draw: () => Drawing;
  readonly caption?: string;
}

/** Draws a small chart with a heading, once: it fits a phone and half a page. */
export function SmallChart({ heading, draw, caption }: SmallChartProps) {
  return (
    <figure>
      <h3>
        <Name text={heading} />
      </h3>
      <ChartAtWidth draw={draw} width="small" />
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

interface ChartAtWidthProps<Width extends ChartWidth | "small"> {
  readonly draw: (width: Width) => Drawing;
  readonly width: Width;
}

/** Shows one drawing when it is its turn: a section may have a dozen. */
function ChartAtWidth<Width extends ChartWidth | "small">(props: ChartAtWidthProps<Width>) {
  return (
    <LazyPanel>
      <Svg {...props} />
    </LazyPanel>
  );
}

function Svg<Width extends ChartWidth | "small">({ draw, width }: ChartAtWidthProps<Width>) {
  const svg = useMemo(() => drawSvg({ ...draw(width), width: widths[width] }), [draw, width]);
  return <div class="drawing" dangerouslySetInnerHTML={{ __html: svg }} />;
}
