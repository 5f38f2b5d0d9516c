import * as Plot from "@observablehq/plot";
import { type Certificate, formatLowerBound, formatRoundPercent, formatUpperBound } from "vouch/train";
import { colour } from "./colours.js";
import { type ErrorMark, errorMarks, type MeasuredErrors } from "./error-marks.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import { boundsError, givesGuarantee } from "./guarantee.js";
import { html, type Markup } from "./markup.js";
import { valueRows } from "./value-rows.js";

function farthest({ value, parts, interval }: ErrorMark): number {
  return Math.max(value, ...parts, ...(interval ?? []));
}

/** Bars that are more than this many times as long as the shortest one are cut, to leave room for the others. */
const MOST_TIMES = 4;

/**
 * Returns the end of the axis: it shows all measured errors, and bounds and baseline unless they are far away. A run without any error
 * still gets an axis of some length.
 */
export function errorAxisEnd(marks: readonly ErrorMark[]): number {
  const bounds = marks.filter(({ kind }) => kind === "certified").map(({ value }) => value);
  const measured = marks.filter(({ kind }) => kind === "measured").map(farthest);
  const room = MOST_TIMES * Math.min(...(bounds.length > 0 ? bounds : [Math.max(...measured)]));
  const near = marks.filter(({ kind, value }) => kind !== "measured" && value <= room);
  return Math.max(0.01, ...near.map(({ value }) => value), ...measured);
}

function inWords({ label, shown, interval }: ErrorMark): string {
  const around = interval
    ? `, between ${formatLowerBound(interval[0])} and ${formatUpperBound(interval[1])}`
    : "";
  return `${label}: ${shown}${around}`;
}

function drawing(marks: readonly ErrorMark[], width: FigureWidth): Drawing {
  const largest = errorAxisEnd(marks);
  const rows = marks.map((mark, row) => ({
    ...mark,
    row,
    name: mark.label,
    end: Math.min(largest, farthest(mark)),
    shown: mark.value > largest ? `→ ${mark.shown}` : mark.shown,
  }));
  const certifiedRows = rows.filter((mark) => mark.kind === "certified");
  const within = certifiedRows.filter((mark) => mark.value <= largest);
  const measuredRows = rows.filter((mark) => mark.kind === "measured");
  const baselines = rows.filter((mark) => mark.kind === "baseline" && mark.value <= largest);
  const intervals = rows.flatMap(({ row, interval }) =>
    interval ? [{ row, lower: interval[0], upper: interval[1] }] : [],
  );
  const parts = rows.flatMap(({ row, parts }) => parts.map((value) => ({ row, value })));
  return valueRows(
    {
      ariaLabel: `${marks.map(inWords).join(". ")}.`,
      rows,
      domain: [0, largest],
      reference: baselines[0]?.value,
      marginLeft: 286,
      marginRight: 80,
      marks: (dy, tick) => {
        const at = { x: "value", y: "row", dy } as const;
        return [
          Plot.ruleY(certifiedRows, { ...at, x1: 0, x2: "end", stroke: colour("band"), strokeWidth: 9 }),
          Plot.tickX(within, { x: "value", y: "row", ...tick, stroke: colour("ink"), strokeWidth: 2.5 }),
          Plot.ruleY(intervals, {
            y: "row",
            x1: "lower",
            x2: "upper",
            dy,
            stroke: colour("blue"),
            strokeWidth: 2,
          }),
          Plot.dot(parts, { ...at, r: 3.5, stroke: colour("blue") }),
          Plot.dot(measuredRows, { ...at, r: 5.5, fill: colour("blue") }),
          Plot.dot(baselines, { ...at, r: 5.5, fill: colour("muted") }),
        ];
      },
    },
    width,
  );
}

function caption(marks: readonly ErrorMark[], certificates: readonly Certificate[]): string {
  const sentences = ["Blue dots are measured errors."];
  if (marks.some((mark) => mark.parts.length > 0)) sentences.push("Circles are single folds.");
  const [{ confidence } = { confidence: 0 }] = certificates;
  if (marks.some((mark) => mark.interval)) {
    sentences.push(
      confidence > 0.5
        ? `The line through a dot spans a ${formatRoundPercent(2 * confidence - 1)} interval; its upper end is the certified bound of these rows.`
        : "The line through a dot ends at the certified bound of these rows.",
    );
  }
  const end = errorAxisEnd(marks);
  if (marks.some((mark) => mark.kind === "baseline" && mark.value <= end)) {
    sentences.push("The dotted line is the error of always giving the same answer.");
  }
  if (marks.some((mark) => mark.kind === "certified")) {
    sentences.push(
      "A bar ends at a certified upper bound: with the stated confidence, the error on new data is at most that.",
    );
  }
  if (marks.some(({ value }) => value > end)) sentences.push("Numbers with an arrow are beyond the figure.");
  const absent = certificates.filter((one) => boundsError(one) && !givesGuarantee(one));
  if (absent.length > 0) {
    const names = absent.map(({ name }) => name).join(", ");
    sentences.push(`Not drawn, because they give no guarantee here: ${names}.`);
  }
  return sentences.join(" ");
}

/** Draws measured errors, that of the baseline, and bounds on the error on new data, one line each. */
export function errorLine(errors: MeasuredErrors, certificates: readonly Certificate[]): Markup {
  const marks = errorMarks(errors, certificates);
  if (marks.length === 0) return html`<p>No error was measured.</p>`;
  return figure((width) => drawing(marks, width), { caption: caption(marks, certificates) });
}
