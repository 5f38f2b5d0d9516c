import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { ColumnFacts } from "../../facts/columns/column-facts.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { Name } from "../../text/name.js";
import { unbroken } from "../../text/text.js";

const mostShown = 50;
const mostLetters = 80;

/** Size of the histogram of a column, in pixels. */
const WIDTH = 96;
const HEIGHT = 22;

/**
 * Draws counts as one path of bars, with gaps between categories but not between numbers; renders nothing without
 * counts.
 */
export function Spark({ counts, kind }: Pick<ColumnFacts, "counts" | "kind">) {
  const largest = Math.max(...counts);
  if (counts.length === 0 || !(largest > 0)) return null;
  const step = WIDTH / counts.length;
  const gap = kind === "categorical" && step > 2 ? 1 : 0;
  const bars = counts.map((count, i) => {
    // Keep small counts visible.
    const height = count > 0 ? Math.max(1, (HEIGHT * count) / largest) : 0;
    return height > 0
      ? `M${round(i * step)} ${HEIGHT}v${round(-height)}h${round(step - gap)}V${HEIGHT}z`
      : "";
  });
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={bars.join("")} />
    </svg>
  );
}

function round(pixels: number): number {
  return Number(pixels.toFixed(1));
}

function ColumnRow({ column, rows }: { readonly column: ColumnFacts; readonly rows: number }) {
  const { name, kind, missing, values } = column;
  const share = missing > 0 && rows > 0 ? formatPercent(missing / rows) : undefined;
  return (
    <tr>
      <th scope="row">
        <Name text={name} most={mostLetters} />
      </th>
      <td class="kind">{kind}</td>
      <td class={`number ${share ? "gaps" : "whole"}`}>{share ?? "–"}</td>
      <td class="picture">
        <Spark {...column} />
      </td>
      <td class="values">
        <Name text={unbroken(values)} most={mostLetters} />
      </td>
    </tr>
  );
}

interface ColumnTableProps {
  readonly columns: readonly ColumnFacts[];
  /** Total number of rows. */
  readonly rows: number;
}

/** Lists all columns, folded; renders nothing if there are none. */
export function ColumnTable({ columns, rows }: ColumnTableProps) {
  if (columns.length === 0) return null;
  const hidden = columns.length - mostShown;
  return (
    <details>
      <summary>{formatCount(columns.length, "column")}</summary>
      <ScrollRegion label="Columns">
        <table class="names column-table">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col" class="kind">
                Kind
              </th>
              <th scope="col" class="number">
                Missing
              </th>
              <th scope="col" colSpan={2}>
                Values
              </th>
            </tr>
          </thead>
          <tbody>
            {columns.slice(0, mostShown).map((column) => (
              <ColumnRow key={column.name} column={column} rows={rows} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {hidden > 0 && (
        <p class="note">
          The first {mostShown}; {formatNumber(hidden)} more.
        </p>
      )}
    </details>
  );
}
