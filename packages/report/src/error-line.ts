import * as Plot from "@observablehq/plot";
import { mean } from "vouch/select";
import {
  type Certificate,
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
  type TrainedCard,
} from "vouch/train";
import { binomialInterval } from "./binomial-interval.js";
import { givesGuarantee } from "./certificate-cards.js";
import { colour } from "./colours.js";
import { errorRows } from "./error-rows.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import { html, type Markup } from "./markup.js";

/** One line of the figure: a measured error, or a certified bound. */
interface ErrorMark {
  readonly kind: "measured" | "certified";
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  /** Single measurements behind a mean. */
  readonly parts: readonly number[];
  /** 95 % confidence interval, if it is known. */
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

/** Lists the lines of the figure, measured errors first, then certificates that give a guarantee. */
export function errorMarks(
  error: TrainedCard["error"],
  heldOut: TrainedCard["heldOut"],
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

/** Bars that are more than this many times as long as the shortest one are cut, to leave room for the others. */
const MOST_TIMES = 4;

/** Returns the end of the axis: it shows all measured errors. A run without any error still gets an axis of some length. */
export function errorAxisEnd(marks: readonly ErrorMark[]): number {
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
  const sentences = ["Dots are measured errors."];
  if (marks.some((mark) => mark.parts.length > 0)) sentences.push("Circles are single folds.");
  if (marks.some((mark) => mark.interval)) {
    sentences.push("The line through a dot is its 95 % confidence interval.");
  }
  if (marks.some((mark) => mark.kind === "certified")) {
    sentences.push(
      "A bar ends at a certified upper bound: with the stated confidence, the error on new data is at most that.",
    );
  }
  const end = errorAxisEnd(marks);
  if (marks.some(({ value }) => value > end))
    sentences.push("Bars with an arrow continue beyond the figure.");
  const absent = certificates.filter((certificate) => !givesGuarantee(certificate)).map(({ name }) => name);
  if (absent.length > 0)
    sentences.push(`Not drawn, because they give no guarantee here: ${absent.join(", ")}.`);
  return sentences.join(" ");
}

/** Draws measured errors and bounds on the error on new data, one line each. */
export function errorLine(
  error: TrainedCard["error"],
  heldOut: TrainedCard["heldOut"],
  certificates: readonly Certificate[],
): Markup {
  const marks = errorMarks(error, heldOut, certificates);
  if (marks.length === 0) return html`<p>No error was measured.</p>`;
  return figure((width) => drawing(marks, width), { caption: caption(marks, certificates) });
}
