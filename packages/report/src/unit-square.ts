import * as Plot from "@observablehq/plot";
import { formatRoundPercent } from "vouch";
import { colour } from "./colours.js";
import { type Drawing, drawSvg } from "./figure.js";
import { AXIS, FRAME, FULL_HEIGHT, GRID } from "./frame.js";
import { html, Markup } from "./markup.js";

/** Pixels: a square that is as wide as a phone, two of which fit side by side on a page. */
const SIDE = 340;

/** What is drawn into a square whose sides both go from 0 to 100 %. */
export interface UnitSquare {
  readonly ariaLabel: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly marks: readonly Plot.Markish[];
}

/** The options of a plot whose axes both go from 0 to 100 %. */
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

/** A small figure with a heading: drawn once, it fits a phone and half a page. */
export function smallFigure(heading: string, drawing: Drawing | UnitSquare, caption: string): Markup {
  const drawn = "xLabel" in drawing ? squareDrawing(drawing) : { ...drawing, width: SIDE };
  return html`<figure>
<h3>${heading}</h3>
${new Markup(drawSvg(drawn))}
<figcaption>${caption}</figcaption>
</figure>
`;
}

/** The line on which both axes agree. */
export function diagonal(): Plot.Markish {
  const ends = [
    [0, 0],
    [1, 1],
  ];
  return Plot.line(ends, { stroke: colour("muted"), strokeWidth: 1, strokeDasharray: "2 3" });
}
