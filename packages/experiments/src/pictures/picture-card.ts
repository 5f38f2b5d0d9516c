import { readFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { colour, type Drawing, drawSvg } from "@vouch/views";

/** The margins of a picture. */
interface Margins {
  readonly marginTop: number;
  readonly marginRight: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
}

/** Draws a card with its own background behind a picture, for light and dark pages. */
export function pictureCard({ marginTop, marginRight, marginBottom, marginLeft }: Margins) {
  return Plot.frame({
    insetTop: 0.5 - marginTop,
    insetRight: 0.5 - marginRight,
    insetBottom: 0.5 - marginBottom,
    insetLeft: 0.5 - marginLeft,
    rx: 12,
    fill: colour("paper"),
    stroke: colour("line"),
  });
}

/** Draws a picture as an SVG file with the colours of the pages in light and dark mode. */
export function drawPicture(drawing: Drawing): string {
  const tokens = readFileSync(new URL("../../../views/src/styles/tokens.css", import.meta.url), "utf8");
  const colours = tokens.replaceAll(/\/\*.*?\*\/|--(text|sans|mono)\b[^;]*;/gs, "").replaceAll(/\s+/g, " ");
  return drawSvg(drawing, colours.trim());
}
