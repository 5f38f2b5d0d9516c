import * as Plot from "@observablehq/plot";
import { formatPercent } from "vouch";
import { colour } from "./colours.js";
import { errorRows } from "./error-rows.js";
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

function drawing(spreads: readonly ErrorSpread[], width: FigureWidth): Drawing {
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
  return errorRows(
    {
      ariaLabel: `${rows.map(({ name, shown }) => `${name}: ${shown}`).join(". ")}.`,
      rows,
      // Learners without any error still get an axis with some length.
      largest: Math.max(0.01, ...rows.map(({ end }) => end)),
      marginLeft: 240,
      marginRight: 70,
      marks: (dy, tick) => [
        Plot.ruleY(rows, { y: "row", x1: "low", x2: "high", dy, stroke: colour("band"), strokeWidth: 9 }),
        Plot.tickX(bounded, { x: "bound", y: "row", ...tick, stroke: colour("ink"), strokeWidth: 2.5 }),
        Plot.dot(parts, { x: "value", y: "row", dy, r: 3.5, stroke: colour("blue") }),
        Plot.dot(rows, { x: "mean", y: "row", dy, r: 5.5, fill: colour("blue") }),
      ],
    },
    width,
  );
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
