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
}

const mostShown = 50;
const mostLetters = 80;

function columnRow({ name, kind, missing, values }: ColumnFacts, rows: number): Markup {
  const share = missing > 0 && rows > 0 ? formatPercent(missing / rows) : "–";
  return html`<tr><th scope="row">${shortened(name, mostLetters)}</th><td>${kind}</td><td class="number">${share}</td><td>${shortened(values, mostLetters)}</td></tr>
`;
}

/** All columns, to unfold; nothing where there are none. */
export function columnTable(columns: readonly ColumnFacts[], rows: number): Markup | undefined {
  if (columns.length === 0) return undefined;
  const hidden = columns.length - mostShown;
  return html`<details><summary>${formatCount(columns.length, "column")}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Columns">
<table class="names">
<thead><tr><th scope="col">Column</th><th scope="col">Kind</th><th scope="col" class="number">Missing</th><th scope="col">Values</th></tr></thead>
<tbody>
${columns.slice(0, mostShown).map((column) => columnRow(column, rows))}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The first ${mostShown}; ${formatNumber(hidden)} more.</p>`}</details>
`;
}
