import * as Plot from "@observablehq/plot";
import type { Certificate } from "vouch";
import { formatCount, formatNumber, formatPercent, formatRoundPercent, formatUpperBound } from "vouch";
import { binomialInterval } from "./binomial-interval.js";
import { givesGuarantee } from "./certificate-cards.js";
import { colour } from "./colours.js";
import { errorRows } from "./error-rows.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import { html, type Markup } from "./markup.js";

/** Errors that were measured, as fractions of rows. */
export interface MeasuredError {
  /** On the rows the model was trained on. */
  readonly train: number;
  /** On rows that were held out or on a test file. */
  readonly test?: number;
  /** On each fold of a cross-validation. */
  readonly folds?: readonly number[];
}

/** Rows the model never saw, and how many of them it gets wrong. */
export interface HeldOut {
  readonly rows: number;
  readonly errors: number;
}

/** One line of the figure: an error that was measured, or one that is vouched for. */
export interface ErrorMark {
  readonly kind: "measured" | "certified";
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  /** Single measurements behind a mean. */
  readonly parts: readonly number[];
  /** From where to where the truth lies with 95 % confidence, where that is known. */
  readonly interval?: readonly [number, number];
}

function measured(label: string, value: number, parts: readonly number[] = []): ErrorMark {
  return { kind: "measured", label, value, shown: formatPercent(value), parts };
}

function certified(certificate: Certificate): ErrorMark {
  return {
    kind: "certified",
    label: `${certificate.name}, ${formatRoundPercent(certificate.confidence)} confidence`,
    value: certificate.value,
    shown: `≤ ${formatUpperBound(certificate.value)}`,
    parts: [],
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The lines of the figure, measured errors first; certificates that guarantee nothing are left out. */
export function errorMarks(
  error: MeasuredError,
  heldOut: HeldOut | undefined,
  certificates: readonly Certificate[],
): ErrorMark[] {
  const marks = [measured("Training rows", error.train)];
  const finiteFolds = (error.folds ?? []).filter(Number.isFinite);
  if (finiteFolds.length > 0) {
    marks.push(
      measured(`Mean of ${formatCount(finiteFolds.length, "fold")}`, mean(finiteFolds), finiteFolds),
    );
  }
  if (error.test !== undefined) {
    const wrong = heldOut ? `: ${formatCount(heldOut.errors, "error")} in ${formatNumber(heldOut.rows)}` : "";
    const interval = heldOut && { interval: binomialInterval(heldOut.errors, heldOut.rows) };
    marks.push({ ...measured(`Held-out rows${wrong}`, error.test), ...interval });
  }
  marks.push(...certificates.filter(givesGuarantee).map(certified));
  return marks.filter((mark) => Number.isFinite(mark.value));
}

function farthest({ value, parts, interval }: ErrorMark): number {
  return Math.max(value, ...parts, ...(interval ?? []));
}

/** A bound so many times as large as the smallest one would leave the others no room: its bar is cut. */
const MOST_TIMES = 4;

/** Where the axis ends: it has all that was measured. A run without any error still gets an axis of some length. */
export function axisEnd(marks: readonly ErrorMark[]): number {
  const bounds = marks.filter(({ kind }) => kind === "certified").map(({ value }) => value);
  const room = MOST_TIMES * Math.min(...bounds);
  const certified = bounds.filter((value) => value <= room);
  const measured = marks.filter(({ kind }) => kind === "measured").map(farthest);
  return Math.max(0.01, ...certified, ...measured);
}

function inWords({ label, shown, interval }: ErrorMark): string {
  const [lower, upper] = interval ?? [];
  const around =
    upper === undefined ? "" : `, between ${formatPercent(lower ?? 0)} and ${formatPercent(upper)}`;
  return `${label}: ${shown}${around}`;
}

function drawing(marks: readonly ErrorMark[], width: FigureWidth): Drawing {
  const largest = axisEnd(marks);
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
  const intervals = rows.flatMap(({ row, interval }) =>
    interval ? [{ row, lower: interval[0], upper: interval[1] }] : [],
  );
  const parts = rows.flatMap(({ row, parts }) => parts.map((value) => ({ row, value })));
  return errorRows(
    {
      ariaLabel: `${marks.map(inWords).join(". ")}.`,
      rows,
      largest,
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
        ];
      },
    },
    width,
  );
}

function caption(marks: readonly ErrorMark[], certificates: readonly Certificate[]): string {
  const sentences = ["A dot is an error that was measured."];
  if (marks.some((mark) => mark.parts.length > 0)) sentences.push("Circles are the single folds.");
  if (marks.some((mark) => mark.interval)) {
    sentences.push("The line through it has all errors that fit what was seen, with 95 % confidence.");
  }
  if (marks.some((mark) => mark.kind === "certified")) {
    sentences.push(
      "A bar ends at a certified upper bound: the error on new data lies within it, with the confidence given.",
    );
  }
  const end = axisEnd(marks);
  if (marks.some(({ value }) => value > end)) sentences.push("Bars with an arrow go on beyond the figure.");
  const absent = certificates.filter((certificate) => !givesGuarantee(certificate)).map(({ name }) => name);
  if (absent.length > 0) sentences.push(`Without a guarantee here, and so not drawn: ${absent.join(", ")}.`);
  return sentences.join(" ");
}

/** Measured errors and the bounds on the error on new data, on one line each. */
export function errorLine(
  error: MeasuredError,
  heldOut: HeldOut | undefined,
  certificates: readonly Certificate[],
): Markup {
  const marks = errorMarks(error, heldOut, certificates);
  if (marks.length === 0) return html`<p>No error was measured.</p>`;
  return figure((width) => drawing(marks, width), { caption: caption(marks, certificates) });
}
