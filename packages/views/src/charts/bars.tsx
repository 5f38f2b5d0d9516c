import { Name } from "../text/name.js";
import { classNames } from "../text/text.js";

/** A bar with its name and the text next to it. */
export interface Bar {
  readonly name: string;
  readonly shown: string;
  /** Negative values get no bar. */
  readonly value: number;
  /** Half the length of the error bar at the end of the bar. */
  readonly spread?: number;
  /** Whether the bar is pale, because chance may explain it. */
  readonly faint?: boolean;
}

interface BarListProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly layout?: "single" | "double";
  /** Value of a full-width bar; by default the longest bar. */
  readonly end?: number;
}

/** Draws bars to a common scale from 0, in one or two columns. */
export function BarList({ label, bars, layout = "single", end = longest(bars) }: BarListProps) {
  return (
    <ul class={`bars ${layout}`} aria-label={label}>
      {bars.map((bar) => (
        <BarItem key={bar.name} bar={bar} end={end} />
      ))}
    </ul>
  );
}

function longest(bars: readonly Bar[]): number {
  return Math.max(0, ...bars.map(({ value, spread = 0 }) => value + spread));
}

function percent(value: number, end: number): string {
  return `${end > 0 ? Number(((100 * Math.max(0, value)) / end).toFixed(1)) : 0}%`;
}

function BarItem({ bar, end }: { readonly bar: Bar; readonly end: number }) {
  const { name, shown, value, spread = 0, faint = false } = bar;
  const whisker = spread > 0 && value + spread > 0;
  return (
    <li class={classNames(faint && "faint")}>
      <span title={name}>
        <Name text={name} />
      </span>{" "}
      <b>{shown.replaceAll(" ", "\u00a0")}</b>
      <i aria-hidden="true">
        <u style={`--length:${percent(value, end)}`} />
        {whisker && (
          <s style={`--from:${percent(value - spread, end)};--to:${percent(value + spread, end)}`} />
        )}
      </i>
    </li>
  );
}

/**
 * Draws positive values to the right of a middle line and negative ones to its left. `end` is the value of a bar that
 * fills its side; by default the longest bar.
 */
export function SignedBarList({ label, bars, end }: Omit<BarListProps, "layout">) {
  const most = end ?? Math.max(0, ...bars.map(({ value }) => Math.abs(value)));
  return (
    <ul class="bars signed" aria-label={label}>
      {bars.map(({ name, shown, value }) => {
        const length = most > 0 ? (50 * Math.abs(value)) / most : 0;
        const from = Number((value < 0 ? 50 - length : 50).toFixed(1));
        const style = `--from:${from}%;--length:${Number(length.toFixed(1))}%`;
        return (
          <li key={name}>
            <span title={name}>
              <Name text={name} />
            </span>{" "}
            <b>{shown}</b>
            <i aria-hidden="true">
              <u class={value < 0 ? "against" : "for"} style={style} />
            </i>
          </li>
        );
      })}
    </ul>
  );
}
