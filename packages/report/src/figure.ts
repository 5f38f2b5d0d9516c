import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { html, Markup } from "./markup.js";

/** What a figure needs beyond Plot's own options: words for those who do not see it. */
export type Drawing = Plot.PlotOptions & { readonly ariaLabel: string };

const svgNamespace = "http://www.w3.org/2000/svg";

/** An XML document, so that text and attributes are escaped for SVG files and for HTML alike. */
function svgDocument(): Document {
  const { DOMParser } = parseHTML("<!doctype html><html></html>");
  return new DOMParser().parseFromString(`<svg xmlns="${svgNamespace}"/>`, "image/svg+xml");
}

/** Draws with Observable Plot, without a browser: one `<svg>` element as text. */
export function drawSvg(drawing: Drawing, style?: string): string {
  const document = svgDocument();
  const svg = Plot.plot({ ...drawing, document });
  // Plot's own style sheet sets a white background variable and sizes that the page sets itself.
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

/** Which of the two drawings of a figure is meant. */
export type FigureWidth = keyof typeof widths;

/** A figure of the page: drawn twice, the style sheet shows the one that fits the screen. */
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
