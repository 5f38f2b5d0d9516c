import { colour } from "./colours.js";
import type { FigureWidth } from "./figure.js";

/** Room around what is drawn, for axes with labels. */
export const FRAME = {
  marginTop: 12,
  marginBottom: 44,
  marginLeft: 58,
  marginRight: 18,
  style: { fontSize: "12px" },
} as const;

/** Pixels, of figures that may be drawn narrow. */
export function frameHeight(width: FigureWidth): number {
  return width === "wide" ? FULL_HEIGHT : 270;
}

/** Pixels, of figures on a wide page. */
export const FULL_HEIGHT = 330;

/** How axes look. */
export const AXIS = {
  tickSize: 0,
  fill: colour("muted"),
  labelArrow: "none",
  labelAnchor: "center",
} as const;

/** How grids look. */
export const GRID = { stroke: colour("line"), strokeOpacity: 1, ticks: 5 } as const;
