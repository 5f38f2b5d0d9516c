import * as Plot from "@observablehq/plot";
import { formatPercent, formatRoundPercent } from "vouch";
import { colour } from "./colours.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import type { Markup } from "./markup.js";

/** A learner's errors in the folds, and what is certified of its error. */
export interface ErrorSpread {
  readonly name: string;
  readonly errors: readonly number[];
  readonly mean: number;
  readonly sd: number;
  /** Certified upper bound; absent where there is none. */
  readonly bound?: number;
}

/** Names stand beside the lines where there is room, above them on a phone. */
const layouts = {
  wide: { rowHeight: 34, marginLeft: 240, ticks: 7, label: { dx: -240, lineWidth: 17 }, drop: 0 },
  narrow: { rowHeight: 50, marginLeft: 7, ticks: 4, label: { dx: -7, dy: -12, lineWidth: 25 }, drop: 9 },
} as const;

function drawing(spreads: readonly ErrorSpread[], width: FigureWidth): Drawing {
  const { rowHeight, marginLeft, ticks, label, drop } = layouts[width];
  const rows = spreads.map((spread, row) => ({
    ...spread,
    row,
    low: Math.max(0, spread.mean - spread.sd),
    high: spread.mean + spread.sd,
    end: Math.max(spread.mean + spread.sd, ...spread.errors, spread.bound ?? 0),
    shown: formatPercent(spread.mean),
  }));
  const parts = rows.flatMap(({ row, errors }) => errors.map((value) => ({ row, value })));
  const bounded = rows.filter(({ bound }) => bound !== undefined);
  // Learners without any error still get an axis with some length.
  const largest = Math.max(0.01, ...rows.map(({ end }) => end));
  const tick = { insetTop: rowHeight / 2 - 8 + drop, insetBottom: rowHeight / 2 - 8 - drop };
  return {
    ariaLabel: `${rows.map(({ name, shown }) => `${name}: ${shown}`).join(". ")}.`,
    marginTop: 0,
    marginBottom: 30,
    marginLeft,
    marginRight: 70,
    height: 30 + rowHeight * rows.length,
    style: { fontSize: "12px" },
    x: { domain: [0, largest], nice: ticks, label: null },
    y: { type: "band", domain: rows.map(({ row }) => row), axis: null, padding: 0 },
    marks: [
      Plot.gridX({ stroke: colour("line"), strokeOpacity: 1, ticks }),
      Plot.axisX({ ticks, tickFormat: formatRoundPercent, tickSize: 0, fill: colour("muted") }),
      Plot.text(rows, {
        ...label,
        y: "row",
        text: "name",
        frameAnchor: "left",
        fontSize: 13.5,
        fill: colour("ink"),
        stroke: colour("paper"),
        strokeWidth: 5,
        textOverflow: "ellipsis",
      }),
      Plot.ruleY(rows, { y: "row", x1: "low", x2: "high", dy: drop, stroke: colour("band"), strokeWidth: 9 }),
      Plot.tickX(bounded, { x: "bound", y: "row", ...tick, stroke: colour("ink"), strokeWidth: 2.5 }),
      Plot.dot(parts, { x: "value", y: "row", dy: drop, r: 3, stroke: colour("blue") }),
      Plot.dot(rows, { x: "mean", y: "row", dy: drop, r: 5.5, fill: colour("blue") }),
      Plot.text(rows, {
        x: "end",
        y: "row",
        dy: drop,
        text: "shown",
        textAnchor: "start",
        dx: 11,
        fontSize: 13.5,
        fontWeight: 600,
        fill: colour("ink"),
        stroke: colour("paper"),
        strokeWidth: 5,
      }),
    ],
  };
}

/** The errors of learners on one line each, the best first. */
export function comparisonFigure(spreads: readonly ErrorSpread[]): Markup {
  const sentences = [
    "A dot is the mean error in the folds, the bar one standard deviation to either side, circles are the single folds.",
  ];
  if (spreads.some(({ bound }) => bound !== undefined)) {
    sentences.push("A tick is the certified upper bound, from held-out rows; all of them hold together.");
  }
  return figure((width) => drawing(spreads, width), { caption: sentences.join(" ") });
}
