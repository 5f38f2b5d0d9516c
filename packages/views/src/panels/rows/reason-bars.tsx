import { decidingWords, type Reason, type RowReasons } from "@vouch/core/internal/explain/reasons";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { SignedBarList } from "../../charts/bars.js";
import { Name } from "../../text/name.js";
import { shortened } from "../../text/text.js";

const MOST_BARS = 6;

type Unit = RowReasons["unit"];

/** Returns whether scores of this unit are between 0 and 1. */
function isShare(unit: Unit): boolean {
  return unit === "probability" || unit === "share of votes";
}

/** Formats a contribution with its sign: "+0.42", or in percentage points for probabilities. */
function signed(value: number, unit: Unit): string {
  const rounded = isShare(unit) ? (100 * value).toFixed(1) : value.toFixed(2);
  const size = rounded.replace("-", "");
  return `${Number(rounded) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
}

/** Formats a cell in a few characters, and a number with at most six digits. */
function shortValue(value: string): string {
  return /^-?\d+\.\d{5,}$/.test(value)
    ? formatNumber(Number(Number(value).toPrecision(6)))
    : shortened(value, 30);
}

/** Describes a row's value in a column, or the decisive words of a text. */
function describeReason(reason: Reason): string {
  const words = decidingWords(reason).map(({ word }) => `“${shortened(word, 30)}”`);
  if (words.length > 0) return `${reason.column} contains ${words.join(", ")}`;
  return `${reason.column} = ${shortValue(reason.value)}`;
}

/** Builds the bars of a row: its strongest columns, and the sum of the rest. */
function reasonBars({ unit, reasons }: RowReasons) {
  const bars = reasons.slice(0, MOST_BARS).map((reason) => ({
    name: describeReason(reason),
    shown: signed(reason.contribution, unit),
    value: reason.contribution,
  }));
  const rest = reasons.slice(MOST_BARS);
  if (rest.length === 0) return bars;
  const value = rest.reduce((sum, { contribution }) => sum + contribution, 0);
  return [...bars, { name: formatCount(rest.length, "other column"), shown: signed(value, unit), value }];
}

/** Returns the length of the longest bar of several rows, as a common scale. */
export function reasonScale(rows: readonly RowReasons[]): number {
  return Math.max(0, ...rows.flatMap((row) => reasonBars(row).map(({ value }) => Math.abs(value))));
}

interface ReasonBarsProps {
  readonly reasons: RowReasons;
  /** Contribution of a full-width bar. */
  readonly end?: number;
}

/** Draws which columns speak for and against a class in one row. */
export function ReasonBars({ reasons, end = reasonScale([reasons]) }: ReasonBarsProps) {
  const { of, unit } = reasons;
  return (
    <>
      <p class="note">
        For and against{" "}
        <b>
          <Name text={of} />
        </b>
        , by the model’s own {unit}
        {isShare(unit) && ", in percentage points"}
      </p>
      <SignedBarList label={`Contributions to the ${unit} of ${of}`} bars={reasonBars(reasons)} end={end} />
    </>
  );
}
