import * as Plot from "@observablehq/plot";
import type { Period } from "@vouch/core/internal/metrics/periods";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { binomialInterval } from "@vouch/core/internal/theory/held-out/binomial-interval";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { valueRows } from "./value-rows.js";

interface PeriodFigureProps {
  readonly periods: readonly Period[];
  /** Description of the change; undefined if it is not significant. */
  readonly change: string | undefined;
}

/** Draws the error of each test period; renders nothing without periods. */
export function PeriodFigure({ periods, change }: PeriodFigureProps) {
  const known = useMemo(() => periods.filter(({ rows }) => rows > 0), [periods]);
  const rows = known.reduce((sum, period) => sum + period.rows, 0);
  const error = known.reduce((sum, period) => sum + period.errors, 0) / rows;
  const draw = useCallback((width: ChartWidth) => drawing(known, error, width), [known, error]);
  if (known.length === 0) return null;
  return (
    <>
      <p>
        {change === undefined
          ? "The earlier and the later half of the test rows do not differ significantly."
          : `${change} Certificates from these rows do not hold for later cases.`}
      </p>
      <Chart
        draw={draw}
        caption={`Lines: 95% confidence intervals. Dotted: the error of all test rows, ${formatPercent(error)}.`}
      />
    </>
  );
}

function drawing(periods: readonly Period[], error: number, width: ChartWidth): Drawing {
  const names = periodNames(periods);
  const rows = periods.map(({ rows: count, errors }, row) => {
    const [lower, upper] = binomialInterval(errors, count);
    const value = errors / count;
    return {
      row,
      name: `${names[row]}: ${formatNumber(errors)} in ${formatNumber(count)}`,
      value,
      lower,
      upper,
      end: upper,
      shown: formatPercent(value),
    };
  });
  const words = rows.map(({ name, shown }) => `${name}, ${shown}`);
  return valueRows(
    {
      ariaLabel: `Error in ${formatCount(rows.length, "period")} of the test. ${words.join(". ")}.`,
      rows,
      domain: [0, Math.max(0.01, ...rows.map(({ upper }) => upper))],
      reference: error,
      marginLeft: 300,
      marginRight: 80,
      marks: (dy) => [
        Plot.ruleY(rows, { y: "row", x1: 0, x2: "value", dy, stroke: colour("band"), strokeWidth: 9 }),
        Plot.ruleY(rows, { y: "row", x1: "lower", x2: "upper", dy, stroke: colour("blue"), strokeWidth: 2 }),
        Plot.dot(rows, { x: "value", y: "row", dy, r: 5.5, fill: colour("blue") }),
      ],
    },
    width,
  );
}

const DAY = 86_400_000;

/**
 * Names periods by their first and last times: "1 Mar 2024 – 14 Apr 2024". Adds times of day if all times fall within
 * two days and dates are ambiguous.
 */
function periodNames(periods: readonly Period[]): string[] {
  const times = periods.flatMap(({ from, to }) => [from, to]);
  const span = Math.max(...times) - Math.min(...times);
  const ofDay = span < 2 * DAY && times.some((time) => time % DAY !== 0);
  const time = areDates(times) ? dateFormat(ofDay) : numberText;
  return periods.map(({ from, to }) => {
    const [first, last] = [time(from), time(to)];
    return first === last ? first : `${first} – ${last}`;
  });
}

const EARLIEST = Date.UTC(1800, 0);
const LATEST = Date.UTC(2200, 0);
/** Larger than any counter of steps or years; as milliseconds, it is April 1970. */
const LARGEST_COUNT = 1e10;

/** Returns whether times are milliseconds since 1970, as dates are read. */
function areDates(times: readonly number[]): boolean {
  const plausible = times.every((time) => time >= EARLIEST && time <= LATEST);
  return plausible && times.some((time) => Math.abs(time) >= LARGEST_COUNT);
}

function dateFormat(ofDay: boolean): (time: number) => string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: "UTC",
    day: "numeric",
    month: "short",
    ...(ofDay ? { hour: "2-digit", minute: "2-digit" } : { year: "numeric" }),
  });
  return (time) => format.format(time);
}

/** Formats a year as 2024, not 2,024. */
function numberText(time: number): string {
  return Number.isInteger(time) && Math.abs(time) < 10_000 ? String(time) : formatNumber(time);
}
