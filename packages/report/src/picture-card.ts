import * as Plot from "@observablehq/plot";
import { colour } from "@vouch/views";

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
