import * as Plot from "@observablehq/plot";
import { type Compared, type Comparison, formatPercent, formatUpperBound } from "vouch/train";
import { colour } from "./colours.js";
import { errorRows } from "./error-rows.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import type { Markup } from "./markup.js";

/** A learner's errors in the folds, and the certified bound on its error. */
interface ErrorSpread extends Pick<Compared, "name" | "errors" | "mean" | "sd"> {
  readonly bound?: number;
}

/** Computes the spread of a learner, without a bound of one, which says nothing. */
function spreadOf({ name, errors, mean, sd, certificate }: Compared): ErrorSpread {
  const bound = certificate && certificate.value < 1 ? { bound: certificate.value } : {};
  return { name, errors, mean, sd, ...bound };
}

/** Lines that are more than this many times as long as the shortest one are cut, to leave room for the others. */
const MOST_TIMES = 4;

function farthest({ mean, sd, errors, bound = 0 }: ErrorSpread): number {
  return Math.max(mean + sd, ...errors, bound);
}

/**
 * Returns the end of the axis: it shows all of the shortest line, and all others that are not much longer, the error of the
 * baseline included.
 */
export function spreadAxisEnd(spreads: readonly ErrorSpread[], baseline: number): number {
  const lines = spreads.map(farthest);
  const room = MOST_TIMES * Math.min(...lines);
  const ends = [...lines, baseline];
  // Learners without any error still get an axis with some length.
  return Math.max(0.01, ...ends.filter((end) => end <= room));
}

/** Writes the certified bound at the end of a line, with an arrow if the line continues beyond the axis. */
function endText(spread: ErrorSpread, largest: number): string {
  const { bound } = spread;
  const arrow = farthest(spread) > largest ? "→ " : "";
  return bound === undefined ? arrow.trim() : `${arrow}≤ ${formatUpperBound(bound)}`;
}

function drawing(spreads: readonly ErrorSpread[], baseline: number, width: FigureWidth): Drawing {
  const largest = spreadAxisEnd(spreads, baseline);
  const rows = spreads.map((spread, row) => ({
    ...spread,
    row,
    low: Math.min(largest, Math.max(0, spread.mean - spread.sd)),
    high: Math.min(largest, spread.mean + spread.sd),
    end: Math.min(largest, farthest(spread)),
    name: `${spread.name}  ${formatPercent(spread.mean)}`,
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
      ariaLabel: `${words.join(". ")}. Baseline: ${formatPercent(baseline)}.`,
      rows,
      largest,
      reference: baseline,
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

/** Draws the errors of learners on one line each, the best first, and that of the baseline across them. */
export function comparisonFigure({ compared, baseline }: Comparison): Markup {
  const spreads = compared.map(spreadOf);
  const end = spreadAxisEnd(spreads, baseline.mean);
  const answer = `always answering “${baseline.class}” (${formatPercent(baseline.mean)})`;
  const sentences = [
    "A dot is the mean error over the folds, a bar one standard deviation to either side, circles are single folds.",
    baseline.mean <= end
      ? `The dotted line is the error of ${answer}.`
      : `The error of ${answer} is beyond the figure.`,
  ];
  if (spreads.some(({ bound }) => bound !== undefined)) {
    sentences.push(
      "A tick with a number is a certified upper bound from held-out rows; all of them hold together.",
    );
  }
  if (spreads.some((spread) => farthest(spread) > end)) {
    sentences.push("Lines with an arrow continue beyond the figure.");
  }
  return figure((width) => drawing(spreads, baseline.mean, width), { caption: sentences.join(" ") });
}
