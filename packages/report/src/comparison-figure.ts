import * as Plot from "@observablehq/plot";
import { formatPercent, formatUpperBound } from "vouch";
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

/** A learner that errs so many times as often as the best, and its bounds, would leave the others no room. */
const MOST_TIMES = 4;

function farthest({ mean, sd, errors, bound = 0 }: ErrorSpread): number {
  return Math.max(mean + sd, ...errors, bound);
}

/** Where the axis ends: it has all of the best, and all others that end not much farther. */
export function axisEnd(spreads: readonly ErrorSpread[]): number {
  const ends = spreads.map(farthest);
  const room = MOST_TIMES * Math.min(...ends);
  // Learners without any error still get an axis with some length.
  return Math.max(0.01, ...ends.filter((end) => end <= room));
}

/** At the end of a line the certified bound, which is its last mark; an arrow where the line goes on beyond the axis. */
function endText(spread: ErrorSpread, largest: number): string {
  const { bound } = spread;
  const arrow = farthest(spread) > largest ? "→ " : "";
  return bound === undefined ? arrow.trim() : `${arrow}≤ ${formatUpperBound(bound)}`;
}

function drawing(spreads: readonly ErrorSpread[], width: FigureWidth): Drawing {
  const largest = axisEnd(spreads);
  const rows = spreads.map((spread, row) => ({
    ...spread,
    row,
    low: Math.min(largest, Math.max(0, spread.mean - spread.sd)),
    high: Math.min(largest, spread.mean + spread.sd),
    end: Math.min(largest, farthest(spread)),
    name: `${formatPercent(spread.mean)}  ${spread.name}`,
    shown: endText(spread, largest),
  }));
  const within = rows.filter(({ mean }) => mean <= largest);
  const parts = within.flatMap(({ row, errors }) =>
    errors.filter((value) => value <= largest).map((value) => ({ row, value })),
  );
  const bounded = rows.filter(({ bound = Number.POSITIVE_INFINITY }) => bound <= largest);
  const words = spreads.map(
    ({ name, mean, bound }) =>
      `${name}: ${formatPercent(mean)}${bound === undefined ? "" : `, certified at most ${formatUpperBound(bound)}`}`,
  );
  return errorRows(
    {
      ariaLabel: `${words.join(". ")}.`,
      rows,
      largest,
      marginLeft: 240,
      marginRight: 80,
      marks: (dy, tick) => [
        Plot.ruleY(within, { y: "row", x1: "low", x2: "high", dy, stroke: colour("band"), strokeWidth: 9 }),
        Plot.tickX(bounded, { x: "bound", y: "row", ...tick, stroke: colour("ink"), strokeWidth: 2.5 }),
        Plot.dot(parts, { x: "value", y: "row", dy, r: 3.5, stroke: colour("blue") }),
        Plot.dot(within, { x: "mean", y: "row", dy, r: 5.5, fill: colour("blue") }),
      ],
    },
    width,
  );
}

/** The errors of learners on one line each, the best first. */
export function comparisonFigure(spreads: readonly ErrorSpread[]): Markup {
  const sentences = [
    "A dot is the mean error in the folds, which stands before the name; the bar is one standard deviation to either side, circles are the single folds.",
  ];
  if (spreads.some(({ bound }) => bound !== undefined)) {
    sentences.push(
      "A tick, with its number, is the certified upper bound, from held-out rows; all of them hold together.",
    );
  }
  const end = axisEnd(spreads);
  if (spreads.some((spread) => farthest(spread) > end)) {
    sentences.push("Lines with an arrow go on beyond the figure.");
  }
  return figure((width) => drawing(spreads, width), { caption: sentences.join(" ") });
}
