import * as Plot from "@observablehq/plot";
import {
  formatLowerBound,
  formatRoundPercent,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { type ErrorMark, errorMarks, type MeasuredErrors } from "../../facts/evaluation/error-marks.js";
import { boundsError, givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { valueRows } from "./value-rows.js";

function farthest({ value, parts, interval }: ErrorMark): number {
  return Math.max(value, ...parts, ...(interval ?? []));
}

/** Bars more than this many times as long as the shortest bar are cut off. */
const MOST_TIMES = 4;

/**
 * Returns the end of the axis. The axis shows all measured errors, and bounds and baseline unless they are far away. It
 * has a positive length even if no run has an error.
 */
export function errorAxisEnd(marks: readonly ErrorMark[]): number {
  const bounds = marks.filter(({ kind }) => kind === "certified").map(({ value }) => value);
  const measured = marks.filter(({ kind }) => kind === "measured").map(farthest);
  const room = MOST_TIMES * Math.min(...(bounds.length > 0 ? bounds : [Math.max(...measured)]));
  const near = marks.filter(({ kind, value }) => kind !== "measured" && value <= room);
  return Math.max(0.01, ...near.map(({ value }) => value), ...measured);
}

function describeMark({ label, shown, interval }: ErrorMark): string {
  const around = interval
    ? `, between ${formatLowerBound(interval[0])} and ${formatUpperBound(interval[1])}`
    : "";
  return `${label}: ${shown}${around}`;
}

function drawing(marks: readonly ErrorMark[], width: ChartWidth): Drawing {
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
      ariaLabel: `${marks.map(describeMark).join(". ")}.`,
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

function errorCaption(marks: readonly ErrorMark[], certificates: readonly Certificate[]): string {
  const sentences = ["Dots are measured."];
  if (marks.some((mark) => mark.parts.length > 0)) sentences.push("Circles are single folds.");
  const [{ confidence } = { confidence: 0 }] = certificates;
  if (marks.some((mark) => mark.interval)) {
    const interval = confidence > 0.5 ? `a ${formatRoundPercent(2 * confidence - 1)}` : "an";
    sentences.push(`The line through a dot is ${interval} interval.`);
  }
  if (marks.some((mark) => mark.kind === "certified")) {
    sentences.push("Bars end at certified bounds on the error on new data.");
  }
  const end = errorAxisEnd(marks);
  if (marks.some(({ value }) => value > end)) sentences.push("Numbers with an arrow are off the scale.");
  const absent = certificates.filter((one) => boundsError(one) && !givesGuarantee(one));
  if (absent.length > 0) sentences.push(`No guarantee here: ${absent.map(({ name }) => name).join(", ")}.`);
  return sentences.join(" ");
}

interface ErrorLineProps {
  readonly errors: MeasuredErrors;
  readonly certificates: readonly Certificate[];
}

/** Draws measured errors, the baseline, and bounds on the error on new data, one line each. */
export function ErrorLine({ errors, certificates }: ErrorLineProps) {
  const marks = useMemo(() => errorMarks(errors, certificates), [errors, certificates]);
  const draw = useCallback((width: ChartWidth) => drawing(marks, width), [marks]);
  if (marks.length === 0) return <p>No error was measured.</p>;
  return <Chart draw={draw} caption={errorCaption(marks, certificates)} />;
}
