import { formatCount, formatNumber, formatPercent } from "vouch";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** A column of the data: of what kind it is, how many of its cells are missing, and what the others are. */
export interface ColumnFacts {
  readonly name: string;
  readonly kind: string;
  readonly missing: number;
  /** In words: `1 to 10, mean 4.4`. */
  readonly values: string;
  /** How many cells fall into each of some equal steps from the smallest number to the largest, or have each category. */
  readonly counts: readonly number[];
}

const mostShown = 50;
/** So many are shown without unfolding. */
const fewColumns = 15;
const mostLetters = 80;

/** Of the little picture of a column's values, in pixels. */
const WIDTH = 96;
const HEIGHT = 22;

/** The counts as bars beside each other, in one path: gaps between categories, none between steps of numbers. */
export function spark({ counts, kind }: Pick<ColumnFacts, "counts" | "kind">): Markup | undefined {
  const largest = Math.max(...counts);
  if (counts.length === 0 || !(largest > 0)) return undefined;
  const step = WIDTH / counts.length;
  const gap = kind === "categorical" && step > 2 ? 1 : 0;
  const bars = counts.map((count, i) => {
    // What is there at all is seen.
    const height = count > 0 ? Math.max(1, (HEIGHT * count) / largest) : 0;
    return height > 0
      ? `M${round(i * step)} ${HEIGHT}v${round(-height)}h${round(step - gap)}V${HEIGHT}z`
      : "";
  });
  return html`<svg class="spark" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><path d="${bars.join("")}"/></svg>`;
}

function round(pixels: number): number {
  return Number(pixels.toFixed(1));
}

function columnRow(column: ColumnFacts, rows: number): Markup {
  const { name, kind, missing, values } = column;
  const share = missing > 0 && rows > 0 && formatPercent(missing / rows);
  return html`<tr><th scope="row">${shortened(name, mostLetters)}</th><td class="kind">${kind}</td><td class="number ${share ? "gaps" : "whole"}">${share || "–"}</td><td class="picture">${spark(column)}</td><td class="values">${shortened(values, mostLetters)}</td></tr>
`;
}

/** All columns, to unfold where they are many; nothing where there are none. */
export function columnTable(columns: readonly ColumnFacts[], rows: number): Markup | undefined {
  if (columns.length === 0) return undefined;
  const hidden = columns.length - mostShown;
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Columns">
<table class="names column-table">
<thead><tr><th scope="col">Column</th><th scope="col" class="kind">Kind</th><th scope="col" class="number">Missing</th><th scope="col" colspan="2">Values</th></tr></thead>
<tbody>
${columns.slice(0, mostShown).map((column) => columnRow(column, rows))}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The first ${mostShown}; ${formatNumber(hidden)} more.</p>`}`;
  const count = formatCount(columns.length, "column");
  return columns.length <= fewColumns
    ? html`<h3>Columns</h3>
${table}`
    : html`<details><summary>${count}</summary>
${table}</details>
`;
}
